/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An element by a number that is passed, and counted with.
 * 1: &locks[1 % LOCKS] before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void section(unsigned which)
{
    takt_mutex_lock(&locks[which % LOCKS]);
    note(++shared);
    takt_mutex_unlock(&locks[which % LOCKS]);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        section(1);
    }
}

PROGRAM(element_passed, TASK("w", 3, waiter), OWNER);
