/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that is called once for each release: its end is the wait.
 * 1: &a before }
 */
#include "tests/hints/program.h"

static void job(void *argument)
{
    (void)argument;
    takt_mutex_lock(&a);
    note(++shared);
    takt_mutex_unlock(&a);
}

PROGRAM(jobs, JOB("j", 3, job, 4), OWNER);
