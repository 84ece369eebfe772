/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how many positions the task in Rust sent, and the last one. */
#include <stdio.h>

#include "takt/board.h"
#include "takt_app.h"

void report_step(void *argument)
{
    (void)argument;
    int32_t position = 0;
    unsigned count = 0;
    while (positions_try_receive(&position) == TAKT_OK) {
        count++;
    }
    char text[48];
    int length = snprintf(text, sizeof text, "%u positions, the last %d\n", count, (int)position);
    takt_board_console_write(text, (size_t)length);
}
