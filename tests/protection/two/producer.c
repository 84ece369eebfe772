/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

static uint32_t count = 7;
static uint32_t ticks;

void tick_handler(void)
{
    ticks++;
}

void producer_job(void *argument)
{
    struct level now = {count, count + 1, ticks};
    (void)argument;
    level_write(&now);
    if (takt_mutex_lock(&lock) == TAKT_OK) {
        board = now;
        takt_mutex_unlock(&lock);
    }
    (void)!takt_mailbox_try_send(&numbers, &count);
    count++;
}
