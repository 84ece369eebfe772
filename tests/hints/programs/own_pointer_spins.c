/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the wait and the lock of a parameter's mutex the task may go round for ever.
 * 1: left: `&self->lock` may not be locked
 */
#include "tests/hints/program.h"

static void serve(struct device *self)
{
    for (;;) {
        takt_semaphore_wait(&go);
        while (takt_now() == 0) {
            takt_work(TAKT_US(1));
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

PROGRAM(own_pointer_spins, TASK("w", 3, waiter), OWNER);
