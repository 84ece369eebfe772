/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A constant pointer at file scope.
 * 1: current before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static struct takt_mutex *const current = &a;

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(current);
        note(++shared);
        takt_mutex_unlock(current);
    }
}

PROGRAM(pointer_constant, TASK("w", 3, waiter), OWNER);
