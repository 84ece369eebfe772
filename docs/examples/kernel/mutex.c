/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static TAKT_MUTEX_DEFINE(bus, 1);

/* Owns the bus for 10 ms. */
void mutex_example(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&bus) != TAKT_OK) {
        return;
    }
    takt_delay(TAKT_MS(10));
    say("mutex: the first task unlocks");
    takt_mutex_unlock(&bus);
}

/* Comes meanwhile; it does not wait for longer than 20 ms. */
void mutex_other(void *argument)
{
    (void)argument;
    if (takt_mutex_lock_until(&bus, takt_now() + TAKT_MS(20)) == TAKT_TIMEOUT) {
        say("mutex: the other task gave up");
        return;
    }
    say("mutex: the other task owns it");
    takt_mutex_unlock(&bus);
}
