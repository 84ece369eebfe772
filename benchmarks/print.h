/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCHMARKS_PRINT_H
#define BENCHMARKS_PRINT_H

/* What programs that measure say on the console of their board: text, and numbers in decimal. */
#include "takt/board.h"

#include <stdint.h>
#include <string.h>

static inline void print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

/* `before`, then the number. */
static inline void print_number(const char *before, uint64_t value)
{
    char digits[20];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0);
    print(before);
    takt_board_console_write(digits + first, sizeof digits - first);
}

#endif
