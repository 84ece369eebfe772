/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call is an argument of another one.
 * 1: &a before note((unsigned)takt_semaphore_wait(&go));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        note((unsigned)takt_semaphore_wait(&go));
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(argument, TASK("w", 3, waiter), OWNER);
