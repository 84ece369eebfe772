/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wrong hint is beside a point that gets one.
 * 1: &a before takt_semaphore_wait(&go);
 * 2: wrong: takt_semaphore_wait blocks again before any lock
 * 3: &b before takt_semaphore_wait(&more);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
        takt_hint_next(&a);
        takt_semaphore_wait(&go);
        takt_semaphore_wait(&more);
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(wrong_and_right, TASK("w", 3, waiter), OWNER);
