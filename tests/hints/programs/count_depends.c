/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The condition depends on what comes after the call.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 1;; round++) {
        unsigned steps = round;
        while (steps > 0) {
            takt_semaphore_wait(&go);
            steps /= 2;
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(count_depends, TASK("w", 3, waiter), OWNER);
