/* SPDX-License-Identifier: Apache-2.0 */
/* A sender and a receiver by hand: bytes as an implementation of others gives them, and statuses in the order in which
 * losses, repetitions, errors and restarts make them. */
#include "takt/e2e.h"

#include "base/test/check.h"

enum { SIZE = 8, MS = 1000000 };

static const uint8_t ids[TAKT_E2E_IDS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static struct takt_e2e_config config;
static struct takt_e2e_receiver receiver;
static uint8_t data[SIZE];

static void configure(enum takt_e2e_profile profile)
{
    config = (struct takt_e2e_config){.profile = profile,
                                      .size = SIZE,
                                      .data_id = 0x123,
                                      .data_ids = ids,
                                      .delta_max = 3,
                                      .no_new_max = 4,
                                      .sync = 2,
                                      .window = 4,
                                      .init = {2, 0},
                                      .valid = {1, 1},
                                      .invalid = {3, 0},
                                      .fresh_ns = UINT64_MAX};
    takt_e2e_start(&receiver);
    memset(data, 0, sizeof data);
}

static void check_bytes(uint8_t counter, uint64_t expected)
{
    uint8_t found;
    takt_e2e_protect(&config, counter, data);
    for (unsigned i = 0; i < SIZE; i++) {
        CHECK_EQUAL(data[i], expected >> (56 - 8 * i) & 0xFF);
    }
    CHECK(takt_e2e_is_right(&config, data, &found));
    CHECK_EQUAL(found, counter);
    for (unsigned bit = 0; bit < 8 * SIZE; bit++) { /* any wrong bit */
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(!takt_e2e_is_right(&config, data, &found));
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* As the Python package autosar-e2e 1.0.0 writes them. */
static void test_bytes(void)
{
    configure(TAKT_E2E_PROFILE_1);
    check_bytes(1, 0x9101000000000000);
    check_bytes(2, 0x7602000000000000);
    config.mode = TAKT_E2E_ID_ALTERNATING;
    check_bytes(1, 0x0201000000000000);
    check_bytes(2, 0x7402000000000000);
    config.mode = TAKT_E2E_ID_LOW;
    check_bytes(1, 0x9301000000000000);
    config.mode = TAKT_E2E_ID_NIBBLE;
    check_bytes(1, 0x7711000000000000);
    configure(TAKT_E2E_PROFILE_1);
    config.data_id = 0x1234;
    config.offset = 2;
    check_bytes(1, 0x0000E60100000000);
    configure(TAKT_E2E_PROFILE_2);
    check_bytes(1, 0x1B01000000000000);
    check_bytes(15, 0xCD0F000000000000);
    configure(TAKT_E2E_PROFILE_5);
    config.data_id = 0x1234;
    check_bytes(1, 0xCF8D010000000000);
    config.offset = 5;
    memset(data, 0, sizeof data);
    check_bytes(1, 0x00000000002CFD01);
}

static void test_the_applications_bits(void)
{
    configure(TAKT_E2E_PROFILE_1);
    data[1] = 0xA7;
    takt_e2e_protect(&config, 4, data);
    CHECK_EQUAL(data[1], 0xA4);
    uint8_t found;
    config.data_id = 0x124;
    CHECK(!takt_e2e_is_right(&config, data, &found)); /* meant for another */
    data[1] = 0x0F;
    config.data_id = 0x123;
    takt_e2e_protect(&config, 15, data); /* a counter that profile 1 does not have */
    CHECK(!takt_e2e_is_right(&config, data, &found));
}

static void test_counters(void)
{
    static const struct {
        enum takt_e2e_profile profile;
        unsigned counters;
    } rows[] = {{TAKT_E2E_PROFILE_1, 15}, {TAKT_E2E_PROFILE_2, 16}, {TAKT_E2E_PROFILE_5, 256}};
    for (unsigned row = 0; row < 3; row++) {
        configure(rows[row].profile);
        uint8_t counter = 0;
        for (unsigned i = 1; i < rows[row].counters; i++) {
            counter = takt_e2e_next(&config, counter);
            CHECK_EQUAL(counter, i);
        }
        CHECK_EQUAL(takt_e2e_next(&config, counter), 0);
    }
}

/* One cycle with the data of that counter. */
static enum takt_e2e_status received(uint8_t counter)
{
    takt_e2e_protect(&config, counter, data);
    return takt_e2e_check(&config, &receiver, data);
}

static enum takt_e2e_status spoilt(uint8_t counter)
{
    takt_e2e_protect(&config, counter, data);
    data[SIZE - 1] ^= 1;
    return takt_e2e_check(&config, &receiver, data);
}

static enum takt_e2e_status nothing(void)
{
    return takt_e2e_check(&config, &receiver, NULL);
}

static void test_statuses_of_4_bits(enum takt_e2e_profile profile, uint8_t last)
{
    configure(profile);
    CHECK_EQUAL(nothing(), TAKT_E2E_NONEWDATA);
    CHECK_EQUAL(spoilt(last), TAKT_E2E_ERROR);
    CHECK_EQUAL(received(last), TAKT_E2E_INITIAL);
    CHECK_EQUAL(received(0), TAKT_E2E_OK);
    CHECK_EQUAL(received(0), TAKT_E2E_REPEATED);
    CHECK_EQUAL(received(3), TAKT_E2E_OKSOMELOST);
    CHECK_EQUAL(received(8), TAKT_E2E_WRONGSEQUENCE); /* 5 later, of which delta_max + 1 may be */
    CHECK_EQUAL(received(9), TAKT_E2E_SYNC);
    CHECK_EQUAL(received(10), TAKT_E2E_SYNC);
    CHECK_EQUAL(received(11), TAKT_E2E_OK);
    CHECK_EQUAL(received(10), TAKT_E2E_WRONGSEQUENCE); /* an old one */
    CHECK_EQUAL(received(11), TAKT_E2E_SYNC);
    CHECK_EQUAL(received(12), TAKT_E2E_SYNC);
    for (unsigned i = 0; i < 5; i++) {
        CHECK_EQUAL(nothing(), TAKT_E2E_NONEWDATA);
    }
    CHECK_EQUAL(received(2), TAKT_E2E_SYNC); /* more may have been lost meanwhile; too long without */
    CHECK_EQUAL(received(3), TAKT_E2E_SYNC);
    CHECK_EQUAL(received(4), TAKT_E2E_SYNC);
    CHECK_EQUAL(received(5), TAKT_E2E_OK);
    configure(profile);
    config.sync = 0;
    config.delta_max = 1;
    CHECK_EQUAL(received(5), TAKT_E2E_INITIAL);
    CHECK_EQUAL(received(9), TAKT_E2E_WRONGSEQUENCE); /* counts from 5 still: 4 of 2, 5 of 3, 6 of 4 */
    CHECK_EQUAL(received(10), TAKT_E2E_WRONGSEQUENCE);
    CHECK_EQUAL(received(9), TAKT_E2E_OKSOMELOST);
}

static void test_statuses_of_8_bits(void)
{
    configure(TAKT_E2E_PROFILE_5);
    CHECK_EQUAL(nothing(), TAKT_E2E_NONEWDATA);
    CHECK_EQUAL(received(0), TAKT_E2E_OK); /* both start */
    CHECK_EQUAL(received(3), TAKT_E2E_OKSOMELOST);
    CHECK_EQUAL(received(3), TAKT_E2E_REPEATED);
    CHECK_EQUAL(spoilt(4), TAKT_E2E_ERROR);
    CHECK_EQUAL(received(5), TAKT_E2E_OKSOMELOST);
    CHECK_EQUAL(received(4), TAKT_E2E_WRONGSEQUENCE);
    CHECK_EQUAL(received(5), TAKT_E2E_OK);
    CHECK_EQUAL(received(9), TAKT_E2E_WRONGSEQUENCE);
    CHECK_EQUAL(received(0), TAKT_E2E_WRONGSEQUENCE); /* the sender restarts */
    CHECK_EQUAL(received(1), TAKT_E2E_OK);
}

static enum takt_e2e_state noted(enum takt_e2e_status status)
{
    return takt_e2e_note(&config, &receiver, status);
}

static void test_states(void)
{
    configure(TAKT_E2E_PROFILE_1);
    CHECK_EQUAL(noted(TAKT_E2E_NONEWDATA), TAKT_E2E_NODATA);
    CHECK_EQUAL(noted(TAKT_E2E_ERROR), TAKT_E2E_NODATA);
    CHECK_EQUAL(noted(TAKT_E2E_INITIAL), TAKT_E2E_INIT);
    CHECK_EQUAL(noted(TAKT_E2E_OK), TAKT_E2E_INIT);
    CHECK_EQUAL(noted(TAKT_E2E_REPEATED), TAKT_E2E_INIT);
    CHECK_EQUAL(noted(TAKT_E2E_SYNC), TAKT_E2E_VALID);
    CHECK_EQUAL(noted(TAKT_E2E_ERROR), TAKT_E2E_VALID);
    CHECK_EQUAL(noted(TAKT_E2E_ERROR), TAKT_E2E_INVALID); /* the second one */
    CHECK_EQUAL(noted(TAKT_E2E_OKSOMELOST), TAKT_E2E_INVALID);
    CHECK_EQUAL(noted(TAKT_E2E_OK), TAKT_E2E_INVALID);
    CHECK_EQUAL(noted(TAKT_E2E_OK), TAKT_E2E_INVALID); /* one error is in the window still */
    CHECK_EQUAL(noted(TAKT_E2E_OK), TAKT_E2E_VALID);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQUAL(noted(TAKT_E2E_NONEWDATA), TAKT_E2E_VALID);
    }
    CHECK_EQUAL(noted(TAKT_E2E_WRONGSEQUENCE), TAKT_E2E_INVALID); /* none that is right in 4 */
    configure(TAKT_E2E_PROFILE_1);
    config.window = TAKT_E2E_WINDOW_MAX;
    CHECK_EQUAL(noted(TAKT_E2E_OK), TAKT_E2E_INIT);
    CHECK_EQUAL(noted(TAKT_E2E_ERROR), TAKT_E2E_INVALID); /* none is allowed at the start */
    for (unsigned i = 0; i < 31; i++) {
        CHECK_EQUAL(noted(TAKT_E2E_OK), TAKT_E2E_INVALID);
    }
    CHECK_EQUAL(noted(TAKT_E2E_OK), TAKT_E2E_VALID);
}

static struct takt_e2e_result cycle(unsigned counter, uint64_t came_ns, uint64_t now_ns)
{
    takt_e2e_protect(&config, (uint8_t)counter, data);
    const struct takt_e2e_arrival arrival = {data, came_ns};
    return takt_e2e_receive(&config, &receiver, &arrival, now_ns);
}

static void test_age(void)
{
    configure(TAKT_E2E_PROFILE_1);
    config.fresh_ns = 20 * MS;
    struct takt_e2e_result found = takt_e2e_receive(&config, &receiver, NULL, 5 * MS);
    CHECK_EQUAL(found.age_ns, UINT64_MAX);
    CHECK_EQUAL(found.state, TAKT_E2E_NODATA);
    CHECK(!found.accepted);
    found = cycle(3, 10 * MS, 12 * MS);
    CHECK_EQUAL(found.status, TAKT_E2E_INITIAL);
    CHECK_EQUAL(found.age_ns, 2 * MS);
    CHECK(found.accepted);
    (void)cycle(4, 20 * MS, 20 * MS);
    found = cycle(7, 30 * MS, 31 * MS);
    CHECK_EQUAL(found.status, TAKT_E2E_OKSOMELOST);
    CHECK_EQUAL(found.lost, 2);
    CHECK_EQUAL(found.state, TAKT_E2E_VALID);
    found = cycle(7, 45 * MS, 50 * MS); /* what comes again is no younger */
    CHECK_EQUAL(found.status, TAKT_E2E_REPEATED);
    CHECK_EQUAL(found.age_ns, 20 * MS);
    CHECK_EQUAL(found.lost, 0);
    CHECK_EQUAL(found.state, TAKT_E2E_VALID);
    found = takt_e2e_receive(&config, &receiver, NULL, 50 * MS + 1);
    CHECK_EQUAL(found.state, TAKT_E2E_STALE);
    found = cycle(8, 60 * MS, 60 * MS);
    CHECK_EQUAL(found.state, TAKT_E2E_VALID);
    CHECK_EQUAL(found.lost, 0);
    for (unsigned i = 0; i < 4; i++) {
        found = takt_e2e_receive(&config, &receiver, NULL, 70 * MS + i);
    }
    CHECK_EQUAL(found.state, TAKT_E2E_INVALID);
}

int main(void)
{
    test_bytes();
    test_the_applications_bits();
    test_counters();
    test_statuses_of_4_bits(TAKT_E2E_PROFILE_1, 14);
    test_statuses_of_4_bits(TAKT_E2E_PROFILE_2, 15);
    test_statuses_of_8_bits();
    test_states();
    test_age();
    return 0;
}
