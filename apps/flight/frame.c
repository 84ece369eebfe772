/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <assert.h>
#include <string.h>

enum { SYNC_FIRST = 0xA5, SYNC_SECOND = 0x5A };

/* A whole byte a turn without a table: the polynomial's three taps (12, 5, 0) applied to the byte and its upper half.
 */
uint16_t frame_crc(const uint8_t *data, size_t length)
{
    uint16_t crc = 0xFFFF;

    for (size_t i = 0; i < length; i++) {
        unsigned mixed = (unsigned)(crc >> 8) ^ data[i];
        mixed ^= mixed >> 4;
        crc = (uint16_t)((unsigned)(crc << 8) ^ (mixed << 12) ^ (mixed << 5) ^ mixed);
    }
    return crc;
}

uint8_t frame_payload_length(uint8_t type)
{
    switch (type) {
    case FRAME_ATTITUDE:
        return 22;
    case FRAME_POSITION:
        return 22;
    case FRAME_FEEDBACK:
        return 12;
    case FRAME_COMMAND:
        return 16;
    case FRAME_ROTORS:
        return 12;
    case FRAME_ACKNOWLEDGE:
        return 4;
    case FRAME_STATUS:
        return 32;
    default:
        return 0;
    }
}

size_t frame_encode(const struct frame *frame, uint8_t *out)
{
    assert(frame->length != 0 && frame->length == frame_payload_length(frame->type));

    out[0] = SYNC_FIRST;
    out[1] = SYNC_SECOND;
    out[2] = frame->type;
    out[3] = frame->length;
    out[4] = frame->sequence;
    memcpy(out + FRAME_HEADER_SIZE, frame->payload, frame->length);

    const size_t end = (size_t)FRAME_HEADER_SIZE + frame->length;
    const uint16_t crc = frame_crc(out + 2, end - 2);
    out[end] = (uint8_t)crc;
    out[end + 1] = (uint8_t)(crc >> 8);
    return end + FRAME_CRC_SIZE;
}

void frame_parser_init(struct frame_parser *parser)
{
    *parser = (struct frame_parser){0};
}

void frame_parser_push(struct frame_parser *parser, uint8_t byte)
{
    assert(parser->used < FRAME_SIZE_MAX);
    parser->buffer[parser->used++] = byte;
}

static void drop(struct frame_parser *parser, size_t count)
{
    parser->used -= count;
    memmove(parser->buffer, parser->buffer + count, parser->used);
}

enum verdict { NEED_MORE, NO_SYNC, BAD_LENGTH, BAD_CRC, GOOD };

/* Judges the bytes at the front of the buffer as early as they can be judged. */
static enum verdict judge(const uint8_t *buffer, size_t used)
{
    if ((used >= 1 && buffer[0] != SYNC_FIRST) || (used >= 2 && buffer[1] != SYNC_SECOND)) {
        return NO_SYNC;
    }
    if (used < 4) {
        return NEED_MORE;
    }

    const size_t length = frame_payload_length(buffer[2]);
    if (length == 0 || length != buffer[3]) {
        return BAD_LENGTH;
    }

    const size_t end = FRAME_HEADER_SIZE + length;
    if (used < end + FRAME_CRC_SIZE) {
        return NEED_MORE;
    }
    const uint16_t crc = (uint16_t)(buffer[end] | (buffer[end + 1] << 8));
    return frame_crc(buffer + 2, end - 2) == crc ? GOOD : BAD_CRC;
}

static void take(struct frame_parser *parser, struct frame *frame)
{
    const uint8_t *buffer = parser->buffer;

    frame->type = buffer[2];
    frame->length = buffer[3];
    frame->sequence = buffer[4];
    memcpy(frame->payload, buffer + FRAME_HEADER_SIZE, frame->length);
    parser->counts.frames++;
    drop(parser, (size_t)FRAME_HEADER_SIZE + frame->length + FRAME_CRC_SIZE);
}

/* Throws the first byte away and everything up to the next one that may start a frame. */
static void resynchronise(struct frame_parser *parser)
{
    size_t skipped = 1;

    while (skipped < parser->used && parser->buffer[skipped] != SYNC_FIRST) {
        skipped++;
    }
    parser->counts.resync_bytes += (uint32_t)skipped;
    drop(parser, skipped);
}

bool frame_parser_next(struct frame_parser *parser, struct frame *frame)
{
    while (parser->used > 0) {
        const enum verdict verdict = judge(parser->buffer, parser->used);

        if (verdict == NEED_MORE) {
            return false;
        }
        if (verdict == GOOD) {
            take(parser, frame);
            return true;
        }
        parser->counts.bad_crc += verdict == BAD_CRC;
        parser->counts.bad_length += verdict == BAD_LENGTH;
        resynchronise(parser);
    }
    return false;
}
