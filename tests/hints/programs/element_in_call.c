/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variable changes in the statement of the call, before it: the hint goes right before the call.
 * 1: &locks[which] in which = (which + 1) % LOCKS, (takt_hint_next(&locks[which]), takt_semaphore_wait(&go));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    unsigned which = 0;
    (void)argument;
    for (;;) {
        which = (which + 1) % LOCKS, takt_semaphore_wait(&go);
        takt_mutex_lock(&locks[which]);
        note(which);
        takt_mutex_unlock(&locks[which]);
    }
}

PROGRAM(element_in_call, TASK("w", 3, waiter), OWNER);
