/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hint would read a variable that the declaration of the call makes.
 * 1: left: `mine` changes before the lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        enum takt_status status = takt_semaphore_wait(&go);
        struct takt_mutex *mine = status == TAKT_OK ? &a : &b;
        takt_mutex_lock(mine);
        note(++shared);
        takt_mutex_unlock(mine);
    }
}

PROGRAM(self_reference, TASK("w", 3, waiter), OWNER);
