/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SCHED_H
#define TAKT_SCHED_H

/* budgets: as bands, and the kernel enforces the budgets of tasks. */
#define TAKT_EDF 1
#define TAKT_SLICES 1
#define TAKT_COOPERATIVE 0
#define TAKT_JOBS 1
#define TAKT_BUDGETS 1

#endif
