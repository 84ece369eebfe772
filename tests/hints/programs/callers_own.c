/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutex that follows is a variable of the caller.
 * 1: left: the mutex is named in the caller, `waits_and_locks`, by a variable
 */
#include "tests/hints/program.h"

static void next(void)
{
    takt_semaphore_wait(&go);
}

static void waits_and_locks(struct takt_mutex *mine)
{
    for (;;) {
        next();
        takt_mutex_lock(mine);
        note(++shared);
        takt_mutex_unlock(mine);
    }
}

static void waiter(void *argument)
{
    (void)argument;
    waits_and_locks(&a);
}

PROGRAM(callers_own, TASK("w", 3, waiter), OWNER);
