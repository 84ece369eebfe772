/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The condition itself changes what it tests.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        unsigned steps = 3;
        while (steps-- > 0) {
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(count_effect, TASK("w", 3, waiter), OWNER);
