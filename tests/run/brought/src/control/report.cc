// SPDX-License-Identifier: Apache-2.0
#include "controller.hpp"

#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

namespace
{
int jobs;

void write(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

void write(int number)
{
    char digits[12];
    char *at = digits + sizeof digits;
    *--at = '\0';
    do {
        *--at = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    write(at);
}
} // namespace

void report_step(void *)
{
    if (jobs++ == 0) {
        write(GREETING "\n");
        return;
    }
    if (takt_mutex_lock(&data) != TAKT_OK) {
        return;
    }
    int steps = brought::controller().steps();
    int output = brought::controller().step(100);
    takt_mutex_unlock(&data);
    takt_log_info("%d", steps);
    takt_log_info("%d steps, output %d of %u", steps, output, 300u);
    write(steps);
    write(" steps, output ");
    write(output);
    write("\n");
}
