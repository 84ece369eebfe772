/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_CRC_H
#define TAKT_CAN_CRC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Cyclic redundancy checks of CAN, bit by bit (ISO 11898-1:2015, 10.4.2.6). A classic frame has that of 15 bits, over
 * its bits without stuff bits. An FD frame has that of 17 bits for up to 16 bytes of data, else that of 21 bits, over
 * its bits with dynamic stuff bits and the stuff count, without fixed stuff bits.
 *
 * Context of every call: any. Blocks: never. O(1).
 */

enum takt_can_crc { TAKT_CAN_CRC_15 = 0, TAKT_CAN_CRC_17 = 1, TAKT_CAN_CRC_21 = 2, TAKT_CAN_CRCS = 3 };

/* Bits of the check: 15, 17 or 21. */
unsigned takt_can_crc_width(enum takt_can_crc crc);

/* The value before the first bit: 0 of 15 bits; of the others their highest bit alone (not so in FD before 2015). */
uint32_t takt_can_crc_start(enum takt_can_crc crc);

/* The value after one more bit. `value` has no more bits than the check. */
uint32_t takt_can_crc_add(enum takt_can_crc crc, uint32_t value, bool bit);

TAKT_C_END

#endif
