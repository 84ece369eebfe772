/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A monitor: a task that waits for a signal owns the mutex when it runs again.
 * 1: left: its mutex is locked before the task runs
 * 2: &b before takt_delay(TAKT_MS(2));
 */
#include "tests/hints/program.h"

static TAKT_CONDITION_DEFINE(changed, 20);
static unsigned made, used;

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        takt_mutex_lock(&b);
        while (made == used) {
            takt_condition_wait(&changed, &b);
        }
        note(++used);
        takt_mutex_unlock(&b);
    }
}

static void maker(void *argument)
{
    (void)argument;
    for (;;) {
        takt_delay(TAKT_MS(2));
        takt_mutex_lock(&b);
        made++;
        takt_condition_signal(&changed);
        takt_mutex_unlock(&b);
    }
}

PROGRAM(condition, TASK("w", 3, waiter), TASK("m", 4, maker));
