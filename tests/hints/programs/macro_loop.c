/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that a macro makes.
 * 1: left: a loop that a macro makes
 */
#include "tests/hints/program.h"

#define TIMES(i, count) for (unsigned i = 0; (i) < (count); (i)++)

static void waiter(void *argument)
{
    (void)argument;
    TIMES(i, ROUNDS)
    {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(i);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(macro_loop, TASK("w", 3, waiter), OWNER);
