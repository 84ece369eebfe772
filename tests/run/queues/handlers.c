/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

/* A job for each message, so one is there. It runs unlocked: it may call the kernel. */
void handle(void *argument)
{
    (void)argument;
    uint32_t word = 0;
    enum takt_status status = takt_priority_mailbox_try_receive(&urgent, &word);
    TAKT_ASSERT(status == TAKT_OK ? word != 0 : status == TAKT_BUSY);
}

void keep(void *argument)
{
    (void)argument;
    static uint64_t next;
    uint64_t order;
    enum takt_status status = takt_mailbox_try_receive(&orders, &order);
    TAKT_ASSERT(status == TAKT_OK && order == next % 2);
    next++;
}
