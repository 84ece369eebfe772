/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function that waits is called through a pointer: what follows is not known.
 * 1: left: the callers of `waits` are unknown: its address is taken at called_by_pointer.c
 */
#include "tests/hints/program.h"

static void waits(void)
{
    takt_semaphore_wait(&go);
}

static void (*const volatile step)(void) = waits;

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        step();
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(called_by_pointer, TASK("w", 3, waiter), OWNER);
