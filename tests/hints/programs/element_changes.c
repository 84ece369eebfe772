/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An element by a variable that changes after the call.
 * 1: left: `which` changes before the lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned which = 0;; which %= LOCKS) {
        takt_semaphore_wait(&go);
        which++;
        takt_mutex_lock(&locks[which % LOCKS]);
        note(which);
        takt_mutex_unlock(&locks[which % LOCKS]);
    }
}

PROGRAM(element_changes, TASK("w", 3, waiter), OWNER);
