/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GNU statements in an expression that leave the loop around them.
 * 1: left: statements in an expression
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        note(({
            if (round == 9) {
                break;
            }
            round;
        }));
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(statements_leave, TASK("w", 3, waiter), OWNER);
