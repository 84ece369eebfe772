/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain of else if: the second condition gets a block of its own.
 * 1: &a before if (takt_semaphore_wait(&go) == TAKT_OK) {
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        if (round % 2 == 0) {
            note(round);
        } else if (takt_semaphore_wait(&go) == TAKT_OK) {
            note(1000);
        } else {
            note(1);
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(else_if, TASK("w", 3, waiter), OWNER);
