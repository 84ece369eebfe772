/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutex is declared after the call.
 * 1: left: `late` is not declared here
 */
#include "tests/hints/program.h"

static void waits(void)
{
    takt_semaphore_wait(&go);
}

static TAKT_MUTEX_DEFINE(late, 9);

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        waits();
        takt_mutex_lock(&late);
        note(++shared);
        takt_mutex_unlock(&late);
    }
}

PROGRAM(declared_later, TASK("w", 3, waiter), OWNER);
