/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_LENGTH_H
#define TAKT_CAN_LENGTH_H

#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_frame.h"

TAKT_C_BEGIN

/*
 * Lengths of frames: the time for which a frame occupies the bus, from its start bit to the end of the intermission of
 * 3 bits, before which no other frame begins. Without the intermission it is 3 nominal bits shorter.
 *
 * The bit rate of a frame with BRS changes at the sample point of the bit BRS, and back at that of the delimiter of the
 * check. So the first one is as long as the nominal bit up to its sample point and the data bit from its sample point
 * on, and the second the other way round: both together are one nominal bit and one data bit, wherever the sample
 * points are. They are counted as that, and a length in time follows from the two counts and the two rates.
 *
 * Context of every call: any. Blocks: never.
 */

enum { TAKT_CAN_INTERMISSION = 3 };

struct takt_can_length {
    uint16_t nominal_bits; /* at the nominal bit rate: all bits without BRS */
    uint16_t data_bits;    /* at the data bit rate */
};

struct takt_can_rates {
    uint32_t nominal_bps; /* 1000 .. 10^7 */
    uint32_t data_bps;    /* nominal_bps .. 10^7; not read without data bits */
};

/* Of a valid shape, without dynamic stuff bits (fixed ones of FD frames are counted). O(1). */
struct takt_can_length takt_can_length_unstuffed(const struct takt_can_shape *shape);

/*
 * Of a valid shape, with as many dynamic stuff bits as any bits could have: one after the first 5, and after each 4
 * further ones (Davis and others 2007, equation 1, for classic frames). Of an FD frame none follows the last bit of its
 * data, since a fixed stuff bit does, and as many as possible are at the nominal rate, which is the longest at any two
 * rates. No frame of the shape is longer. O(1).
 */
struct takt_can_length takt_can_length_max(const struct takt_can_shape *shape);

/* Of a valid frame, with its own stuff bits, by tables of 4 bits. O(bytes). */
struct takt_can_length takt_can_length_exact(const struct takt_can_frame *frame);

/* The same of `count` frames. O(bytes of all). */
void takt_can_lengths_exact(const struct takt_can_frame *frames, uint32_t count, struct takt_can_length *lengths);

/* The length in ns, rounded up. O(1). */
uint64_t takt_can_length_ns(struct takt_can_length length, const struct takt_can_rates *rates);

/* The same of any number of bits; it saturates at TAKT_SATURATED (base/arith.h). */
uint64_t takt_can_time_ns(uint64_t nominal_bits, uint64_t data_bits, const struct takt_can_rates *rates);

TAKT_C_END

#endif
