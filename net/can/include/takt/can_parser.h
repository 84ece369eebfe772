/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_PARSER_H
#define TAKT_CAN_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_crc.h"
#include "takt/can_frame.h"

TAKT_C_BEGIN

/*
 * The bits of a frame, one by one: which bit comes next, what a transmitter sends there, and whether the level of the
 * bus is right. Transmitters and receivers follow the bus in the same way (ISO 11898-1:2015, 10.4 and 10.5).
 *
 * Context of every call: any. Blocks: never. O(1).
 */

enum takt_can_field {
    TAKT_CAN_START = 0,
    TAKT_CAN_ID_HIGH = 1, /* 11 bits */
    TAKT_CAN_RTR = 2,     /* RTR, of FD frames RRS, of extended frames SRR */
    TAKT_CAN_IDE = 3,
    TAKT_CAN_ID_LOW = 4,   /* 18 bits of extended frames */
    TAKT_CAN_RTR_LOW = 5,  /* RTR or RRS of extended frames */
    TAKT_CAN_FDF = 6,      /* FD format; r0 or r1 of classic frames */
    TAKT_CAN_RESERVED = 7, /* r0 of extended classic frames, res of FD frames */
    TAKT_CAN_BRS = 8,
    TAKT_CAN_ESI = 9,
    TAKT_CAN_DLC = 10,
    TAKT_CAN_DATA = 11,
    TAKT_CAN_STUFF_COUNT = 12, /* 4 bits of FD frames: Gray code of the count modulo 8, and parity */
    TAKT_CAN_CRC = 13,
    TAKT_CAN_CRC_DELIMITER = 14,
    TAKT_CAN_ACK = 15,
    TAKT_CAN_ACK_DELIMITER = 16,
    TAKT_CAN_END = 17, /* 7 bits */
    TAKT_CAN_OVER = 18 /* there is no next bit */
};

/* Fields may be read; only the calls below write them. */
struct takt_can_parser {
    struct takt_can_frame frame; /* what is known of it so far: all of it from the delimiter of the check on */
    enum takt_can_field field;   /* of the next bit that is no stuff bit */
    uint16_t left;               /* bits of that field that are still to come */
    uint16_t word;               /* bits of a short field so far */
    uint16_t stuff_bits;         /* dynamic ones so far */
    uint8_t run;                 /* equal bits at the end, at most 5; 0 after a bit that is not stuffed */
    uint8_t fixed;               /* bits up to the next fixed stuff bit */
    bool last;                   /* level of the last bit */
    bool wrong;                  /* check or stuff count differ from those of the bits: no acknowledgement is due */
    bool acknowledged;           /* the acknowledge slot was dominant */
    enum takt_can_crc check;     /* of the frame, from its stuff count or check on */
    uint32_t crcs[TAKT_CAN_CRCS];
};

/* Starts before the start bit of a frame. */
void takt_can_parser_start(struct takt_can_parser *parser);

/* Whether the next bit is a stuff bit, dynamic or fixed. */
bool takt_can_parser_is_stuff(const struct takt_can_parser *parser);

/*
 * Whether the next bit takes part in the arbitration: a recessive bit that is read as dominant loses it, and is no
 * error. A stuff bit does not take part in it.
 */
bool takt_can_parser_is_arbitration(const struct takt_can_parser *parser);

/*
 * Whether the next bit begins at the data bit rate. The bit BRS begins at the nominal rate, and ends at the data rate
 * from its sample point on; the delimiter of the check begins at the data rate and ends at the nominal one.
 */
bool takt_can_parser_is_fast(const struct takt_can_parser *parser);

/*
 * The level that the transmitter of a valid `frame` sends next, if the bits so far were those of this frame. The
 * acknowledge slot is recessive. Not after the end of the frame.
 */
bool takt_can_parser_next(const struct takt_can_parser *parser, const struct takt_can_frame *frame);

/*
 * Takes the next bit of the bus. After another verdict than MORE only takt_can_parser_start may follow. Of the last bit
 * the level is not checked: dominant, it is an error to the transmitter alone.
 */
enum takt_can_verdict takt_can_parser_take(struct takt_can_parser *parser, bool level);

TAKT_C_END

#endif
