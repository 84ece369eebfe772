/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Somebody flushes the semaphore, so that the wait can fail; then no lock follows.
 * 1: left: but on another path takt_semaphore_wait blocks again before any lock
 * 2: left: the job ends before any lock
 */
#include "tests/hints/program.h"

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        if (takt_semaphore_wait(&go) != TAKT_OK) {
            continue;
        }
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

static void flusher(void *argument)
{
    (void)argument;
    takt_delay(TAKT_MS(90));
    takt_semaphore_flush(&go);
}

PROGRAM(may_fail, TASK("w", 3, waiter), TASK("f", 2, flusher), OWNER);
