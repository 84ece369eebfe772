/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of the serial link between the flight program and the aircraft: encoder and byte-wise parser.
 *
 * On the line: 0xA5 0x5A, type, length, sequence, payload, CRC-16 (low byte first). The CRC is CCITT (polynomial
 * 0x1021, start 0xFFFF) over type to payload. Every type has one length; a header with another one is not a frame. Pure
 * functions on caller-owned storage; the parser survives any input. The Python side is frames.py.
 */
#ifndef FLIGHT_FRAME_H
#define FLIGHT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAME_HEADER_SIZE = 5,
    FRAME_CRC_SIZE = 2,
    FRAME_PAYLOAD_MAX = 32,
    FRAME_SIZE_MAX = FRAME_HEADER_SIZE + FRAME_PAYLOAD_MAX + FRAME_CRC_SIZE,
};

enum frame_type {
    FRAME_ATTITUDE = 0x01,
    FRAME_POSITION = 0x02,
    FRAME_FEEDBACK = 0x03,
    FRAME_COMMAND = 0x04,
    FRAME_ROTORS = 0x11,
    FRAME_ACKNOWLEDGE = 0x12,
    FRAME_STATUS = 0x13,
};

struct frame {
    uint8_t type;
    uint8_t length;   /* of the payload */
    uint8_t sequence; /* counts per type, modulo 256 */
    uint8_t payload[FRAME_PAYLOAD_MAX];
};

struct frame_counts {
    uint32_t frames; /* complete and correct */
    uint32_t bad_crc;
    uint32_t bad_length;   /* sync bytes followed by an unknown type or the wrong length */
    uint32_t resync_bytes; /* thrown away while looking for the next frame */
};

struct frame_parser {
    uint8_t buffer[FRAME_SIZE_MAX];
    size_t used;
    struct frame_counts counts;
};

/* Payload length of `type`, 0 for a type that does not exist. */
uint8_t frame_payload_length(uint8_t type);

/* CRC-16 of `length` bytes. */
uint16_t frame_crc(const uint8_t *data, size_t length);

/* Writes the frame's bytes to `out` (room for FRAME_SIZE_MAX) and returns how many. frame->length must fit its type. */
size_t frame_encode(const struct frame *frame, uint8_t *out);

void frame_parser_init(struct frame_parser *parser);

/* Appends one byte. Call frame_parser_next until it returns false before the next push. */
void frame_parser_push(struct frame_parser *parser, uint8_t byte);

/*
 * Takes the next complete frame. After a broken one it searches the bytes behind its first, so that a good frame
 * swallowed by a broken length is still found. Every turn of its loop drops a byte or returns: <= FRAME_SIZE_MAX turns.
 */
bool frame_parser_next(struct frame_parser *parser, struct frame *frame);

#endif
