/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body has no braces, and a directive is before it.
 * 1: left: its statement has no braces, and the text before it cannot be parsed
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
#if TAKT_TRACE
        if (round % 2 == 0)
#else
        if (round % 2 == 1)
#endif
            takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(directive, TASK("w", 3, waiter), OWNER);
