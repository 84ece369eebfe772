/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop that may not run at all.
 * 1: left: but on another path `&b` is locked
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        const unsigned limit = round % 3;
        takt_semaphore_wait(&go);
        for (unsigned i = 0; i < limit; i++) {
            takt_mutex_lock(&a);
            note(++shared);
            takt_mutex_unlock(&a);
        }
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(loop_after_maybe, TASK("w", 3, waiter), OWNER);
