/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock is in a function that gets the mutex.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void lock(struct takt_mutex *mutex)
{
    if (takt_mutex_lock(mutex) != TAKT_OK) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);
    }
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(through_function, TASK("w", 3, waiter), OWNER);
