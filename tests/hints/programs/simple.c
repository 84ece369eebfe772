/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figure 5.4: a loop that waits and then locks.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(simple, TASK("w", 3, waiter), OWNER);
