/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner waits for the task: with a hint both would wait for ever. Another mutex has no such owner.
 * 1: left: an owner of `&a` may wait for a call before the lock
 * 2: &b before takt_semaphore_wait(&go);
 * 3: left: a mutex is held
 */
#include "tests/hints/program.h"

static TAKT_SEMAPHORE_DEFINE(answer, 9, 0, 60);

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_semaphore_post(&answer);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
        takt_semaphore_wait(&go);
        takt_semaphore_post(&more);
        takt_mutex_lock(&b);
        note(++shared);
        takt_mutex_unlock(&b);
    }
}

static void asker(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        takt_mutex_lock(&a);
        takt_semaphore_post(&go);
        takt_semaphore_wait(&answer);
        takt_mutex_unlock(&a);
        owns(&b);
    }
}

PROGRAM(serves_owner, TASK("w", 3, waiter), TASK("o", 7, asker));
