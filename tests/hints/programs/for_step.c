/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call in the step of a for.
 * 1: &b in for (unsigned round = 0;; round++, (takt_hint_next(&b), takt_semaphore_wait(&go))) {
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++, takt_semaphore_wait(&go)) {
        takt_mutex_lock(&b);
        note(round);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(for_step, TASK("w", 3, waiter), OWNER);
