/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behind the second one the paths part; on one of them it is behind another.
 * 1: &a, &b before takt_semaphore_wait(&go);
 * 2: &a before takt_semaphore_wait(&go);
 * 3: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void now_and_then(void)
{
    if (shared % 2 == 0) {
        takt_mutex_lock(&locks[0]);
        takt_mutex_unlock(&locks[0]);
    }
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
        if (shared % 2 == 0) {
            takt_mutex_lock(&locks[0]);
            takt_mutex_unlock(&locks[0]);
        }
        note(++shared);
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        if (shared % 2 == 0) {
            takt_mutex_lock(&locks[0]);
            takt_mutex_unlock(&locks[0]);
        }
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
        takt_mutex_unlock(&a);
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
        now_and_then();
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(set_differs, TASK("w", 3, waiter), OWNER);
