/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call is what a function returns; a caller of that function locks the same mutex.
 * 1: &a before return takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static enum takt_status next(void)
{
    return takt_semaphore_wait(&go);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        (void)next();
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
        if (next() == TAKT_OK) {
            note(5);
        }
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(returned, TASK("w", 3, waiter), OWNER);
