/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two calls in one declaration: the second one is followed by the lock.
 * 1: left: takt_semaphore_wait blocks again before any lock
 * 2: &a in enum takt_status one = takt_semaphore_wait(&go), two = (takt_hint_next(&a), takt_semaphore_wait(&more));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        enum takt_status one = takt_semaphore_wait(&go), two = takt_semaphore_wait(&more);
        takt_mutex_lock(&a);
        note((unsigned)one + (unsigned)two + ++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(two_declarators, TASK("w", 3, waiter), OWNER);
