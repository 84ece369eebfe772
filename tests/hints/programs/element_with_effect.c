/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument of the lock has an effect.
 * 1: left: its mutex
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    unsigned which = 0;
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&locks[which++ % LOCKS]);
        note(which);
        takt_mutex_unlock(&locks[(which - 1) % LOCKS]);
    }
}

PROGRAM(element_with_effect, TASK("w", 3, waiter), OWNER);
