/* SPDX-License-Identifier: Apache-2.0 */
#include "docs/examples/say.h"
#include "takt_app.h"

/* Options of the run, and text on the console. */
void board_example(void *argument)
{
    (void)argument;
    uint64_t seed = 0;
    static const char text[] = "board: text of its own\n";
    takt_board_console_write(text, sizeof text - 1);
    say("board: seed %u", takt_board_option("seed", &seed) ? (unsigned)seed : 0);
}
