/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PRESET_H
#define TAKT_PRESET_H

/* standard: trace and assertions. */
enum { TAKT_TRACE = 1, TAKT_ASSERTIONS = 1, TAKT_STACK_CHECKS = 0 };

#endif
