/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two callers of a function that waits lock different mutexes.
 * 1: left: but on another path `&b` is locked
 */
#include "tests/hints/program.h"

static void next(void)
{
    takt_semaphore_wait(&go);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        next();
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
        next();
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(callers_differ, TASK("w", 3, waiter), OWNER);
