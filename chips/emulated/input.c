/* SPDX-License-Identifier: Apache-2.0 */
#include "chips/console_line.h"
#include "emulated.h"
#include "semihosting.h"

/* Option input=PATH: what the console's line brings is in that file of the host. */
int32_t takt_chip_input_open(void)
{
    const char *path = takt_chip_option_text("input");
    return path == NULL ? -1 : takt_semihosting_open(path, SEMIHOSTING_MODE_READ);
}

bool takt_chip_input_take(int32_t file, uint8_t *byte)
{
    return takt_semihosting_read(file, byte, 1) == 0;
}
