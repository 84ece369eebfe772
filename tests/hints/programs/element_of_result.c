/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the call returns says which one.
 * 1: left: `which` changes before the lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    unsigned which;
    (void)argument;
    for (;;) {
        which = (unsigned)takt_semaphore_wait(&go) + 1;
        takt_mutex_lock(&locks[which]);
        note(which);
        takt_mutex_unlock(&locks[which]);
    }
}

PROGRAM(element_of_result, TASK("w", 3, waiter), OWNER);
