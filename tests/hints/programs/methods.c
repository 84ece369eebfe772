/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects with a mutex each; the lock is two calls deep, and the wait in a method of another one.
 * 1: &device.lock before takt_semaphore_wait(&go);
 */
#include "tests/hints/program.h"

static void enter(struct device *self)
{
    note(1);
    takt_mutex_lock(&self->lock);
}

static unsigned device_read(struct device *self)
{
    enter(self);
    unsigned value = ++self->value;
    takt_mutex_unlock(&self->lock);
    return value;
}

static void event_wait(void)
{
    takt_semaphore_wait(&go);
}

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        event_wait();
        note(device_read(&device));
    }
}

PROGRAM(methods, TASK("w", 3, waiter), OWNER);
