/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GNU statements in an expression are statements, too.
 * 1: &a in note((unsigned)({ takt_hint_next(&a); takt_semaphore_wait(&go); }));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        note((unsigned)({ takt_semaphore_wait(&go); }));
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(statements_inside, TASK("w", 3, waiter), OWNER);
