/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

/* In the timer interrupt, if the task did not kick for 10 ms. */
static void expired(struct takt_watchdog *watchdog)
{
    (void)takt_watchdog_stop(watchdog);
}

static TAKT_WATCHDOG_DEFINE(watchdog, 2, TASK_watchdog, TAKT_MS(10), TAKT_WATCHDOG_NOTIFY, expired);

void watchdog_example(void *argument)
{
    (void)argument;
    if (takt_watchdog_start(&watchdog) == TAKT_OK) {
        takt_delay(TAKT_MS(8));
        takt_watchdog_kick(&watchdog);
        takt_delay(TAKT_MS(8));
        say("watchdog: kicked in time, expired %u times", (unsigned)takt_watchdog_expired(&watchdog));
        takt_delay(TAKT_MS(8));
        say("watchdog: then not, expired %u times", (unsigned)takt_watchdog_expired(&watchdog));
    }
}
