/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object comes as an untyped pointer: what it is where the call is, is not said there.
 * 1: left: `self` changes before the lock
 */
#include "tests/hints/program.h"

static void locks_it(void *argument)
{
    struct device *self = argument;
    takt_mutex_lock(&self->lock);
    note(++self->value);
    takt_mutex_unlock(&self->lock);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_semaphore_wait(&go);
        locks_it(&device);
    }
}

PROGRAM(converted, TASK("w", 3, waiter), OWNER);
