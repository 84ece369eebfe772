/* SPDX-License-Identifier: Apache-2.0 */
/* What codecs/check.c needs of a board, on the machine that builds it. */
#include <stdio.h>
#include <stdlib.h>

#include "takt/board.h"

void takt_board_init(void)
{
}

bool takt_board_option(const char *name, uint64_t *value)
{
    (void)name;
    (void)value;
    return false;
}

void takt_board_console_write(const char *text, size_t length)
{
    (void)fwrite(text, 1, length, stdout);
}

_Noreturn void takt_board_exit(int status)
{
    exit(status);
}
