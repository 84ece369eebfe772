/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two calls in one expression, in an order that C leaves open.
 * 1: left: C does not say which of several calls comes first
 * 2: left: C does not say which of several calls comes first
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        unsigned status = (unsigned)takt_semaphore_wait(&go) + (unsigned)takt_semaphore_wait(&more);
        takt_mutex_lock(&a);
        note(status + ++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(any_order, TASK("w", 3, waiter), OWNER);
