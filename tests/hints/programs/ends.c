/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task ends on one path.
 * 1: left: but on another path the job ends before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        if (round == 5) {
            return;
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(ends, TASK("w", 3, waiter), OWNER);
