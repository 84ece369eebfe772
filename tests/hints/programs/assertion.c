/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An assertion of the C library between the call and the lock: if it fails no lock follows, but nothing else either.
 * 1: &a before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

#include <assert.h>

static void waiter(void *argument)
{
    (void)argument;
    for (unsigned round = 0;; round++) {
        takt_semaphore_wait(&go);
        assert(round < 1000);
        takt_mutex_lock(&a);
        note(++shared);
        takt_mutex_unlock(&a);
    }
}

PROGRAM(assertion, TASK("w", 3, waiter), OWNER);
