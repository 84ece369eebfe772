/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"
#include "semihosting.h"
#include "takt/board.h"

/* Option stream=PATH: the bytes for the tool go to that file of the host. No copy: a call is some 15 instructions. */
static int32_t stream = -1; /* -1: none was asked for, or it failed */

void takt_chip_stream_open(void)
{
    const char *path = takt_chip_option_text("stream");
    if (path != NULL) {
        stream = takt_semihosting_open(path, SEMIHOSTING_MODE_WRITE);
    }
}

void takt_board_stream_write(const void *data, size_t length)
{
    if (stream >= 0 && takt_semihosting_write(stream, data, length) != 0) {
        stream = -1;
    }
}
