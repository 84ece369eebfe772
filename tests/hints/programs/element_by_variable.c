/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An element by a variable that does not change between the call and the lock.
 * 1: &locks[which] before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        unsigned which = round % LOCKS;
        takt_semaphore_wait(&go);
        takt_mutex_lock(&locks[which]);
        note(which);
        takt_mutex_unlock(&locks[which]);
    }
}

PROGRAM(element_by_variable, TASK("w", 3, waiter), OWNER);
