/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner waits only when it has unlocked, or has not locked: by functions, and behind a test of what one returned.
 * 1: &a before takt_semaphore_wait(&go);
 * 2: round + 1 < ROUNDS ? &a : NULL before takt_semaphore_wait(&answer);
 */
#include "tests/hints/program.h"

static TAKT_SEMAPHORE_DEFINE(answer, 9, 0, 60);

static bool lock(struct takt_mutex *mutex)
{
    enum takt_status status = takt_mutex_lock(mutex);
    return status == TAKT_OK;
}

static void unlock(struct takt_mutex *mutex)
{
    takt_mutex_unlock(mutex);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_semaphore_post(&answer);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

static void asker(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (lock(&a)) {
            takt_semaphore_post(&go);
            unlock(&a);
        }
        takt_semaphore_wait(&answer);
    }
}

PROGRAM(owner_unlocks, TASK("w", 3, waiter), TASK("o", 7, asker));
