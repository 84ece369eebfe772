/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait that may time out, and then no lock follows.
 * 1: left: but on another path takt_semaphore_wait_until blocks again before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        if (takt_semaphore_wait_until(&go, takt_now() + TAKT_MS(50)) == TAKT_OK) {
            takt_mutex_lock(&a);
            note(++shared);
            takt_mutex_unlock(&a);
        }
    }
}

PROGRAM(times_out, TASK("w", 3, waiter), OWNER);
