/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call is an argument of a macro, which may evaluate it in its own way.
 * 1: left: it is in a macro
 */
#include "tests/hints/program.h"

#define REQUIRE(call)            \
    do {                         \
        if ((call) != TAKT_OK) { \
            return;              \
        }                        \
    } while (0)

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        REQUIRE(takt_semaphore_wait(&go));
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(macro_argument, TASK("w", 3, waiter), OWNER);
