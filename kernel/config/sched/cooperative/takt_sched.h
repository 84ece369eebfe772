/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SCHED_H
#define TAKT_SCHED_H

/* cooperative: one fixed band whose jobs are never preempted. */
#define TAKT_EDF 0
#define TAKT_SLICES 0
#define TAKT_COOPERATIVE 1
#define TAKT_JOBS 1
#define TAKT_BUDGETS 0

#endif
