/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 5.4.1: one mutex in the loop, another one after it.
 * 1: i + 1 < LOCKS ? &a : &b before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        for (unsigned i = 0; i < LOCKS; i++) {
            takt_mutex_lock(&a);
            note(++shared);
            takt_mutex_unlock(&a);
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&b);
        note(100 + shared);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(count_two, TASK("w", 3, waiter), OWNER);
