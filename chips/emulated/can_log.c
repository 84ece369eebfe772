/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "semihosting.h"
#include "takt/board.h"

/* Options can0=PATH and can1=PATH, opened at the first line. */
void takt_board_can_log(unsigned index, const char *text, size_t length)
{
    static int32_t logs[TAKT_BOARD_CAN_MAX];
    static bool opened[TAKT_BOARD_CAN_MAX];
    if (!opened[index]) {
        const char *path = takt_chip_option_text(index == 0 ? "can0" : "can1");
        opened[index] = true;
        logs[index] = path != NULL ? takt_semihosting_open(path, SEMIHOSTING_MODE_WRITE) : -1;
    }
    if (logs[index] >= 0 && takt_semihosting_write(logs[index], text, length) != 0) {
        logs[index] = -1;
    }
}
