/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_crc.h"

static const struct {
    uint32_t polynomial; /* without its highest power */
    uint32_t start;
    unsigned width;
} checks[TAKT_CAN_CRCS] = {
    {0x4599, 0, 15},
    {0x1685B, UINT32_C(1) << 16, 17},
    {0x102899, UINT32_C(1) << 20, 21},
};

unsigned takt_can_crc_width(enum takt_can_crc crc)
{
    return checks[crc].width;
}

uint32_t takt_can_crc_start(enum takt_can_crc crc)
{
    return checks[crc].start;
}

uint32_t takt_can_crc_add(enum takt_can_crc crc, uint32_t value, bool bit)
{
    unsigned highest = checks[crc].width - 1;
    bool out = (value >> highest & 1) != 0;
    uint32_t shifted = value << 1 & ((UINT32_C(1) << checks[crc].width) - 1);
    return out != bit ? shifted ^ checks[crc].polynomial : shifted;
}
