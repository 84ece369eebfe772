/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event flags; the first wait of the sender is before no lock of its own.
 * 1: &a before takt_events_wait(&flags, &wanted);
 * 2: left: takt_delay blocks again before any lock
 */
#include "tests/hints/program.h"

static TAKT_EVENTS_DEFINE(flags, 20);

static void waiter(void *argument)
{
    (void)argument;
    for (;;) {
        struct takt_events_wanted wanted = {.flags = 1, .mode = TAKT_EVENTS_CLEAR};
        takt_events_wait(&flags, &wanted);
        takt_mutex_lock(&a);
        note(wanted.flags);
        takt_mutex_unlock(&a);
    }
}

static void sender(void *argument)
{
    (void)argument;
    for (;;) {
        takt_delay(TAKT_MS(3));
        takt_events_set(&flags, 1);
    }
}

PROGRAM(events, TASK("w", 3, waiter), TASK("s", 2, sender), OWNER);
