/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a job that is declared in the code: several tasks may run it.
 * 1: &a before }
 */
#include "tests/hints/program.h"

static void job(void *argument)
{
    (void)argument;
    takt_mutex_lock(&a);
    note(++shared);
    takt_mutex_unlock(&a);
    takt_mutex_lock(&b);
    takt_mutex_unlock(&b);
}

PROGRAM(set_job, JOB("j", 3, job, 4), OWNER);
