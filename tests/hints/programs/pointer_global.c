/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A global pointer, which another task moves while this one waits.
 * 1: left: `current` is no local variable and may change while the task waits
 * 2: left: takt_delay blocks again before any lock
 */
#include "tests/hints/program.h"

static struct takt_mutex *current = &a;

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        struct takt_mutex **place = &current;
        takt_mutex_lock(current);
        struct takt_mutex *mine = *place;
        note(++shared);
        takt_mutex_unlock(mine);
    }
}

static void mover(void *argument)
{
    (void)argument;
    for (;;) {
        takt_delay(TAKT_MS(90));
        current = &b;
    }
}

PROGRAM(pointer_global, TASK("w", 3, waiter), TASK("m", 2, mover), OWNER);
