/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait and lock in one condition: the first operand is always evaluated.
 * 1: &a before if (takt_semaphore_wait(&go) != TAKT_OK || takt_mutex_lock(&a) != TAKT_OK) {
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        if (takt_semaphore_wait(&go) != TAKT_OK || takt_mutex_lock(&a) != TAKT_OK) {
            return;
        }
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(wait_or_lock, TASK("w", 3, waiter), OWNER);
