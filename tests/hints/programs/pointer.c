/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes next is called through a pointer.
 * 1: left: a call through a pointer
 */
#include "tests/hints/program.h"

static void locks_it(void)
{
    takt_mutex_lock(&a);
    note(++shared);
    takt_mutex_unlock(&a);
}

static void (*const volatile step)(void) = locks_it;

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        step();
    }
}

PROGRAM(pointer, TASK("w", 3, waiter), OWNER);
