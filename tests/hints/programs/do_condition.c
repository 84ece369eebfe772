/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call in the condition of a do, after each round.
 * 1: &a in } while ((takt_hint_next(&a), takt_semaphore_wait(&go)) == TAKT_OK);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    do {
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    } while (takt_semaphore_wait(&go) == TAKT_OK);
}

PROGRAM(do_condition, TASK("w", 3, waiter), OWNER);
