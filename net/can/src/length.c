/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_length.h"

#include "base/arith.h"
#include "takt/can_parser.h"

enum {
    HEAD = 19,          /* bits of a classic frame from its start bit to its data length code */
    HEAD_EXTENDED = 39, /* of FD frames 3 more: res, BRS and ESI; less the r0 of extended classic frames */
    TAIL = 10,          /* delimiter, acknowledge slot, delimiter, end of frame */
    CRC_15 = 15,
    STUFF_COUNT = 4,
    TO_BRS = 16, /* bits of an FD frame before its bit BRS */
    TO_BRS_EXTENDED = 35
};

/* Bits up to the last bit of the data, without stuff bits. */
static unsigned head_and_data(const struct takt_can_shape *shape)
{
    unsigned head = shape->extended ? HEAD_EXTENDED : HEAD;
    unsigned more = !shape->fd ? 0 : shape->extended ? 2 : 3;
    return head + more + 8 * takt_can_bytes(shape);
}

/* Bits of stuff count and check of an FD frame: a fixed stuff bit before each 4 of them. */
static unsigned fixed_part(const struct takt_can_shape *shape)
{
    unsigned bits = STUFF_COUNT + (takt_can_bytes(shape) <= 16 ? 17 : 21);
    return bits + (bits + 3) / 4;
}

static struct takt_can_length length_of(unsigned bits, unsigned data_bits)
{
    return (struct takt_can_length){(uint16_t)(bits - data_bits), (uint16_t)data_bits};
}

struct takt_can_length takt_can_length_unstuffed(const struct takt_can_shape *shape)
{
    unsigned bits = head_and_data(shape) + TAIL + TAKT_CAN_INTERMISSION;
    if (!shape->fd) {
        return length_of(bits + CRC_15, 0);
    }
    bits += fixed_part(shape);
    unsigned slow = (shape->extended ? TO_BRS_EXTENDED : TO_BRS) + TAIL + TAKT_CAN_INTERMISSION;
    return length_of(bits, shape->brs ? bits - slow : 0);
}

struct takt_can_length takt_can_length_max(const struct takt_can_shape *shape)
{
    struct takt_can_length length = takt_can_length_unstuffed(shape);
    if (!shape->fd) {
        length.nominal_bits += (uint16_t)((head_and_data(shape) + CRC_15 - 1) / 4);
        return length;
    }
    unsigned all = (head_and_data(shape) - 2) / 4; /* none follows the last bit */
    unsigned slow = !shape->brs ? all : ((shape->extended ? TO_BRS_EXTENDED : TO_BRS) - 1) / 4;
    length.nominal_bits += (uint16_t)slow;
    length.data_bits += (uint16_t)(all - slow);
    return length;
}

struct takt_can_length takt_can_length_exact(const struct takt_can_frame *frame)
{
    struct takt_can_parser parser;
    struct takt_can_length length = {TAKT_CAN_INTERMISSION, 0};
    enum takt_can_verdict verdict = TAKT_CAN_MORE;
    takt_can_parser_start(&parser);
    while (verdict == TAKT_CAN_MORE) {
        if (takt_can_parser_is_fast(&parser)) {
            length.data_bits++;
        } else {
            length.nominal_bits++;
        }
        verdict = takt_can_parser_take(&parser, takt_can_parser_next(&parser, frame));
    }
    return length;
}

uint64_t takt_can_length_ns(struct takt_can_length length, const struct takt_can_rates *rates)
{
    return takt_can_time_ns(length.nominal_bits, length.data_bits, rates);
}

/* A time of `bits`: whole ns, and the rest over `bps`. */
static uint64_t whole_ns(uint64_t bits, uint32_t bps, uint64_t *rest)
{
    const uint64_t second_ns = 1000000000;
    uint64_t part = bits % bps * second_ns; /* below 10^16 */
    *rest = part % bps;
    return takt_add(takt_multiply(bits / bps, second_ns), part / bps);
}

uint64_t takt_can_time_ns(uint64_t nominal_bits, uint64_t data_bits, const struct takt_can_rates *rates)
{
    uint64_t nominal_rest, data_rest;
    uint64_t time_ns = whole_ns(nominal_bits, rates->nominal_bps, &nominal_rest);
    if (data_bits == 0) {
        return takt_add(time_ns, nominal_rest > 0);
    }
    time_ns = takt_add(time_ns, whole_ns(data_bits, rates->data_bps, &data_rest));
    uint64_t rests = nominal_rest * rates->data_bps + data_rest * rates->nominal_bps; /* at most 2 * 10^14 */
    return takt_add(time_ns, takt_divide_up(rests, (uint64_t)rates->nominal_bps * rates->data_bps));
}
