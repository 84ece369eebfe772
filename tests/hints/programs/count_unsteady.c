/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the loop runs is another task's choice.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        while (takt_semaphore_count(&go) > 0) {
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
        takt_work(TAKT_US(10));
        if (takt_now() > TAKT_MS(20)) {
            return;
        }
    }
}

PROGRAM(count_unsteady, TASK("w", 3, waiter), OWNER);
