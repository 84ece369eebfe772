/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

static _Alignas(8) uint8_t memory[TAKT_PRIORITY_MAILBOX_BYTES(sizeof(int), 4)];
static TAKT_PRIORITY_MAILBOX_DEFINE(orders, 2, memory, sizeof(int), 4, NULL);

void priority_mailbox_example(void *argument)
{
    (void)argument;
    int order = 10;
    if (takt_priority_mailbox_send(&orders, &order, 5) != TAKT_OK) {
        return;
    }
    order = 20;
    if (takt_priority_mailbox_try_send(&orders, &order, 0) != TAKT_OK) {
        return;
    }
    while (takt_priority_mailbox_try_receive(&orders, &order) == TAKT_OK) {
        say("priority_mailbox: order %d", order); /* priority 0 comes first */
    }
    int alarm = 7;
    (void)!takt_priority_mailbox_try_send_urgent(&alarms, &alarm); /* its handler runs now: it is above this task */
}

/* Released by each message of `alarms` (trigger = "priority_mailbox alarms"), at its own priority. */
void priority_mailbox_served(void *argument)
{
    (void)argument;
    int alarm = 0;
    if (takt_priority_mailbox_try_receive(&alarms, &alarm) == TAKT_OK) {
        say("priority_mailbox: alarm %d", alarm);
    }
}
