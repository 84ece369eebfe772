/* SPDX-License-Identifier: Apache-2.0 */
/* What the interrupt of the console's input does. */
#include "takt/board.h"
#include "takt/console.h"
#include "takt/pipe.h"

extern struct takt_pipe console_input; /* generated */

static uint32_t lost; /* one word: only the interrupt writes it */

uint32_t takt_console_lost(void)
{
    return *(volatile uint32_t *)&lost;
}

void takt_console_receive(void)
{
    uint8_t byte;
    if (takt_board_console_take(&byte)) {
        struct takt_pipe_count count = {.size = 1, .least = 1};
        if (takt_pipe_try_write(&console_input, &byte, &count) != TAKT_OK) {
            lost++;
        }
    }
}
