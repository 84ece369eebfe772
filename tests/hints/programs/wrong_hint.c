/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hint of another mutex is reported, and stays.
 * 1: wrong: `&a` comes next
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_hint_next(&b);
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(wrong_hint, TASK("w", 3, waiter), OWNER);
