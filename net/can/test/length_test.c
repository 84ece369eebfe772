/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of frames: by hand, of random frames against their bits, and in time piece by piece of a bit. */
#include "takt/can_length.h"

#include "net/can/test/random_frame.h"

static struct takt_can_shape classic(bool extended, bool remote, uint8_t dlc)
{
    return (struct takt_can_shape){.extended = extended, .remote = remote, .dlc = dlc};
}

static struct takt_can_shape fd(bool extended, bool brs, uint8_t dlc)
{
    return (struct takt_can_shape){.extended = extended, .fd = true, .brs = brs, .dlc = dlc};
}

static void check_length(struct takt_can_length found, unsigned nominal_bits, unsigned data_bits)
{
    CHECK_EQUAL(found.nominal_bits, nominal_bits);
    CHECK_EQUAL(found.data_bits, data_bits);
}

static void check_shape(struct takt_can_shape shape, struct takt_can_length unstuffed, struct takt_can_length max)
{
    check_length(takt_can_length_unstuffed(&shape), unstuffed.nominal_bits, unstuffed.data_bits);
    check_length(takt_can_length_max(&shape), max.nominal_bits, max.data_bits);
}

static void test_by_hand(void)
{
    check_shape(classic(false, false, 0), (struct takt_can_length){47, 0}, (struct takt_can_length){55, 0});
    check_shape(classic(false, false, 8), (struct takt_can_length){111, 0}, (struct takt_can_length){135, 0});
    check_shape(classic(false, false, 15), (struct takt_can_length){111, 0}, (struct takt_can_length){135, 0});
    check_shape(classic(true, false, 0), (struct takt_can_length){67, 0}, (struct takt_can_length){80, 0});
    check_shape(classic(true, false, 8), (struct takt_can_length){131, 0}, (struct takt_can_length){160, 0});
    check_shape(classic(false, true, 8), (struct takt_can_length){47, 0}, (struct takt_can_length){55, 0});
    /* 22 bits of head, stuff count and check 21 with 6 fixed stuff bits, or 25 with 7, and 13 of tail. */
    check_shape(fd(false, false, 0), (struct takt_can_length){62, 0}, (struct takt_can_length){67, 0});
    check_shape(fd(false, false, 10), (struct takt_can_length){190, 0}, (struct takt_can_length){227, 0});
    check_shape(fd(false, false, 11), (struct takt_can_length){227, 0}, (struct takt_can_length){272, 0});
    check_shape(fd(true, false, 15), (struct takt_can_length){598, 0}, (struct takt_can_length){735, 0});
    /* Of 16 bits before BRS 3 are followed by stuff bits, of 35 8. */
    check_shape(fd(false, true, 0), (struct takt_can_length){29, 33}, (struct takt_can_length){32, 35});
    check_shape(fd(false, true, 15), (struct takt_can_length){29, 550}, (struct takt_can_length){32, 680});
    check_shape(fd(true, true, 15), (struct takt_can_length){48, 550}, (struct takt_can_length){56, 679});
}

static void test_several(void)
{
    const struct takt_can_frame frames[] = {{.id = 0x123, .shape = {.dlc = 2}, .data = {1, 2}}, {.id = 0}};
    struct takt_can_length lengths[2];
    takt_can_lengths_exact(frames, 2, lengths);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t bits[TAKT_CAN_BITS_MAX];
        CHECK_EQUAL(lengths[i].nominal_bits, takt_can_frame_encode(&frames[i], true, bits) + TAKT_CAN_INTERMISSION);
    }
    CHECK(lengths[0].nominal_bits != lengths[1].nominal_bits);
}

static void test_time(void)
{
    struct takt_can_rates rates = {500000, 2000000};
    CHECK_EQUAL(takt_can_length_ns((struct takt_can_length){135, 0}, &rates), 270000);
    CHECK_EQUAL(takt_can_length_ns((struct takt_can_length){32, 679}, &rates), 64000 + 339500);
    struct takt_can_rates odd = {83333, 300000}; /* 12000.048 ns and 3333.3 ns */
    CHECK_EQUAL(takt_can_length_ns((struct takt_can_length){1, 0}, &odd), 12001);
    CHECK_EQUAL(takt_can_length_ns((struct takt_can_length){1, 1}, &odd), 15334);
    CHECK_EQUAL(takt_can_length_ns((struct takt_can_length){3, 3}, &odd), 46001);
    CHECK_EQUAL(takt_can_time_ns(UINT64_C(83333) * 3600, 0, &odd), UINT64_C(3600000000000));
    CHECK_EQUAL(takt_can_time_ns(UINT64_C(83333) * 3600 + 3, UINT64_C(300000) * 50 + 3, &odd), 3650000046001);
    CHECK_EQUAL(takt_can_time_ns(UINT64_MAX, UINT64_MAX, &odd), UINT64_MAX);
    struct takt_can_rates fastest = {10000000, 10000000};
    CHECK_EQUAL(takt_can_length_ns((struct takt_can_length){56, 679}, &fastest), 73500);
}

/* The same frame in pieces of bits: each bit before its sample point and after it, at the rate that holds there. */
static uint64_t time_by_samples(const struct takt_can_frame *frame, uint64_t nominal_ns, uint64_t data_ns)
{
    struct takt_can_parser parser;
    const uint64_t nominal_before = nominal_ns * 4 / 5; /* its sample point at 80 % */
    const uint64_t data_before = data_ns * 7 / 10;
    uint64_t time = TAKT_CAN_INTERMISSION * nominal_ns;
    takt_can_parser_start(&parser);
    for (enum takt_can_verdict verdict = TAKT_CAN_MORE; verdict == TAKT_CAN_MORE;) {
        enum takt_can_field field = parser.field;
        bool stuff = takt_can_parser_is_stuff(&parser);
        bool fast = frame->shape.brs && (field > TAKT_CAN_BRS && field <= TAKT_CAN_CRC_DELIMITER);
        time += fast ? data_before : nominal_before;
        if (!stuff && field == TAKT_CAN_BRS) {
            fast = frame->shape.brs;
        } else if (!stuff && field == TAKT_CAN_CRC_DELIMITER) {
            fast = false;
        }
        time += fast ? data_ns - data_before : nominal_ns - nominal_before;
        verdict = takt_can_parser_take(&parser, takt_can_parser_next(&parser, frame));
    }
    return time;
}

static void test_random(void)
{
    uint64_t random = check_seed();
    struct takt_can_rates rates = {500000, 5000000};
    for (unsigned long i = 0; i < check_cases(5000); i++) {
        struct takt_can_frame frame = random_frame(&random);
        uint8_t bits[TAKT_CAN_BITS_MAX];
        unsigned count = takt_can_frame_encode(&frame, true, bits) + TAKT_CAN_INTERMISSION;
        struct takt_can_length exact = takt_can_length_exact(&frame);
        struct takt_can_length least = takt_can_length_unstuffed(&frame.shape);
        struct takt_can_length most = takt_can_length_max(&frame.shape);
        CHECK_EQUAL(exact.nominal_bits + exact.data_bits, count);
        CHECK(exact.data_bits == 0 || frame.shape.brs);
        CHECK(least.nominal_bits <= exact.nominal_bits && exact.nominal_bits <= most.nominal_bits);
        CHECK(least.data_bits <= exact.data_bits);
        CHECK(count <= most.nominal_bits + most.data_bits);
        CHECK_EQUAL(takt_can_length_ns(exact, &rates), time_by_samples(&frame, 2000, 200));
        CHECK(takt_can_length_ns(exact, &rates) <= takt_can_length_ns(most, &rates));
    }
}

/* Frames with as many stuff bits as their data allow: one in each 4 bits of the data. */
static void test_most_stuff_bits(void)
{
    struct takt_can_frame frame = {.shape = fd(false, true, 15), .id = 0};
    unsigned most = 0;
    for (unsigned shift = 0; shift < 8; shift++) { /* runs of 4 bits, as the stuff bits make runs of 5 */
        for (unsigned i = 0; i < TAKT_CAN_DATA_MAX; i++) {
            frame.data[i] = (uint8_t)(0xF0F0u >> shift);
        }
        struct takt_can_length exact = takt_can_length_exact(&frame);
        most = exact.data_bits > most ? exact.data_bits : most;
    }
    CHECK_EQUAL(most, 550 + 128);
}

int main(void)
{
    test_by_hand();
    test_several();
    test_time();
    test_random();
    test_most_stuff_bits();
    return 0;
}
