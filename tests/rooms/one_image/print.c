/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <string.h>

#include "takt/board.h"

static void print_value(uint64_t value)
{
    char digits[21];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    digits[--first] = ' ';
    takt_board_console_write(digits + first, sizeof digits - first);
}

void print_values(const char *name, const uint64_t *values, size_t count)
{
    takt_board_console_write(name, strlen(name));
    takt_board_console_write(":", 1);
    for (size_t i = 0; i < count; i++) {
        print_value(values[i]);
    }
    takt_board_console_write("\n", 1);
}
