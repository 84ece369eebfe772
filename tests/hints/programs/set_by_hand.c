/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hint of a set stays, and none is put behind it.
 * 1: kept: it has a hint that takt hints cannot check
 */
#include "tests/hints/program.h"

static struct takt_mutex *const both[] = {&a, &b};
static struct takt_hint_set set = {.mutexes = both, .count = 2};

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_hint_next_set(&set);
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        takt_mutex_lock(&b);
        note(++shared);
        takt_mutex_unlock(&b);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(set_by_hand, TASK("w", 3, waiter), OWNER);
