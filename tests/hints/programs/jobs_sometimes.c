/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that may lock nothing.
 * 1: left: but on another path the job ends before any lock
 */
#include "tests/hints/program.h"

static void job(void *argument)
{
    static unsigned count;
    (void)argument;
    if (count++ % 2 == 0) {
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(jobs_sometimes, JOB("j", 3, job, 4), OWNER);
