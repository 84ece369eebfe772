/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_length.h"

#include <stdbool.h>

#include "base/arith.h"

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

/* The end of a series of stuffed bits: its level and how many equal bits it has. */
enum { RUN = 5, DOMINANT_ONCE = 0 /* level * RUN + equal bits - 1 */ };

/* After 4 more bits, the first one highest: the end, and above it the stuff bits that were due before them. */
static const uint8_t after_four[2 * RUN][16] = {
    {0x04, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x07, 0x02, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x08},
    {0x10, 0x16, 0x00, 0x06, 0x01, 0x05, 0x00, 0x07, 0x02, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x08},
    {0x11, 0x15, 0x10, 0x17, 0x01, 0x05, 0x00, 0x07, 0x02, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x08},
    {0x12, 0x15, 0x10, 0x16, 0x11, 0x15, 0x10, 0x18, 0x02, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x08},
    {0x13, 0x15, 0x10, 0x16, 0x11, 0x15, 0x10, 0x17, 0x12, 0x15, 0x10, 0x16, 0x11, 0x15, 0x10, 0x19},
    {0x03, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x07, 0x02, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x09},
    {0x03, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x07, 0x02, 0x05, 0x00, 0x06, 0x01, 0x05, 0x11, 0x15},
    {0x03, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x07, 0x02, 0x05, 0x00, 0x06, 0x12, 0x15, 0x10, 0x16},
    {0x03, 0x05, 0x00, 0x06, 0x01, 0x05, 0x00, 0x07, 0x13, 0x15, 0x10, 0x16, 0x11, 0x15, 0x10, 0x17},
    {0x14, 0x15, 0x10, 0x16, 0x11, 0x15, 0x10, 0x17, 0x12, 0x15, 0x10, 0x16, 0x11, 0x15, 0x10, 0x18},
};

/* The check of 15 bits after 4 zeros, by its highest 4 bits. */
static const uint16_t crc_15_of[16] = {
    0x0000, 0x4599, 0x4EAB, 0x0B32, 0x58CF, 0x1D56, 0x1664, 0x53FD,
    0x7407, 0x319E, 0x3AAC, 0x7F35, 0x2CC8, 0x6951, 0x6263, 0x27FA,
};

struct series {
    unsigned end;
    unsigned stuff_bits;
    uint32_t crc_15; /* counted without the stuff bits, from 0 */
};

static void add_four(struct series *series, unsigned bits)
{
    unsigned found = after_four[series->end][bits];
    series->end = found & 15;
    series->stuff_bits += found >> 4;
    series->crc_15 = (series->crc_15 << 4 & 0x7FFF) ^ crc_15_of[(series->crc_15 >> 11 ^ bits) & 15];
}

static void add_one(struct series *series, unsigned bit)
{
    unsigned level = series->end / RUN, equal = series->end % RUN + 1;
    if (equal == RUN) {
        series->stuff_bits++;
        level ^= 1;
        equal = 1;
    }
    series->end = bit == level ? level * RUN + equal : bit * RUN;
    bool out = (series->crc_15 >> 14 & 1) != bit;
    series->crc_15 = (series->crc_15 << 1 & 0x7FFF) ^ (out ? 0x4599 : 0);
}

/* The lowest `count` bits of a word, the highest of them first. */
static void add(struct series *series, uint64_t word, unsigned count)
{
    for (; count % 4 != 0; count--) {
        add_one(series, (unsigned)(word >> (count - 1)) & 1);
    }
    struct series local = *series;
    for (; count > 0; count -= 4) {
        add_four(&local, (unsigned)(word >> (count - 4)) & 15);
    }
    *series = local;
}

/* Identifier to RTR of a standard frame, or RTR_LOW of an extended one, with SRR and IDE. */
static uint64_t identifier_bits(const struct takt_can_frame *frame, unsigned *count)
{
    bool remote = frame->shape.remote;
    if (!frame->shape.extended) {
        *count = 12;
        return (uint64_t)frame->id << 1 | remote;
    }
    *count = 32;
    return (uint64_t)(frame->id >> 18) << 21 | UINT64_C(3) << 19 | (uint64_t)(frame->id & 0x3FFFF) << 1 | remote;
}

static void add_data(struct series *series, const struct takt_can_frame *frame)
{
    struct series local = *series; /* in registers */
    for (unsigned i = 0, bytes = takt_can_bytes(&frame->shape); i < bytes; i++) {
        add_four(&local, frame->data[i] >> 4);
        add_four(&local, frame->data[i] & 15);
    }
    *series = local;
}

static unsigned classic_stuff_bits(const struct takt_can_frame *frame)
{
    struct series series = {DOMINANT_ONCE, 0, 0}; /* the start bit */
    unsigned count;
    uint64_t head = identifier_bits(frame, &count);
    add(&series, head << 6 | frame->shape.dlc, count + 6); /* IDE and r0, or r1 and r0 */
    add_data(&series, frame);
    add(&series, series.crc_15, CRC_15);
    return series.stuff_bits + (series.end % RUN == RUN - 1); /* one may follow the check */
}

struct takt_can_length takt_can_length_exact(const struct takt_can_frame *frame)
{
    const struct takt_can_shape *shape = &frame->shape;
    struct takt_can_length length = takt_can_length_unstuffed(shape);
    if (!shape->fd) {
        length.nominal_bits += (uint16_t)classic_stuff_bits(frame);
        return length;
    }
    struct series series = {DOMINANT_ONCE, 0, 0};
    unsigned count;
    uint64_t head = identifier_bits(frame, &count);
    if (!shape->extended) { /* IDE */
        head <<= 1;
        count++;
    }
    add(&series, head << 3 | 4 | shape->brs, count + 3); /* FDF, res, BRS */
    unsigned slow = series.stuff_bits;
    add(&series, (uint64_t)frame->passive << 4 | shape->dlc, 5);
    add_data(&series, frame);
    if (shape->brs) {
        length.nominal_bits += (uint16_t)slow;
        length.data_bits += (uint16_t)(series.stuff_bits - slow);
    } else {
        length.nominal_bits += (uint16_t)series.stuff_bits;
    }
    return length;
}

void takt_can_lengths_exact(const struct takt_can_frame *frames, uint32_t count, struct takt_can_length *lengths)
{
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = takt_can_length_exact(&frames[i]);
    }
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
