/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that may end early, without braces.
 * 1: &b before return;
 * 2: &b before }
 */
#include "tests/hints/program.h"

static void job(void *argument)
{
    (void)argument;
    takt_mutex_lock(&b);
    unsigned now = ++shared;
    takt_mutex_unlock(&b);
    if (now % 3 == 0)
        return;
    note(now);
}

PROGRAM(jobs_return, JOB("j", 3, job, 4), OWNER);
