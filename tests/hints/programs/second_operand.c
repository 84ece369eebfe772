/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call is only made if the first operand is true: the hint goes with it.
 * 1: &a in if (round % 2 == 0 && (takt_hint_next(&a), takt_semaphore_wait(&go)) == TAKT_OK) {
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        if (round % 2 == 0 && takt_semaphore_wait(&go) == TAKT_OK) {
            note(round);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(second_operand, TASK("w", 3, waiter), OWNER);
