/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait that may time out, and the lock follows all the same; also a lock with a limit.
 * 1: &a before enum takt_status status = takt_semaphore_wait_until(&go, takt_now() + TAKT_MS(20));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        enum takt_status status = takt_semaphore_wait_until(&go, takt_now() + TAKT_MS(20));
        if (takt_mutex_lock_until(&a, TAKT_FOREVER) == TAKT_OK) {
            note((unsigned)status);
            takt_mutex_unlock(&a);
        }
    }
}

PROGRAM(times_out_and_locks, TASK("w", 3, waiter), OWNER);
