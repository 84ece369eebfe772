/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A switch with a default: every case locks the same mutex.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        switch (round % 3) {
        case 0:
            takt_mutex_lock(&a);
            break;
        case 1:
            note(round);
            takt_mutex_lock(&a);
            break;
        default:
            takt_mutex_lock(&a);
        }
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(switch_all, TASK("w", 3, waiter), OWNER);
