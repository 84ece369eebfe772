/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A switch without a default: there may be no case.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        switch (round % 3) {
        case 0:
        case 1:
            takt_mutex_lock(&a);
            note(++shared);
            takt_mutex_unlock(&a);
            break;
        }
    }
}

PROGRAM(switch_some, TASK("w", 3, waiter), OWNER);
