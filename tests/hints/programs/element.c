/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An element of an array, by a constant.
 * 1: &locks[LOCKS - 1] before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&locks[LOCKS - 1]);
        note(++shared);
        takt_mutex_unlock(&locks[2]);
    }
}

PROGRAM(element, TASK("w", 3, waiter), OWNER);
