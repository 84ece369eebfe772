/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock does not wait: a hint could change whether it succeeds.
 * 1: left: a hint could change whether it finds the mutex free
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        if (takt_mutex_try_lock(&a) == TAKT_OK) {
            takt_mutex_unlock(&a);
        }
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(tries, TASK("w", 3, waiter), OWNER);
