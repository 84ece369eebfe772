/* SPDX-License-Identifier: Apache-2.0 */
#include "heater.h"
#include "takt_app.h"

/* What the demonstration has in place of a line: a command every 400 ms. */
static const char line[] = "450;600;";
enum { BYTES_APART = 50 };
static uint32_t ticks;

void serial_handler(void)
{
    uint32_t byte = (uint8_t)line[ticks / BYTES_APART % (sizeof line - 1)];
    if (ticks++ % BYTES_APART == 0 && received_try_send(&byte) != TAKT_OK) { /* tx_queue_send(..., TX_NO_WAIT) */
        takt_log_error("a byte is lost");
    }
}

void parser_step(void *argument)
{
    static int32_t number;
    (void)argument;
    uint32_t byte;
    if (received_try_receive(&byte) != TAKT_OK) {
        return;
    }
    if (byte != ';') {
        number = number * 10 + (int32_t)(byte - '0');
        return;
    }
    struct command command = {.target = number};
    number = 0;
    if (commands_try_send(&command) != TAKT_OK) { /* no block was free, or the queue was full */
        takt_log_error("a command is lost");
    }
}
