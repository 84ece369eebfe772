/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object says which mutex, and may say another one when the wait is over.
 * 1: left: its mutex is read from memory
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        device.other = round % 2 == 0 ? &a : &b;
        takt_semaphore_wait(&go);
        takt_mutex_lock(device.other);
        note(++shared);
        takt_mutex_unlock(device.other);
    }
}

PROGRAM(pointer_in_memory, TASK("w", 3, waiter), OWNER);
