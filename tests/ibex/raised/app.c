/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/board.h"
#include "takt_app.h"

#define SOFTWARE (*(volatile uint32_t *)0x02000000u)
#define PENDING (*(volatile uint32_t *)0x03000000u)

static char said[] = "software 0, line 0\n";

void software_taken(void)
{
    said[9]++;
}

void line_taken(void)
{
    said[17]++;
}

/* How much less than it should a load takes, less the shortest reading of the clock: the best of some tries. */
static uint32_t short_ns(uint32_t duration_ns)
{
    uint32_t work_ns = UINT32_MAX;
    uint32_t stamps_ns = UINT32_MAX;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t before_ns = (uint32_t)takt_now();
        takt_work(duration_ns);
        uint32_t after_ns = (uint32_t)takt_now();
        uint32_t stamped_ns = (uint32_t)takt_now();
        work_ns = after_ns - before_ns < work_ns ? after_ns - before_ns : work_ns;
        stamps_ns = stamped_ns - after_ns < stamps_ns ? stamped_ns - after_ns : stamps_ns;
    }
    return duration_ns - (work_ns - stamps_ns);
}

static void print_number(uint32_t number)
{
    char text[11];
    unsigned first = sizeof text;
    text[--first] = ' ';
    do {
        text[--first] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    takt_board_console_write(text + first, sizeof text - first);
}

void raise_step(void *argument)
{
    static unsigned jobs;
    (void)argument;
    if (jobs == 0) {
        takt_board_console_write("short by ", 9);
        for (uint32_t cycles = 50; cycles < 58; cycles++) {
            print_number(short_ns(20 * cycles));
        }
        takt_board_console_write(";\n", 2);
    }
    if (jobs++ < 3) {
        SOFTWARE = 1;
        PENDING = UINT32_C(1) << 10;
    }
    if (jobs == 4) {
        takt_board_console_write(said, sizeof said - 1);
    }
}
