/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock is in a macro, the call is not.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

#define LOCKED(mutex, statement) \
    takt_mutex_lock(mutex);      \
    statement;                   \
    takt_mutex_unlock(mutex)

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        LOCKED(&a, note(++shared));
    }
}

PROGRAM(macro_lock, TASK("w", 3, waiter), OWNER);
