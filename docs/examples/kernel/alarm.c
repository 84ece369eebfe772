/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static unsigned calls;

/* In the timer interrupt, every 10 ms. */
static void tick(struct takt_alarm *alarm)
{
    if (++calls == 3) {
        (void)takt_alarm_stop(alarm);
    }
}

static TAKT_ALARM_DEFINE(ticks, 1, tick, TAKT_MS(10));

void alarm_example(void *argument)
{
    (void)argument;
    if (takt_alarm_start(&ticks, takt_now() + TAKT_MS(10)) == TAKT_OK) {
        takt_delay(TAKT_MS(50));
        say("alarm: %u calls, stopped: %s", calls, takt_alarm_remaining_ns(&ticks) == TAKT_FOREVER ? "yes" : "no");
    }
}
