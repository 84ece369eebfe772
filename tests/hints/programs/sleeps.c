/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait for an expiry, with a macro among its arguments.
 * 1: &a before takt_delay(TAKT_MS(1));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        takt_delay(TAKT_MS(1));
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(sleeps, TASK("w", 3, waiter), OWNER);
