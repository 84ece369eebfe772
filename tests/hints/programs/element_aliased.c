/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variable may change through its address.
 * 1: left: `which` may change through its address
 */
#include "tests/hints/program.h"

static void next(unsigned *which)
{
    *which = (*which + 1) % LOCKS;
}

static void waiter(void *argument)
{
    unsigned which = 0;
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        next(&which);
        takt_mutex_lock(&locks[which]);
        note(which);
        takt_mutex_unlock(&locks[which]);
    }
}

PROGRAM(element_aliased, TASK("w", 3, waiter), OWNER);
