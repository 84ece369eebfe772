/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that runs at least once, by its constants, begins with the lock.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        for (unsigned i = 0; i < 2; i++) {
            takt_mutex_lock(&a);
            note(++shared);
            takt_mutex_unlock(&a);
        }
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(loop_after, TASK("w", 3, waiter), OWNER);
