/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 5.4.1's form, written by hand: both mutexes are right, the condition is the writer's.
 * 1: kept: its condition is not checked
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        for (int i = 0; i < 3; i++) {
            takt_mutex_lock(&a);
            note(++shared);
            takt_mutex_unlock(&a);
            if (i < 3 - 1) {
                takt_hint_next(&a);
            } else {
                takt_hint_next(&b);
            }
            takt_semaphore_wait(&go);
        }
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(hint_by_hand, TASK("w", 3, waiter), OWNER);
