/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parameter that nobody changes.
 * 1: &self->lock before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void serve(struct device *self)
{
    for (;;) {
        takt_semaphore_wait(&go);
        takt_mutex_lock(&self->lock);
        note(++self->value);
        takt_mutex_unlock(&self->lock);
    }
}

static void waiter(void *argument)
{
    (void)argument;
    serve(&device);
}

PROGRAM(own_pointer, TASK("w", 3, waiter), OWNER);
