/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SCHED_H
#define TAKT_SCHED_H

/* plain: as fixed, and every task is a background task: no releases, deadlines or misses. */
#define TAKT_EDF 0
#define TAKT_SLICES 0
#define TAKT_COOPERATIVE 0
#define TAKT_JOBS 0
#define TAKT_BUDGETS 0

#endif
