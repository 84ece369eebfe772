/* SPDX-License-Identifier: Apache-2.0 */
/* guest goes through the door, which is open once at the start, and as often as porter opens it. */
#include "takt/board.h"
#include "takt_app.h"

enum { ENTRIES = 4 };

void porter_job(void *argument)
{
    (void)argument;
    if (door_open() != TAKT_OK) {
        takt_board_exit(1);
    }
}

void guest(void *argument)
{
    (void)argument;
    for (unsigned entries = 0; entries < ENTRIES; entries++) {
        if (door_enter_until(takt_now() + UINT64_C(15000000)) != TAKT_OK) {
            takt_board_exit(1);
        }
    }
    takt_board_console_write("gate: right\n", 12);
    takt_run_finish();
}
