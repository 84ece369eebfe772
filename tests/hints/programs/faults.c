/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path that ends the system does not count.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        if (round == 1000) {
            takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(faults, TASK("w", 3, waiter), OWNER);
