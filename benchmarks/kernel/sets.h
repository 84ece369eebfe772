/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SETS_H
#define SETS_H

/* Rows that are measured instead of the usual ones, by option set: rows_rhealstone.c, rows_seed.c, share.c, calls.c. */
enum set { SET_RHEALSTONE = 1, SET_SEED, SET_SHARE, SET_CALLS };

#endif
