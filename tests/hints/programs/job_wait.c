/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task of style loop: its period ends before the lock.
 * 1: &a before takt_job_wait();
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
        takt_job_wait();
    }
}

PROGRAM(job_wait, LOOP("w", 3, waiter, 5), OWNER);
