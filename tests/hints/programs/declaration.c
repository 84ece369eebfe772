/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call initializes a variable.
 * 1: &a before const enum takt_status status = takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        const enum takt_status status = takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note((unsigned)status + ++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(declaration, TASK("w", 3, waiter), OWNER);
