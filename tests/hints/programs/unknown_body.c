/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function without a body comes between the call and the lock.
 * 1: left: `outside` has no body here
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        outside();
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(unknown_body, TASK("w", 3, waiter), OWNER);
