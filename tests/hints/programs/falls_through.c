/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases with statements right after their labels, one of which falls through to the next.
 * 1: left: takt_semaphore_wait blocks again before any lock
 * 2: &a before takt_semaphore_wait(&more);
 * 3: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        switch (round % 3) {
        case 0:
            takt_semaphore_wait(&go);
            /* fall through */
        case 1:
            takt_semaphore_wait(&more);
            break;
        default:
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(falls_through, TASK("w", 3, waiter), OWNER);
