/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

enum { RECEIVED = 1, SENT = 2, FAILED = 4 };
static TAKT_EVENTS_DEFINE(line, 5);

/* Waits for the end of both directions, or for 50 ms. */
void events_example(void *argument)
{
    (void)argument;
    struct takt_events_wanted wanted = {.flags = RECEIVED | SENT, .mode = TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR};
    if (takt_events_wait_until(&line, &wanted, takt_now() + TAKT_MS(50)) == TAKT_OK) {
        say("events: got %#x, left %#x", (unsigned)wanted.flags, (unsigned)takt_events_get(&line));
    }
}

void events_other(void *argument)
{
    (void)argument;
    takt_events_set(&line, SENT);
    say("events: one direction is ready");
    takt_events_set(&line, RECEIVED | FAILED);
}
