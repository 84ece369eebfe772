/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

#include "takt/board.h"

static uint32_t total;
static char text[11];

void consumer_job(void *argument)
{
    struct level now;
    uint32_t number;
    (void)argument;
    if (level_read(&now) == TAKT_OK) {
        total += sum(&now);
    }
    while (takt_mailbox_try_receive(&numbers, &number) == TAKT_OK) {
        total += number;
    }
    if (takt_mutex_lock(&lock) == TAKT_OK) {
        total += board.ticks;
        takt_mutex_unlock(&lock);
    }
    uint32_t rest = total;
    for (unsigned index = 10; index-- > 0; rest /= 10) {
        text[index] = (char)('0' + rest % 10);
    }
    text[10] = '\n';
    takt_board_console_write(text, sizeof text);
}
