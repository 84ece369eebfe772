/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An absolute time that is computed in the call.
 * 1: &b before takt_delay_until(takt_now() + TAKT_US(700));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        takt_delay_until(takt_now() + TAKT_US(700));
        takt_mutex_lock(&b);
        note(++shared);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(sleeps_until, TASK("w", 3, waiter), OWNER);
