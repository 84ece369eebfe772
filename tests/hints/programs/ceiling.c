/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mutex with a ceiling needs no hint.
 * 1: left: takt_ceiling_lock blocks again before any lock
 * 2: left: a wait for a mutex heeds no hint
 */
#include "tests/hints/program.h"

static TAKT_CEILING_DEFINE(roof, 20, 2, 0);

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_ceiling_lock(&roof);
        note(++shared);
        takt_ceiling_unlock(&roof);
    }
}

PROGRAM(ceiling, TASK("w", 3, waiter), OWNER);
