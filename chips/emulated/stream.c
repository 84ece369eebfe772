/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "semihosting.h"
#include "takt/board.h"

/* Option stream=PATH: the bytes for the tool go to that file of the host. No copy: a call is some 15 instructions.
 * Option pace=PATH, a FIFO: the tool answers each write there, when it wants the run to go on, or to end. */
static int32_t stream = -1; /* -1: none was asked for, or it failed */
static int32_t pace = -1;   /* -1: none was asked for */

void takt_chip_stream_open(void)
{
    const char *path = takt_chip_option_text("stream");
    const char *answers = takt_chip_option_text("pace");
    if (path != NULL) {
        stream = takt_semihosting_open(path, SEMIHOSTING_MODE_WRITE);
    }
    if (answers != NULL) {
        pace = takt_semihosting_open(answers, SEMIHOSTING_MODE_READ);
    }
}

bool takt_board_stream_write(const void *data, size_t length)
{
    if (stream >= 0 && takt_semihosting_write(stream, data, length) != 0) {
        stream = -1;
    }
    if (pace < 0) {
        return true;
    }
    uint8_t answer = 0;
    return takt_semihosting_read(pace, &answer, sizeof answer) == 0 && answer == TAKT_BOARD_PACE_ON;
}
