/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call is in a macro.
 * 1: left: it is in a macro
 */
#include "tests/hints/program.h"

#define NEXT() takt_semaphore_wait(&go)

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        (void)NEXT();
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(macro_call, TASK("w", 3, waiter), OWNER);
