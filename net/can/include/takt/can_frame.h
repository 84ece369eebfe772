/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_FRAME_H
#define TAKT_CAN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Frames of CAN (ISO 11898-1:2015): classic data and remote frames and FD data frames, with identifiers of 11 or 29
 * bits; and their bits on the bus. A bit is dominant (false, 0) or recessive (true, 1), and the bus is dominant as soon
 * as one node sends dominant. CAN XL is not there.
 *
 * Context of every call: any. Blocks: never.
 */

enum {
    TAKT_CAN_DATA_MAX = 64,  /* bytes of an FD frame; 8 of a classic frame */
    TAKT_CAN_DLC_MAX = 15,   /* data length code */
    TAKT_CAN_BITS_MAX = 732, /* of the longest frame: extended FD with 64 bytes and 137 dynamic stuff bits */
    TAKT_CAN_ID_MAX = 0x7FF,
    TAKT_CAN_ID_EXTENDED_MAX = 0x1FFFFFFF
};

/* What the length of a frame depends on, apart from its stuff bits. */
struct takt_can_shape {
    bool extended; /* identifier of 29 bits */
    bool remote;   /* classic only: a request, without data */
    bool fd;
    bool brs;    /* FD only: its middle part at the data bit rate */
    uint8_t dlc; /* 0 .. TAKT_CAN_DLC_MAX; above 8: 8 bytes of a classic frame, 12 to 64 bytes of an FD frame */
};

struct takt_can_frame {
    struct takt_can_shape shape;
    bool passive; /* FD only, ESI: its sender is error-passive */
    uint32_t id;  /* at most TAKT_CAN_ID_MAX, or TAKT_CAN_ID_EXTENDED_MAX if extended */
    uint8_t data[TAKT_CAN_DATA_MAX];
};

/* How the bits of a frame go on or end. */
enum takt_can_verdict {
    TAKT_CAN_MORE = 0,        /* the frame goes on */
    TAKT_CAN_COMPLETE = 1,    /* its last bit was right */
    TAKT_CAN_STUFF_ERROR = 2, /* six equal bits where stuff bits are due */
    TAKT_CAN_FORM_ERROR = 3,  /* a bit of fixed level, a fixed stuff bit of FD among them, has the other one */
    TAKT_CAN_CRC_ERROR = 4    /* check or stuff count are wrong: found after the acknowledge delimiter */
};

/* Whether a frame may have this shape. O(1). */
bool takt_can_shape_is_valid(const struct takt_can_shape *shape);

/* Bytes of data of a valid shape. O(1). */
unsigned takt_can_bytes(const struct takt_can_shape *shape);

/* The least data length code of a frame that holds `bytes`, at most 8, or 64 with `fd`. O(1). */
uint8_t takt_can_dlc(unsigned bytes, bool fd);

/*
 * Whether the frame is valid: its shape is, its identifier is in its range, and `passive` is false unless it is an FD
 * frame. O(1).
 */
bool takt_can_frame_is_valid(const struct takt_can_frame *frame);

/*
 * Whether two valid frames are the same on the bus: bytes behind their data are not compared. O(bytes).
 */
bool takt_can_frame_equals(const struct takt_can_frame *a, const struct takt_can_frame *b);

/*
 * Order of arbitration among frames that begin at the same time: negative if `a` wins, positive if `b` does, 0 if they
 * have the same bits up to the end of the arbitration, after which both go on and one of them sees a bit error unless
 * they are equal. Lower identifiers win; a standard frame wins against an extended one with the same first 11 bits, and
 * a data frame against a remote frame. Both are valid. O(1).
 */
int takt_can_frame_compare(const struct takt_can_frame *a, const struct takt_can_frame *b);

/* The bits of the arbitration of a valid frame as a number of 32 bits, the first one highest: identifier, RTR or SRR,
 * IDE, and of extended frames the rest of it. The least one wins. O(1). */
uint64_t takt_can_frame_arbitration(const struct takt_can_frame *frame);

/*
 * Writes the bits of a valid frame from its start bit to the last bit of its end of frame, stuff bits included, a byte
 * for each (0 or 1), and returns how many there are. `acknowledged`: the acknowledge slot is dominant. O(bits).
 */
unsigned takt_can_frame_encode(const struct takt_can_frame *frame, bool acknowledged, uint8_t bits[TAKT_CAN_BITS_MAX]);

struct takt_can_decoded {
    enum takt_can_verdict verdict; /* MORE: the bits ended before the frame did */
    unsigned bits;                 /* how many were read: up to the end of the frame, or to the bit with the error */
    bool acknowledged;             /* of a complete frame: its acknowledge slot was dominant */
};

/*
 * Reads a frame from its bits, from the start bit on, as a receiver does: `frame` is valid if the verdict is COMPLETE,
 * and undefined otherwise. The last bit of the end of frame may have either level. O(bits).
 */
struct takt_can_decoded takt_can_frame_decode(const uint8_t *bits, size_t count, struct takt_can_frame *frame);

TAKT_C_END

#endif
