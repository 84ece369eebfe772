/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which mutex depends on a branch.
 * 1: left: but on another path `&b` is locked at branches_differ.c
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        note(round);

        if (round % 2 == 0) {
            takt_mutex_lock(&a);
            note(++shared);
            takt_mutex_unlock(&a);
            continue;
        }
        takt_mutex_lock(&b);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(branches_differ, TASK("w", 3, waiter), OWNER);
