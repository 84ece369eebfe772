/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two mutexes, one after the other: 5.4.2. A lock that fails is no path of its own.
 * 1: &a, &b before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        if (takt_mutex_lock(&a) == TAKT_OK) {
            note(++shared);
            takt_mutex_unlock(&a);
        }
        if (takt_mutex_lock(&b) == TAKT_OK) {
            takt_work(TAKT_US(10));
            takt_mutex_unlock(&b);
        }
    }
}

PROGRAM(set_two, TASK("w", 3, waiter), OWNER);
