/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that counts down, by a step in its head.
 * 1: i - 1 > 0 ? NULL : &b before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        for (unsigned i = 4; i > 0; i--) {
            note(i);
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&b);
        note(++shared);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(count_down, TASK("w", 3, waiter), OWNER);
