/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SCHED_H
#define TAKT_SCHED_H

/* bands: any list of fixed and edf bands, with time slices or without. */
#define TAKT_EDF 1
#define TAKT_SLICES 1
#define TAKT_COOPERATIVE 0
#define TAKT_JOBS 1
#define TAKT_BUDGETS 0

#endif
