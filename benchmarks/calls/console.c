/* SPDX-License-Identifier: Apache-2.0 */
/* The console's input: the pipe that a declaration with [console] has. */
#include "takt/console.h"
#include "calls.h"

extern struct takt_pipe console_input;
static uint8_t storage[MESSAGE];
TAKT_PIPE_DEFINE(console_input, 1, storage, sizeof storage);

static void typed_setup(void)
{
    struct takt_pipe_count count = {.size = MESSAGE, .least = MESSAGE};
    takt_pipe_init(&console_input, 1, storage, sizeof storage);
    (void)!takt_pipe_try_write(&console_input, sent, &count);
}

static void silent_setup(void)
{
    takt_pipe_init(&console_input, 1, storage, sizeof storage);
}

CALL(console_read, takt_console_read(got, MESSAGE))
CALL(console_lost, takt_console_lost())

static const struct scenario console[] = {
    {"takt_console_read", "eight bytes came", RETURNS, MESSAGE, 0, console_read, typed_setup},
    {"takt_console_read", "none came", RETURNS, 0, 0, console_read, silent_setup},
    {"takt_console_lost", "", RETURNS, 0, 0, console_lost},
};

void measure_console(void)
{
    MEASURE(console);
}
