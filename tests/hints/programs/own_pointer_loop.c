/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wait is at the end of the loop, the lock of a parameter's mutex at its beginning.
 * 1: &self->lock before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void serve(struct device *self)
{
    for (;;) {
        takt_mutex_lock(&self->lock);
        note(++self->value);
        takt_mutex_unlock(&self->lock);
        takt_semaphore_wait(&go);
    }
}

static void waiter(void *argument)
{
    (void)argument;
    serve(&device);
}

PROGRAM(own_pointer_loop, TASK("w", 3, waiter), OWNER);
