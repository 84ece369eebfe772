/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 5.4.1's form: what the condition depends on does not change between the wait and the next round.
 * 1: steps > 0 ? NULL : &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 1;; round++) {
        unsigned steps = round;
        while (steps > 0) {
            steps--;
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(count_while, TASK("w", 3, waiter), OWNER);
