/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything in one line.
 * 1: &a in if (round % 2 == 0) {
 * 2: &b in takt_mutex_unlock(&a); takt_hint_next(&b); takt_semaphore_wait(&more);
 */
#include "tests/hints/program.h"

/* clang-format off */
static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % 2 == 0) takt_semaphore_wait(&go);
        takt_mutex_lock(&a); note(++shared);
        takt_mutex_unlock(&a); takt_semaphore_wait(&more);
        takt_mutex_lock(&b); takt_mutex_unlock(&b);
    }
}
/* clang-format on */

PROGRAM(same_line, TASK("w", 3, waiter), OWNER);
