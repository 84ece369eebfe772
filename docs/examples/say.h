/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_EXAMPLES_SAY_H
#define TAKT_EXAMPLES_SAY_H

#include <stdarg.h>
#include <stdio.h>

#include "takt/board.h"

/* Prints a line on the console of the board. */
static inline void say(const char *format, ...)
{
    char line[120];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line - 1, format, values);
    va_end(values);
    line[length] = '\n';
    takt_board_console_write(line, (size_t)length + 1);
}

#endif
