/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the pointer is null nothing is locked, but a fault raised: its field has no address before that is known.
 * 1: left: `&self->lock` may not be locked
 */
#include "tests/hints/program.h"

static void serve(struct device *self)
{
    for (;;) {
        takt_semaphore_wait(&go);
        if (self == NULL) {
            takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);
        }
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

PROGRAM(pointer_perhaps_null, TASK("w", 3, waiter), OWNER);
