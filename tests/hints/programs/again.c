/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop made of a label and a goto.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
again:
    takt_semaphore_wait(&go);
    takt_mutex_lock(&a);
    note(++shared);
    takt_mutex_unlock(&a);
    goto again;
}

PROGRAM(again, TASK("w", 3, waiter), OWNER);
