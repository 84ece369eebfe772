/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function that waits calls itself.
 * 1: left: recursion
 */
#include "tests/hints/program.h"

static void waits_down(unsigned depth)
{
    if (depth > 0) {
        waits_down(depth - 1);
    }
    takt_semaphore_wait(&go);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        waits_down(1);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(recursive_wait, TASK("w", 3, waiter), OWNER);
