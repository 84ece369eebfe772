/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call in the condition of an if. It cannot fail: nobody deletes or flushes the semaphore.
 * 1: &a before if (takt_semaphore_wait(&go) != TAKT_OK) {
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        if (takt_semaphore_wait(&go) != TAKT_OK) {
            note(0);
            return;
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(in_condition, TASK("w", 3, waiter), OWNER);
