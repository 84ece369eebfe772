/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another task may end the wait, so that it can fail; then no lock follows.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 * 2: left: the job ends before any lock
 */
#include "tests/hints/program.h"

static struct takt_task *waits;

static void waiter(void *argument)
{
    (void)argument;
    waits = takt_task_running();
    for (;;) {
        if (takt_semaphore_wait(&go) != TAKT_OK) {
            continue;
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

static void canceller(void *argument)
{
    (void)argument;
    takt_delay(TAKT_MS(90));
    (void)!takt_task_cancel(waits);
}

PROGRAM(may_be_cancelled, TASK("w", 3, waiter), TASK("f", 2, canceller), OWNER);
