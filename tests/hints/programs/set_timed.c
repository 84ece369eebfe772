/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that may time out, and one by a variable, end a set.
 * 1: &a before takt_semaphore_wait(&go);
 * 2: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round = (round + 1) % LOCKS) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
        if (takt_mutex_lock_until(&b, takt_now() + TAKT_MS(50)) == TAKT_OK) {
            takt_mutex_unlock(&b);
        }
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
        takt_mutex_lock(&locks[round]);
        takt_mutex_unlock(&locks[round]);
    }
}

PROGRAM(set_timed, TASK("w", 3, waiter), OWNER);
