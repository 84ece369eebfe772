/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hint before a wait that no lock follows.
 * 1: wrong: takt_semaphore_wait blocks again before any lock
 * 2: kept: NULL: the code wants no hint here
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_hint_next(&a);
        takt_semaphore_wait(&go);
        takt_hint_next(NULL);
        takt_semaphore_wait(&more);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(needless_hint, TASK("w", 3, waiter), OWNER);
