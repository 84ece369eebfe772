/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

#include "takt/board.h"
#include "takt/console.h"

/* Writes what has come, as it is. */
void echo_step(void *argument)
{
    (void)argument;
    char text[8];
    for (size_t length = takt_console_read(text, sizeof text); length > 0;
         length = takt_console_read(text, sizeof text)) {
        takt_board_console_write(text, length);
    }
}
