/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counter is narrower than int: what it is after the step is not what C computes before.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        for (uint8_t i = 0; i < 3; i++) {
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(count_narrow, TASK("w", 3, waiter), OWNER);
