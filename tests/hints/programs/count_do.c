/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same with the test at the end.
 * 1: left != 0 ? &locks[0] : &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        int left = 3;
        do {
            takt_mutex_lock(&locks[0]);
            note((unsigned)left--);
            takt_mutex_unlock(&locks[0]);
            takt_semaphore_wait(&go);
        } while (left != 0);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(count_do, TASK("w", 3, waiter), OWNER);
