/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever the branch, the mutex is the same (5.4.1: valve.open() and valve.close()).
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        if (round % 2 == 0) {
            takt_mutex_lock(&a);
            note(++shared);
        } else {
            takt_mutex_lock(&(a));
            note(shared += 2);
        }
        takt_mutex_unlock(&a);
    }
}

PROGRAM(both_branches, TASK("w", 3, waiter), OWNER);
