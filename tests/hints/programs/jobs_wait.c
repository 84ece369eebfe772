/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job that waits in its middle, and locks at its beginning and its end.
 * 1: &b before takt_semaphore_wait(&go);
 * 2: &a before }
 */
#include "tests/hints/program.h"

static void job(void *argument)
{
    (void)argument;
    takt_mutex_lock(&a);
    note(++shared);
    takt_mutex_unlock(&a);
    takt_semaphore_wait(&go);
    takt_mutex_lock(&b);
    takt_mutex_unlock(&b);
}

PROGRAM(jobs_wait, JOB("j", 3, job, 4), OWNER);
