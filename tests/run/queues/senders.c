/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

enum { ALARMS = 1, ORDERS = 2 };

void control_step(void *argument)
{
    (void)argument;
    static uint32_t number;
    for (unsigned count = 0; count < ALARMS; count++) {
        number++;
        (void)!takt_priority_mailbox_try_send_urgent(&urgent, &number);
    }
}

void logger_step(void *argument)
{
    (void)argument;
    for (uint32_t count = 0; count < ORDERS; count++) {
        uint32_t word = UINT32_MAX - count;
        uint64_t order = count;
        (void)!takt_priority_mailbox_try_send(&urgent, &word, 1 + count);
        (void)!takt_mailbox_try_send(&orders, &order);
    }
}
