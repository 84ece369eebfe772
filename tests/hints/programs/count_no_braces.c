/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 5.4.1: the loop's last round is the one before the lock; its body has no braces.
 * 1: i + 1 < 3 ? NULL : &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        for (int i = 0; i < 3; i++)
            takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(count_no_braces, TASK("w", 3, waiter), OWNER);
