/* SPDX-License-Identifier: Apache-2.0 */
/* Error counters and states by hand. */
#include "takt/can_errors.h"

#include "base/test/check.h"

static struct takt_can_errors errors;

static void count(enum takt_can_count what, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        takt_can_errors_count(&errors, what);
    }
}

static void test_transmitter(void)
{
    takt_can_errors_init(&errors);
    count(TAKT_CAN_COUNT_TRANSMITTED, 1);
    CHECK_EQUAL(errors.transmit, 0);
    count(TAKT_CAN_COUNT_TRANSMITTER_ERROR, 11);
    CHECK(!takt_can_errors_is_warning(&errors));
    count(TAKT_CAN_COUNT_TRANSMITTER_ERROR, 1);
    CHECK(takt_can_errors_is_warning(&errors));
    count(TAKT_CAN_COUNT_TRANSMITTER_ERROR, 3);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_ACTIVE);
    count(TAKT_CAN_COUNT_TRANSMITTER_ERROR, 1);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_PASSIVE);
    count(TAKT_CAN_COUNT_TRANSMITTED, 1);
    CHECK_EQUAL(errors.transmit, 127);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_ACTIVE);
    count(TAKT_CAN_COUNT_TRANSMITTER_ERROR, 16);
    CHECK_EQUAL(errors.transmit, 255);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_PASSIVE);
    count(TAKT_CAN_COUNT_TRANSMITTER_ERROR, 1);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_BUS_OFF);
}

static void test_receiver(void)
{
    takt_can_errors_init(&errors);
    count(TAKT_CAN_COUNT_RECEIVED, 1);
    CHECK_EQUAL(errors.receive, 0);
    count(TAKT_CAN_COUNT_RECEIVER_ERROR, 3);
    count(TAKT_CAN_COUNT_RECEIVED, 1);
    CHECK_EQUAL(errors.receive, 2);
    count(TAKT_CAN_COUNT_RECEIVER_SEVERE, 15);
    CHECK_EQUAL(errors.receive, 122);
    CHECK(takt_can_errors_is_warning(&errors));
    count(TAKT_CAN_COUNT_RECEIVER_ERROR, 5);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_ACTIVE);
    count(TAKT_CAN_COUNT_RECEIVER_ERROR, 1);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_PASSIVE);
    count(TAKT_CAN_COUNT_RECEIVER_SEVERE, 100); /* no receiver leaves the bus */
    CHECK_EQUAL(errors.receive, 255);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_PASSIVE);
    count(TAKT_CAN_COUNT_RECEIVED, 1);
    CHECK_EQUAL(errors.receive, 127);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_ACTIVE);
}

/* 128 times 11 recessive bits; a dominant one ends a sequence, but not those before it. */
static void test_recovery(void)
{
    takt_can_errors_init(&errors);
    count(TAKT_CAN_COUNT_TRANSMITTER_ERROR, 32);
    for (unsigned sequence = 0; sequence < 128; sequence++) {
        for (unsigned i = 0; i < 10; i++) {
            CHECK(!takt_can_errors_recover(&errors, true));
        }
        CHECK(!takt_can_errors_recover(&errors, false));
        for (unsigned i = 0; i < 10; i++) {
            CHECK(!takt_can_errors_recover(&errors, true));
        }
        CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_BUS_OFF);
        CHECK_EQUAL(takt_can_errors_recover(&errors, true), sequence == 127);
    }
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_ACTIVE);
    CHECK_EQUAL(errors.transmit + errors.receive + errors.sequences + errors.recessive, 0);
}

int main(void)
{
    test_transmitter();
    test_receiver();
    test_recovery();
    return 0;
}
