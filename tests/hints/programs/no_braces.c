/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call is the whole body of an if, and of its else.
 * 1: &a before takt_semaphore_wait(&go);
 * 2: &a before takt_semaphore_wait(&more);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        if (round % 2 == 0)
            takt_semaphore_wait(&go); /* the owner's */
        else
            takt_semaphore_wait(&more);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(no_braces, TASK("w", 3, waiter), OWNER);
