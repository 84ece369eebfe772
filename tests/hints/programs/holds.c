/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task owns a mutex while it waits: a hint has no effect.
 * 1: left: a mutex is held
 * 2: &b before takt_semaphore_wait(&more);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_mutex_lock(&b);
        takt_semaphore_wait(&go);
        takt_mutex_lock(&locks[0]);
        note(++shared);
        takt_mutex_unlock(&locks[0]);
        takt_mutex_unlock(&b);
        takt_semaphore_wait(&more);
    }
}

static void late_owner(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        owns(&a);
    }
}

PROGRAM(holds, TASK("w", 3, waiter), TASK("o", 7, late_owner));
