/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each lock in a function that gets its mutex, or has it.
 * 1: &a, &locks[1], &b before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void lock(struct takt_mutex *mutex)
{
    takt_mutex_lock(mutex);
}

static void last(void)
{
    takt_mutex_lock(&b);
    note(++shared);
    takt_mutex_unlock(&b);
}

static void both(struct takt_mutex *first, struct takt_mutex *second)
{
    lock(first);
    lock(second);
    takt_mutex_unlock(second);
    takt_mutex_unlock(first);
    last();
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        both(&a, &locks[1]);
    }
}

PROGRAM(set_functions, TASK("w", 3, waiter), OWNER);
