/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TASK_SET_H
#define TASK_SET_H

/*
 * A task set for the analysis on the board, and by the test on the host. Each task: wcet, period, deadline, release
 * jitter, kernel time of a release, blocking, all in ns; level; order within the level.
 */
#define TASK_SET(TASK)                                             \
    TASK(500000, 5000000, 4000000, 100000, 2000, 300000, 0, EQUAL) \
    TASK(700000, 7000000, 7000000, 0, 2000, 300000, 1, EQUAL)      \
    TASK(300000, 9000000, 9000000, 50000, 2000, 300000, 1, EQUAL)  \
    TASK(2000000, 11000000, 11000000, 0, 3000, 0, 2, DEADLINE)     \
    TASK(3000000, 17000000, 23000000, 0, 3000, 0, 2, DEADLINE)     \
    TASK(1500000, 40000000, 90000000, 200000, 3000, 0, 3, EQUAL)

#endif
