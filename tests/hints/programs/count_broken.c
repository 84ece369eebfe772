/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop may be left early, so its counter does not tell.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        for (unsigned i = 0; i < 3; i++) {
            takt_semaphore_wait(&go);
            if (round % 4 == i) {
                break;
            }
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(count_broken, TASK("w", 3, waiter), OWNER);
