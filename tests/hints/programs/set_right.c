/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints of sets that are right, in the wrong order, or wrong.
 * 1: kept: &a, &b
 * 2: kept: not every path locks these mutexes in this order
 * 3: wrong: `&a` comes next
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_hint_next_set(TAKT_HINT_SET(&a, &b));
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        takt_mutex_lock(&locks[0]);
        takt_mutex_lock(&b);
        note(++shared);
        takt_mutex_unlock(&b);
        takt_mutex_unlock(&locks[0]);
        takt_mutex_unlock(&a);
        takt_hint_next_set(TAKT_HINT_SET(&a, &b, &locks[0]));
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        takt_mutex_lock(&locks[0]);
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
        takt_mutex_unlock(&locks[0]);
        takt_mutex_unlock(&a);
        takt_hint_next_set(TAKT_HINT_SET(&b, &a));
        takt_semaphore_wait(&go);
        takt_mutex_lock(&a);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(set_right, TASK("w", 3, waiter), OWNER);
