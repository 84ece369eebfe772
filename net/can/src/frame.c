/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_frame.h"

#include "takt/can_parser.h"

static const uint8_t bytes_of_dlc[TAKT_CAN_DLC_MAX + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64};

bool takt_can_shape_is_valid(const struct takt_can_shape *shape)
{
    return shape->dlc <= TAKT_CAN_DLC_MAX && (shape->fd ? !shape->remote : !shape->brs);
}

unsigned takt_can_bytes(const struct takt_can_shape *shape)
{
    if (shape->remote) {
        return 0;
    }
    return !shape->fd && shape->dlc > 8 ? 8 : bytes_of_dlc[shape->dlc];
}

uint8_t takt_can_dlc(unsigned bytes, bool fd)
{
    uint8_t dlc = 0;
    while (dlc < (fd ? TAKT_CAN_DLC_MAX : 8) && bytes_of_dlc[dlc] < bytes) {
        dlc++;
    }
    return dlc;
}

bool takt_can_frame_is_valid(const struct takt_can_frame *frame)
{
    uint32_t id_max = frame->shape.extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
    return takt_can_shape_is_valid(&frame->shape) && frame->id <= id_max && (frame->shape.fd || !frame->passive);
}

bool takt_can_frame_equals(const struct takt_can_frame *a, const struct takt_can_frame *b)
{
    if (a->shape.extended != b->shape.extended || a->shape.remote != b->shape.remote || a->shape.fd != b->shape.fd ||
        a->shape.brs != b->shape.brs || a->shape.dlc != b->shape.dlc || a->passive != b->passive || a->id != b->id) {
        return false;
    }
    for (unsigned i = 0; i < takt_can_bytes(&a->shape); i++) {
        if (a->data[i] != b->data[i]) {
            return false;
        }
    }
    return true;
}

uint64_t takt_can_frame_arbitration(const struct takt_can_frame *frame)
{
    uint64_t remote = frame->shape.remote;
    if (!frame->shape.extended) {
        return ((uint64_t)frame->id << 2 | remote << 1) << 19;
    }
    uint64_t high = frame->id >> 18;
    uint64_t low = frame->id & 0x3FFFF;
    return (high << 2 | 3) << 19 | low << 1 | remote;
}

int takt_can_frame_compare(const struct takt_can_frame *a, const struct takt_can_frame *b)
{
    uint64_t first = takt_can_frame_arbitration(a);
    uint64_t second = takt_can_frame_arbitration(b);
    return (first > second) - (first < second);
}

unsigned takt_can_frame_encode(const struct takt_can_frame *frame, bool acknowledged, uint8_t bits[TAKT_CAN_BITS_MAX])
{
    struct takt_can_parser parser;
    enum takt_can_verdict verdict = TAKT_CAN_MORE;
    unsigned count = 0;
    takt_can_parser_start(&parser);
    while (verdict == TAKT_CAN_MORE) {
        bool level = takt_can_parser_next(&parser, frame);
        if (acknowledged && parser.field == TAKT_CAN_ACK) {
            level = false;
        }
        bits[count++] = level;
        verdict = takt_can_parser_take(&parser, level);
    }
    return count;
}

struct takt_can_decoded takt_can_frame_decode(const uint8_t *bits, size_t count, struct takt_can_frame *frame)
{
    struct takt_can_parser parser;
    struct takt_can_decoded found = {TAKT_CAN_MORE, 0, false};
    takt_can_parser_start(&parser);
    while (found.verdict == TAKT_CAN_MORE && found.bits < count) {
        found.verdict = takt_can_parser_take(&parser, bits[found.bits++] != 0);
    }
    found.acknowledged = parser.acknowledged;
    *frame = parser.frame;
    return found;
}
