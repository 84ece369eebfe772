/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another task might wait for the post, and own the second mutex.
 * 1: &a before takt_semaphore_wait(&go);
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
        takt_semaphore_post(&more);
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(set_serves, TASK("w", 3, waiter), OWNER);
