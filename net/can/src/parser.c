/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_parser.h"

enum {
    RUN = 5,             /* equal bits, after which a stuff bit follows */
    FIXED = 4,           /* bits between two fixed stuff bits */
    BYTES_OF_CRC_17 = 16 /* at most */
};

static const uint8_t widths[] = {
    [TAKT_CAN_START] = 1,         [TAKT_CAN_ID_HIGH] = 11, [TAKT_CAN_RTR] = 1,           [TAKT_CAN_IDE] = 1,
    [TAKT_CAN_ID_LOW] = 18,       [TAKT_CAN_RTR_LOW] = 1,  [TAKT_CAN_FDF] = 1,           [TAKT_CAN_RESERVED] = 1,
    [TAKT_CAN_BRS] = 1,           [TAKT_CAN_ESI] = 1,      [TAKT_CAN_DLC] = 4,           [TAKT_CAN_STUFF_COUNT] = 4,
    [TAKT_CAN_CRC_DELIMITER] = 1, [TAKT_CAN_ACK] = 1,      [TAKT_CAN_ACK_DELIMITER] = 1, [TAKT_CAN_END] = 7,
};

void takt_can_parser_start(struct takt_can_parser *parser)
{
    *parser = (struct takt_can_parser){.field = TAKT_CAN_START, .left = 1};
    for (unsigned i = 0; i < TAKT_CAN_CRCS; i++) {
        parser->crcs[i] = takt_can_crc_start((enum takt_can_crc)i);
    }
}

/* Whether the next bit is after the data of an FD frame and before the delimiter of its check. */
static bool is_fixed_part(const struct takt_can_parser *parser)
{
    return parser->frame.shape.fd && (parser->field == TAKT_CAN_STUFF_COUNT || parser->field == TAKT_CAN_CRC);
}

bool takt_can_parser_is_stuff(const struct takt_can_parser *parser)
{
    return is_fixed_part(parser) ? parser->fixed == 0 : parser->run == RUN;
}

bool takt_can_parser_is_arbitration(const struct takt_can_parser *parser)
{
    bool in_field = parser->field >= TAKT_CAN_ID_HIGH && parser->field <= TAKT_CAN_RTR_LOW;
    return in_field && !takt_can_parser_is_stuff(parser);
}

bool takt_can_parser_is_fast(const struct takt_can_parser *parser)
{
    return parser->frame.shape.brs && parser->field <= TAKT_CAN_CRC_DELIMITER; /* known from the bit BRS on */
}

static unsigned stuff_count(const struct takt_can_parser *parser)
{
    unsigned count = parser->stuff_bits % 8;
    unsigned gray = count ^ count >> 1;
    unsigned parity = (gray ^ gray >> 1 ^ gray >> 2) & 1;
    return gray << 1 | parity;
}

/* The bit `left` - 1 of a number, whose lowest bit is the last one on the bus. */
static bool bit_of(const struct takt_can_parser *parser, uint32_t number)
{
    return (number >> (parser->left - 1) & 1) != 0;
}

static bool next_data(const struct takt_can_parser *parser, const uint8_t *data)
{
    unsigned index = takt_can_bytes(&parser->frame.shape) - (parser->left + 7u) / 8;
    return (data[index] >> (parser->left - 1) % 8 & 1) != 0;
}

/* The bits up to the data length code. */
static bool next_head(const struct takt_can_parser *parser, const struct takt_can_frame *frame)
{
    switch (parser->field) {
    case TAKT_CAN_ID_HIGH:
        return bit_of(parser, frame->shape.extended ? frame->id >> 18 : frame->id);
    case TAKT_CAN_RTR:
        return frame->shape.extended || frame->shape.remote;
    case TAKT_CAN_IDE:
        return frame->shape.extended;
    case TAKT_CAN_ID_LOW:
        return bit_of(parser, frame->id);
    case TAKT_CAN_RTR_LOW:
        return frame->shape.remote;
    case TAKT_CAN_FDF:
        return frame->shape.fd;
    case TAKT_CAN_BRS:
        return frame->shape.brs;
    case TAKT_CAN_ESI:
        return frame->passive;
    case TAKT_CAN_DLC:
        return bit_of(parser, frame->shape.dlc);
    default: /* START, RESERVED */
        return false;
    }
}

/* A bit of the stuff count or of the check. */
static bool next_check(const struct takt_can_parser *parser)
{
    bool counts = parser->field == TAKT_CAN_STUFF_COUNT;
    return bit_of(parser, counts ? stuff_count(parser) : parser->crcs[parser->check]);
}

bool takt_can_parser_next(const struct takt_can_parser *parser, const struct takt_can_frame *frame)
{
    if (takt_can_parser_is_stuff(parser)) {
        return !parser->last;
    }
    switch (parser->field) {
    case TAKT_CAN_DATA:
        return next_data(parser, frame->data);
    case TAKT_CAN_STUFF_COUNT:
    case TAKT_CAN_CRC:
        return next_check(parser);
    default:
        return parser->field > TAKT_CAN_CRC || next_head(parser, frame);
    }
}

/* Goes on to a field. The checks are complete where that of the frame begins. */
static void enter(struct takt_can_parser *parser, enum takt_can_field field)
{
    parser->field = field;
    parser->left = field == TAKT_CAN_CRC ? (uint16_t)takt_can_crc_width(parser->check) : widths[field];
    parser->word = 0;
}

/* Goes on to the check, of FD frames by way of the stuff count. */
static void enter_check(struct takt_can_parser *parser)
{
    const struct takt_can_shape *shape = &parser->frame.shape;
    parser->check = TAKT_CAN_CRC_15;
    if (shape->fd) {
        parser->check = takt_can_bytes(shape) <= BYTES_OF_CRC_17 ? TAKT_CAN_CRC_17 : TAKT_CAN_CRC_21;
    }
    parser->fixed = 0;
    enter(parser, shape->fd ? TAKT_CAN_STUFF_COUNT : TAKT_CAN_CRC);
}

/* Goes on to the data, or to the check if there are none. */
static void enter_data(struct takt_can_parser *parser)
{
    unsigned bytes = takt_can_bytes(&parser->frame.shape);
    if (bytes == 0) {
        enter_check(parser);
        return;
    }
    parser->field = TAKT_CAN_DATA;
    parser->left = (uint16_t)(8 * bytes);
}

/* After the last bit of a field up to IDE or of the longer identifier. */
static void end_arbitration(struct takt_can_parser *parser, bool level)
{
    struct takt_can_frame *frame = &parser->frame;
    switch (parser->field) {
    case TAKT_CAN_ID_HIGH:
        frame->id = parser->word;
        enter(parser, TAKT_CAN_RTR);
        break;
    case TAKT_CAN_RTR:
        frame->shape.remote = level;
        enter(parser, TAKT_CAN_IDE);
        break;
    case TAKT_CAN_IDE:
        frame->shape.extended = level;
        enter(parser, level ? TAKT_CAN_ID_LOW : TAKT_CAN_FDF);
        break;
    case TAKT_CAN_ID_LOW:
        enter(parser, TAKT_CAN_RTR_LOW);
        break;
    default: /* RTR_LOW */
        frame->shape.remote = level;
        enter(parser, TAKT_CAN_FDF);
    }
}

/* After the last bit of a field from FDF to the data length code. */
static enum takt_can_verdict end_control(struct takt_can_parser *parser, bool level)
{
    struct takt_can_frame *frame = &parser->frame;
    switch (parser->field) {
    case TAKT_CAN_FDF:
        frame->shape.fd = level;
        frame->shape.remote &= !level; /* of FD frames that bit has no meaning */
        enter(parser, level || frame->shape.extended ? TAKT_CAN_RESERVED : TAKT_CAN_DLC);
        return TAKT_CAN_MORE;
    case TAKT_CAN_RESERVED:
        enter(parser, frame->shape.fd ? TAKT_CAN_BRS : TAKT_CAN_DLC);
        return frame->shape.fd && level ? TAKT_CAN_FORM_ERROR : TAKT_CAN_MORE;
    case TAKT_CAN_BRS:
        frame->shape.brs = level;
        enter(parser, TAKT_CAN_ESI);
        return TAKT_CAN_MORE;
    case TAKT_CAN_ESI:
        frame->passive = level;
        enter(parser, TAKT_CAN_DLC);
        return TAKT_CAN_MORE;
    default: /* DLC */
        frame->shape.dlc = (uint8_t)parser->word;
        enter_data(parser);
        return TAKT_CAN_MORE;
    }
}

/* A bit from the delimiter of the check on. */
static enum takt_can_verdict take_tail(struct takt_can_parser *parser, bool level)
{
    enum takt_can_field field = parser->field;
    parser->left--;
    if (field == TAKT_CAN_ACK) {
        parser->acknowledged = !level;
        enter(parser, TAKT_CAN_ACK_DELIMITER);
        return TAKT_CAN_MORE;
    }
    if (field == TAKT_CAN_END && parser->left == 0) {
        parser->field = TAKT_CAN_OVER;
        return TAKT_CAN_COMPLETE;
    }
    if (!level) {
        return TAKT_CAN_FORM_ERROR;
    }
    if (field == TAKT_CAN_CRC_DELIMITER) {
        enter(parser, TAKT_CAN_ACK);
    } else if (field == TAKT_CAN_ACK_DELIMITER) {
        enter(parser, TAKT_CAN_END);
        return parser->wrong ? TAKT_CAN_CRC_ERROR : TAKT_CAN_MORE;
    }
    return TAKT_CAN_MORE;
}

/* A bit of the stuff count or of the check: what a transmitter would send is compared with it. */
static void take_check(struct takt_can_parser *parser, bool level)
{
    parser->wrong |= level != next_check(parser);
    if (parser->field == TAKT_CAN_STUFF_COUNT) {
        parser->crcs[parser->check] = takt_can_crc_add(parser->check, parser->crcs[parser->check], level);
    }
    parser->fixed--;
    if (--parser->left > 0) {
        return;
    }
    if (parser->field == TAKT_CAN_STUFF_COUNT) {
        enter(parser, TAKT_CAN_CRC);
    } else {
        enter(parser, TAKT_CAN_CRC_DELIMITER);
    }
}

static void take_data(struct takt_can_parser *parser, bool level)
{
    unsigned index = takt_can_bytes(&parser->frame.shape) - (parser->left + 7u) / 8;
    parser->frame.data[index] = (uint8_t)(parser->frame.data[index] << 1 | level);
    if (--parser->left == 0) {
        enter_check(parser);
    }
}

/* A bit from the start bit to the data length code. */
static enum takt_can_verdict take_head(struct takt_can_parser *parser, bool level)
{
    if (parser->field == TAKT_CAN_START) {
        enter(parser, TAKT_CAN_ID_HIGH);
        return level ? TAKT_CAN_FORM_ERROR : TAKT_CAN_MORE;
    }
    parser->word = (uint16_t)(parser->word << 1 | level);
    if (parser->field == TAKT_CAN_ID_LOW) {
        parser->frame.id = parser->frame.id << 1 | level;
    }
    if (--parser->left > 0) {
        return TAKT_CAN_MORE;
    }
    if (parser->field < TAKT_CAN_FDF) {
        end_arbitration(parser, level);
        return TAKT_CAN_MORE;
    }
    return end_control(parser, level);
}

/* A stuff bit: it differs from the bit before it. */
static enum takt_can_verdict take_stuff(struct takt_can_parser *parser, bool level)
{
    bool fixed = is_fixed_part(parser);
    if (level == parser->last) {
        return fixed ? TAKT_CAN_FORM_ERROR : TAKT_CAN_STUFF_ERROR;
    }
    parser->last = level;
    if (fixed) {
        parser->fixed = FIXED;
        return TAKT_CAN_MORE;
    }
    parser->run = 1;
    parser->stuff_bits++;
    for (enum takt_can_crc crc = TAKT_CAN_CRC_17; crc < TAKT_CAN_CRCS; crc++) {
        parser->crcs[crc] = takt_can_crc_add(crc, parser->crcs[crc], level);
    }
    return TAKT_CAN_MORE;
}

enum takt_can_verdict takt_can_parser_take(struct takt_can_parser *parser, bool level)
{
    if (takt_can_parser_is_stuff(parser)) {
        return take_stuff(parser, level);
    }
    bool stuffed = parser->field < TAKT_CAN_STUFF_COUNT || (parser->field == TAKT_CAN_CRC && !is_fixed_part(parser));
    parser->run = !stuffed ? 0 : level == parser->last && parser->run > 0 ? parser->run + 1 : 1;
    parser->last = level;
    if (parser->field >= TAKT_CAN_CRC_DELIMITER) {
        return take_tail(parser, level);
    }
    if (parser->field >= TAKT_CAN_STUFF_COUNT) {
        take_check(parser, level);
        return TAKT_CAN_MORE;
    }
    for (unsigned i = 0; i < TAKT_CAN_CRCS; i++) {
        parser->crcs[i] = takt_can_crc_add((enum takt_can_crc)i, parser->crcs[i], level);
    }
    if (parser->field == TAKT_CAN_DATA) {
        take_data(parser, level);
        return TAKT_CAN_MORE;
    }
    return take_head(parser, level);
}
