/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "semihosting.h"
#include "takt/board.h"

/* Option pace=PATH, a FIFO: there the tool answers each write of the stream, when it wants the run to go on, or to end.
 * Opened here, at the first answer, so that images without the harness stay as they are. */
bool takt_board_goes_on(void)
{
    static int32_t pace = -1;
    static bool opened;
    if (!opened) {
        const char *path = takt_chip_option_text("pace");
        opened = true;
        pace = path != NULL ? takt_semihosting_open(path, SEMIHOSTING_MODE_READ) : -1;
    }
    if (pace < 0) {
        return true;
    }
    uint8_t answer = 0;
    return takt_semihosting_read(pace, &answer, sizeof answer) == 0 && answer == TAKT_BOARD_PACE_ON;
}
