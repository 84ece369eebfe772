/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Either of two calls, by a condition.
 * 1: &a in enum takt_status status = round % 2 ? (takt_hint_next(&a), takt_semaphore_wait(&go))
 * 2: &a in : (takt_hint_next(&a), takt_semaphore_wait(&more));
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        /* clang-format off */
        enum takt_status status = round % 2 ? takt_semaphore_wait(&go)
                                            : takt_semaphore_wait(&more);
        /* clang-format on */
        takt_mutex_lock(&a);
        note((unsigned)status + ++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(one_of_two, TASK("w", 3, waiter), OWNER);
