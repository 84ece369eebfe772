/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One branch waits again before it locks.
 * 1: left: takt_semaphore_wait blocks again before any lock
 * 2: &a before takt_semaphore_wait(&more);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        if (round % 2 == 0) {
            takt_semaphore_wait(&more);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(one_branch_waits, TASK("w", 3, waiter), OWNER);
