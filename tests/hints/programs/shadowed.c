/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the call is, the name means something else.
 * 1: left: `a` has another meaning here
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        {
            unsigned a = (unsigned)takt_semaphore_count(&more);
            takt_semaphore_wait(&go);
            note(a != 99);
        }
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(shadowed, TASK("w", 3, waiter), OWNER);
