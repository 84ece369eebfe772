/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function that locks calls itself.
 * 1: left: recursion
 */
#include "tests/hints/program.h"

static void locks_down(unsigned depth)
{
    if (depth > 0) {
        locks_down(depth - 1);
        return;
    }
    takt_mutex_lock(&a);
    note(++shared);
    takt_mutex_unlock(&a);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        locks_down(2);
    }
}

PROGRAM(recursive, TASK("w", 3, waiter), OWNER);
