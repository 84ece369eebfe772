/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hint that is there and right stays; so does the one with a comma.
 * 1: kept: &a
 * 2: kept: &b
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_hint_next(&a);
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
        if ((takt_hint_next(&b), takt_semaphore_wait(&more)) == TAKT_OK) {
            takt_mutex_lock(&b);
            takt_mutex_unlock(&b);
        }
    }
}

PROGRAM(right_hint, TASK("w", 3, waiter), OWNER);
