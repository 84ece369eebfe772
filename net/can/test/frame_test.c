/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: known bits, random frames there and back, and errors in each bit. */
#include "takt/can_frame.h"

#include "net/can/test/random_frame.h"

static uint8_t bits[TAKT_CAN_BITS_MAX];

static void test_shapes(void)
{
    static const uint8_t bytes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64};
    for (uint8_t dlc = 0; dlc <= TAKT_CAN_DLC_MAX; dlc++) {
        struct takt_can_shape classic = {.dlc = dlc}, remote = {.remote = true, .dlc = dlc},
                              fd = {.fd = true, .dlc = dlc};
        CHECK_EQUAL(takt_can_bytes(&classic), dlc < 8 ? dlc : 8);
        CHECK_EQUAL(takt_can_bytes(&remote), 0);
        CHECK_EQUAL(takt_can_bytes(&fd), bytes[dlc]);
        CHECK_EQUAL(takt_can_dlc(bytes[dlc], true), dlc);
        CHECK_EQUAL(takt_can_dlc(bytes[dlc], false), dlc < 8 ? dlc : 8);
        CHECK(dlc < 9 || takt_can_dlc(bytes[dlc - 1] + 1, true) == dlc);
        CHECK(takt_can_shape_is_valid(&classic) && takt_can_shape_is_valid(&remote) && takt_can_shape_is_valid(&fd));
    }
    CHECK(!takt_can_shape_is_valid(&(struct takt_can_shape){.dlc = 16}));
    CHECK(!takt_can_shape_is_valid(&(struct takt_can_shape){.brs = true}));
    CHECK(!takt_can_shape_is_valid(&(struct takt_can_shape){.fd = true, .remote = true}));
    CHECK(takt_can_shape_is_valid(&(struct takt_can_shape){.fd = true, .brs = true}));
}

static void test_frames(void)
{
    struct takt_can_frame frame = {.id = TAKT_CAN_ID_MAX};
    CHECK(takt_can_frame_is_valid(&frame));
    frame.id++;
    CHECK(!takt_can_frame_is_valid(&frame));
    frame.shape.extended = true;
    CHECK(takt_can_frame_is_valid(&frame));
    frame.id = TAKT_CAN_ID_EXTENDED_MAX + 1;
    CHECK(!takt_can_frame_is_valid(&frame));
    frame.id = 0;
    frame.passive = true;
    CHECK(!takt_can_frame_is_valid(&frame));
    frame.shape.fd = true;
    CHECK(takt_can_frame_is_valid(&frame));
    frame.shape.dlc = 16;
    CHECK(!takt_can_frame_is_valid(&frame));
}

static void test_equal(void)
{
    const struct takt_can_frame frame = {.shape = {.dlc = 2}, .id = 5, .data = {1, 2, 3}};
    struct takt_can_frame others[8];
    for (unsigned i = 0; i < 8; i++) {
        others[i] = frame;
    }
    others[0].shape.extended = true;
    others[1].shape.remote = true;
    others[2].shape.fd = true;
    others[3].shape.brs = true;
    others[4].shape.dlc = 3;
    others[5].passive = true;
    others[6].id = 4;
    others[7].data[1] = 3;
    for (unsigned i = 0; i < 8; i++) {
        CHECK(!takt_can_frame_equals(&frame, &others[i]));
    }
    others[0] = frame;
    others[0].data[2] = 0; /* behind its data */
    CHECK(takt_can_frame_equals(&frame, &others[0]));
}

static void check_bits(const struct takt_can_frame *frame, const char *expected)
{
    char text[TAKT_CAN_BITS_MAX + 1];
    unsigned count = takt_can_frame_encode(frame, true, bits);
    for (unsigned i = 0; i < count; i++) {
        text[i] = (char)('0' + bits[i]);
    }
    text[count] = '\0';
    CHECK_TEXT(text, expected);
}

/* Written down field by field. */
static void test_known_bits(void)
{
    check_bits(&(struct takt_can_frame){.shape = {.dlc = 1}, .id = 0x14, .data = {0x01}},
               "0000010010100" /* start bit and identifier, with a stuff bit after 5 zeros */
               "0001"
               "0001"            /* RTR, IDE, r0, a stuff bit; DLC */
               "000001001"       /* data */
               "111011101010011" /* check */
               "1"
               "0"
               "1"
               "1111111" /* delimiter, acknowledge slot, delimiter, end of frame */);
    check_bits(&(struct takt_can_frame){.shape = {.extended = true, .remote = true, .dlc = 3}, .id = 0x1FFFFFFF},
               "0"
               "111110"
               "111110"
               "111110"
               "111110"
               "111110"
               "111110" /* start bit, 32 bits up to RTR, stuff bits */
               "11"
               "00"
               "0011" /* r1, r0, DLC */
               "1100100011111011"
               "1011111111");
    check_bits(&(struct takt_can_frame){.shape = {.fd = true, .brs = true, .dlc = 2}, .id = 0x555, .data = {255, 255}},
               "0101010101010010"
               "100010"
               "1111101111101111101" /* up to res; BRS, ESI, DLC; data */
               "00101"               /* a fixed stuff bit, stuff count 3: Gray code 010, parity 1 */
               "0110010100100101101010"
               "1011111111");
}

/* The wins of frames that begin at the same time, by the first bit in which what they send differs. */
static int compare_by_bits(const struct takt_can_frame *a, const struct takt_can_frame *b)
{
    struct takt_can_parser first, second;
    takt_can_parser_start(&first);
    takt_can_parser_start(&second);
    while (first.field <= TAKT_CAN_RTR_LOW && second.field <= TAKT_CAN_RTR_LOW) {
        bool sent = takt_can_parser_next(&first, a), other = takt_can_parser_next(&second, b);
        if (sent != other) {
            CHECK(takt_can_parser_is_arbitration(sent ? &first : &second));
            return sent ? 1 : -1;
        }
        (void)takt_can_parser_take(&first, sent);
        (void)takt_can_parser_take(&second, sent);
    }
    return 0;
}

static void test_arbitration(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(5000); i++) {
        struct takt_can_frame a = random_frame(&random), b = random_frame(&random);
        if (check_random(&random) % 2 == 0) { /* the same first bits */
            uint32_t high = a.shape.extended ? a.id >> 18 : a.id;
            b.id = b.shape.extended ? high << 18 | (b.id & 0x3FFFF) : high;
        }
        if (check_random(&random) % 4 == 0 && a.shape.extended == b.shape.extended) {
            b.id = a.id;
        }
        int expected = compare_by_bits(&a, &b);
        CHECK_EQUAL(takt_can_frame_compare(&a, &b) + 1, expected + 1);
        CHECK_EQUAL(takt_can_frame_compare(&b, &a) + 1, 1 - expected);
    }
}

/* A sender that has the other level in one field: a receiver reads the same frame. */
static void check_other_level(const struct takt_can_frame *frame, enum takt_can_field field)
{
    struct takt_can_parser parser;
    struct takt_can_frame found;
    unsigned count = 0;
    takt_can_parser_start(&parser);
    for (enum takt_can_verdict verdict = TAKT_CAN_MORE; verdict == TAKT_CAN_MORE; count++) {
        bool other = parser.field == field && !takt_can_parser_is_stuff(&parser);
        bits[count] = takt_can_parser_next(&parser, frame) != other;
        verdict = takt_can_parser_take(&parser, bits[count] != 0);
    }
    CHECK_EQUAL(takt_can_frame_decode(bits, count, &found).verdict, TAKT_CAN_COMPLETE);
    CHECK(takt_can_frame_equals(frame, &found));
}

/* SRR, RRS and r0 have a level that a transmitter sends, and no meaning to a receiver. */
static void test_levels_without_meaning(void)
{
    const struct takt_can_frame extended = {.shape = {.extended = true, .dlc = 1}, .id = 0x15555555, .data = {0x55}};
    check_other_level(&extended, TAKT_CAN_RTR);
    check_other_level(&extended, TAKT_CAN_RESERVED);
    struct takt_can_frame fd = {.shape = {.fd = true, .dlc = 3}, .id = 0x555, .data = {1, 2, 3}};
    check_other_level(&fd, TAKT_CAN_RTR);
    fd.shape.extended = true;
    check_other_level(&fd, TAKT_CAN_RTR_LOW);
}

static void check_arbitration(const struct takt_can_frame *frame, unsigned expected)
{
    struct takt_can_parser parser;
    unsigned count = 0;
    takt_can_parser_start(&parser);
    while (parser.field != TAKT_CAN_OVER) {
        count += takt_can_parser_is_arbitration(&parser);
        CHECK(!takt_can_parser_is_arbitration(&parser) || !takt_can_parser_is_stuff(&parser));
        (void)takt_can_parser_take(&parser, takt_can_parser_next(&parser, frame));
    }
    CHECK_EQUAL(count, expected);
}

/* Identifier, RTR, IDE and SRR: stuff bits, of which these frames have some, take no part. */
static void test_arbitration_bits(void)
{
    check_arbitration(&(struct takt_can_frame){.id = 0}, 13);
    check_arbitration(&(struct takt_can_frame){.shape = {.extended = true}, .id = 0}, 32);
}

static void test_there_and_back(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(5000); i++) {
        struct takt_can_frame frame = random_frame(&random), found;
        bool acknowledged = check_random(&random) % 2 == 0;
        unsigned count = takt_can_frame_encode(&frame, acknowledged, bits);
        struct takt_can_decoded decoded = takt_can_frame_decode(bits, count, &found);
        CHECK_EQUAL(decoded.verdict, TAKT_CAN_COMPLETE);
        CHECK_EQUAL(decoded.bits, count);
        CHECK_EQUAL(decoded.acknowledged, acknowledged);
        CHECK(takt_can_frame_equals(&frame, &found) && takt_can_frame_is_valid(&found));
        unsigned part = (unsigned)(check_random(&random) % count);
        decoded = takt_can_frame_decode(bits, part, &found);
        CHECK_EQUAL(decoded.verdict, TAKT_CAN_MORE);
        CHECK_EQUAL(decoded.bits, part);
    }
}

/* No wrong bit stays unnoticed but in the acknowledge slot and at the very end. */
static void test_a_wrong_bit(void)
{
    uint64_t random = check_seed();
    unsigned long verdicts[TAKT_CAN_CRC_ERROR + 1] = {0};
    for (unsigned long i = 0; i < check_cases(2000); i++) {
        struct takt_can_frame frame = random_frame(&random), found;
        unsigned count = takt_can_frame_encode(&frame, true, bits);
        unsigned wrong = (unsigned)(check_random(&random) % count);
        bits[wrong] ^= 1;
        struct takt_can_decoded decoded = takt_can_frame_decode(bits, count, &found);
        bool harmless = wrong == count - 1 || wrong == count - 9;
        CHECK_EQUAL(decoded.verdict == TAKT_CAN_COMPLETE, harmless);
        CHECK(harmless || decoded.bits > wrong || decoded.verdict == TAKT_CAN_MORE);
        CHECK(!harmless || takt_can_frame_equals(&frame, &found));
        verdicts[decoded.verdict]++;
    }
    for (unsigned i = TAKT_CAN_COMPLETE; i <= TAKT_CAN_CRC_ERROR; i++) {
        CHECK(verdicts[i] > 0);
    }
}

/* Where an error is noticed: `frame` with the bit `wrong` changed. */
static void check_error(const struct takt_can_frame *frame, unsigned wrong, enum takt_can_verdict verdict, unsigned at)
{
    struct takt_can_frame found;
    unsigned count = takt_can_frame_encode(frame, true, bits);
    bits[wrong] ^= 1;
    struct takt_can_decoded decoded = takt_can_frame_decode(bits, count, &found);
    CHECK_EQUAL(decoded.verdict, verdict);
    CHECK_EQUAL(decoded.bits, at + 1);
}

static void test_errors_by_hand(void)
{
    const struct takt_can_frame classic = {.id = 0x555, .shape = {.dlc = 8}, .data = {[7] = 1}};
    unsigned count = takt_can_frame_encode(&classic, true, bits);
    check_error(&classic, 0, TAKT_CAN_FORM_ERROR, 0);
    check_error(&classic, 3, TAKT_CAN_CRC_ERROR, count - 8);
    check_error(&classic, 21, TAKT_CAN_STUFF_ERROR, 21); /* after 000 of the data length code and 00 of the data */
    check_error(&classic, count - 10, TAKT_CAN_FORM_ERROR, count - 10);
    check_error(&classic, count - 9, TAKT_CAN_COMPLETE, count - 1);
    check_error(&classic, count - 8, TAKT_CAN_FORM_ERROR, count - 8);
    check_error(&classic, count - 7, TAKT_CAN_FORM_ERROR, count - 7);
    check_error(&classic, count - 2, TAKT_CAN_FORM_ERROR, count - 2);
    check_error(&classic, count - 1, TAKT_CAN_COMPLETE, count - 1);

    /* 0 10101010101 0 0 1, 00000 from res on, a stuff bit, 00, a fixed stuff bit, and the stuff count 0011 */
    const struct takt_can_frame fd = {.id = 0x555, .shape = {.fd = true}};
    count = takt_can_frame_encode(&fd, true, bits);
    check_error(&fd, 15, TAKT_CAN_FORM_ERROR, 15);
    check_error(&fd, 20, TAKT_CAN_STUFF_ERROR, 20);
    check_error(&fd, 23, TAKT_CAN_FORM_ERROR, 23);
    check_error(&fd, 24, TAKT_CAN_CRC_ERROR, count - 8);
    check_error(&fd, 27, TAKT_CAN_FORM_ERROR, 28); /* the fixed stuff bit after it */
}

int main(void)
{
    test_shapes();
    test_frames();
    test_equal();
    test_known_bits();
    test_arbitration();
    test_arbitration_bits();
    test_levels_without_meaning();
    test_there_and_back();
    test_a_wrong_bit();
    test_errors_by_hand();
    return 0;
}
