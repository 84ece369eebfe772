/* SPDX-License-Identifier: Apache-2.0 */
/* Errors on a bus, by hand and from a seed: counters, flags, retransmission, bus-off. */
#include "net/can/test/bus.h"
#include "net/can/test/random_frame.h"

static const struct takt_can_frame frame = {.shape = {.dlc = 2}, .id = 0x155, .data = {0xAB, 0xCD}};
static const uint64_t all = UINT64_MAX;

static void start(void)
{
    begin(3);
    takt_can_node_offer(&nodes[0], &frame);
}

/* A receiver alone sees an error, and its flag shows it to the others, which then count less. */
static void test_one_receiver(void)
{
    start();
    until_field(0, TAKT_CAN_CRC_DELIMITER, 1);
    CHECK_EQUAL(step(2), TAKT_CAN_FAILED);
    CHECK_EQUAL(bus.events[1], TAKT_CAN_FAILED);
    CHECK_EQUAL(nodes[1].error, TAKT_CAN_ERROR_FORM);
    check_counters(1, 0, 1);
    (void)step(0); /* the acknowledge slot: the flag acknowledges */
    CHECK_EQUAL(step(0), TAKT_CAN_FAILED);
    check_counters(0, 8, 0);
    check_counters(2, 0, 1);
    uint64_t error = bit - 1;
    (void)until(0, TAKT_CAN_STARTED);
    CHECK_EQUAL(bit - 1, error + 6 + 8 + 3 + 1);
    check_counters(1, 0, 9); /* it saw 2 dominant bits behind its flag */
    check_counters(2, 0, 1);
    (void)until(0, TAKT_CAN_TRANSMITTED);
    check_counters(0, 7, 0);
    check_counters(1, 0, 8);
    check_counters(2, 0, 0);
}

static void test_transmitter(void)
{
    start();
    until_field(0, TAKT_CAN_DATA, 3);
    (void)step(1);
    CHECK_EQUAL(bus.events[0], TAKT_CAN_FAILED);
    CHECK_EQUAL(nodes[0].error, TAKT_CAN_ERROR_BIT);
    check_counters(0, 8, 0);
    (void)until(0, TAKT_CAN_TRANSMITTED);
    check_counters(0, 7, 0);
    start();
    (void)step(1); /* its start bit */
    CHECK_EQUAL(bus.events[0], TAKT_CAN_STARTED | TAKT_CAN_FAILED);
}

/* An error at the end: some receivers have the frame twice, as with every CAN. */
static void test_end_of_frame(void)
{
    start();
    until_field(0, TAKT_CAN_END, 2);
    (void)step(2);
    CHECK_EQUAL(bus.events[1], TAKT_CAN_FAILED);
    CHECK_EQUAL(bus.events[2], TAKT_CAN_RECEIVED);
    (void)step(0);
    CHECK_EQUAL(bus.events[0], TAKT_CAN_FAILED);
    CHECK_EQUAL(bus.events[2], TAKT_CAN_OVERLOADED);
    (void)until(2, TAKT_CAN_RECEIVED);
    CHECK_EQUAL(bus.events[1], TAKT_CAN_RECEIVED);
    start();
    until_field(0, TAKT_CAN_END, 1);
    (void)step(2); /* a receiver alone reads the last bit as dominant */
    CHECK_EQUAL(bus.events[0], TAKT_CAN_TRANSMITTED);
    CHECK_EQUAL(bus.events[1], TAKT_CAN_OVERLOADED);
    check_counters(1, 0, 0);
    (void)step(0); /* which the others see in their intermission */
    CHECK_EQUAL(bus.events[0] & bus.events[2], TAKT_CAN_OVERLOADED);
    check_counters(0, 0, 0);
}

/* Each kind of error of a receiver and of an acknowledgement. */
static void test_kinds(void)
{
    start();
    until_field(0, TAKT_CAN_DATA, 3);
    (void)step(2); /* 1010 1011 1100 1101: no stuff bit in it */
    (void)until(1, TAKT_CAN_FAILED);
    CHECK(nodes[1].error == TAKT_CAN_ERROR_CRC || nodes[1].error == TAKT_CAN_ERROR_STUFF);
    start();
    until_field(0, TAKT_CAN_ACK, 1);
    (void)step(2); /* it sends dominant, and reads recessive */
    CHECK_EQUAL(bus.events[1], TAKT_CAN_FAILED);
    CHECK_EQUAL(nodes[1].error, TAKT_CAN_ERROR_BIT);
    struct takt_can_frame zeros = {.id = 0};
    begin(2);
    takt_can_node_offer(&nodes[0], &zeros);
    for (unsigned i = 0; i < 5; i++) {
        (void)step(0);
    }
    (void)step(1); /* a stuff bit in the arbitration is overwritten: not the transmitter's fault */
    CHECK_EQUAL(bus.events[0], TAKT_CAN_FAILED);
    CHECK_EQUAL(nodes[0].error, TAKT_CAN_ERROR_STUFF);
    check_counters(0, 0, 0);
    (void)until(0, TAKT_CAN_TRANSMITTED);
    begin(2);
    takt_can_node_offer(&nodes[0], &zeros);
    for (unsigned i = 0; i < 5; i++) {
        (void)step(0);
    }
    (void)step(2);
    CHECK_EQUAL(nodes[1].error, TAKT_CAN_ERROR_STUFF);
    check_counters(1, 0, 1);
}

/* Errors in flags and delimiters. */
static void test_error_frames(void)
{
    start();
    until_field(0, TAKT_CAN_DATA, 3);
    (void)step(all);
    check_counters(0, 8, 0);
    (void)step(1); /* its flag, which begins again */
    CHECK_EQUAL(bus.events[0], TAKT_CAN_FAILED);
    check_counters(0, 16, 0);
    CHECK_EQUAL(nodes[0].count, 0);
    while (nodes[0].phase != TAKT_CAN_IN_DELIMITER) {
        (void)step(0);
    }
    (void)step(1); /* the second bit of the delimiter */
    CHECK_EQUAL(nodes[0].error, TAKT_CAN_ERROR_FORM);
    check_counters(0, 24, 0);
    while (nodes[0].phase != TAKT_CAN_IN_DELIMITER || nodes[0].count != 7) {
        (void)step(0);
    }
    (void)step(1); /* the last one */
    CHECK_EQUAL(bus.events[0], TAKT_CAN_OVERLOADED);
    check_counters(0, 24, 0);
    (void)until(0, TAKT_CAN_TRANSMITTED);
    check_counters(0, 23, 0);
}

/* A wire that stays dominant: after 8 bits behind a flag, and each 8 further ones, the counters rise. */
static void test_stuck(void)
{
    begin(3);
    bus.stuck = 4;
    (void)until(0, TAKT_CAN_FAILED);
    check_counters(0, 0, 1);
    for (unsigned i = 0; i < 6; i++) {
        (void)step(0);
    }
    (void)step(0);
    check_counters(0, 0, 9);
    for (unsigned i = 0; i < 6; i++) {
        (void)step(0);
        check_counters(0, 0, 9);
    }
    (void)step(0);
    check_counters(0, 0, 17);
    for (unsigned i = 0; i < 8; i++) {
        check_counters(0, 0, 17);
        (void)step(0);
    }
    check_counters(0, 0, 25);
}

/* A node whose every attempt fails leaves the bus, and comes back after 128 times 11 recessive bits. */
static void test_bus_off(void)
{
    start();
    for (unsigned i = 1; i <= 32; i++) {
        until_field(0, TAKT_CAN_DATA, 9);
        (void)step(1);
        CHECK(bus.events[0] & TAKT_CAN_FAILED);
        check_counters(0, 8 * i, 0);
    }
    CHECK_EQUAL(bus.events[0], TAKT_CAN_FAILED | TAKT_CAN_CHANGED);
    CHECK_EQUAL(nodes[0].phase, TAKT_CAN_OFF);
    while (nodes[1].phase != TAKT_CAN_IDLE) { /* the receivers' error frames */
        (void)step(0);
    }
    uint64_t recessive = bit;
    uint64_t back = until(0, TAKT_CAN_CHANGED);
    CHECK(back >= recessive + 128 * 11 - 22 && back <= recessive + 128 * 11);
    CHECK_EQUAL(until(0, TAKT_CAN_STARTED), back + 1);
    (void)until(0, TAKT_CAN_TRANSMITTED);
}

/* The missing acknowledgement of an error-passive node counts once another node sends dominant into its flag. */
static void test_passive_flag(void)
{
    begin(2);
    bus.dead = 2;
    nodes[0].errors.transmit = 128;
    takt_can_node_offer(&nodes[0], &frame);
    (void)until(0, TAKT_CAN_FAILED);
    CHECK(nodes[0].passive && nodes[0].unacknowledged);
    (void)step(0);
    (void)step(1);
    check_counters(0, 136, 0);
    (void)step(1);
    check_counters(0, 136, 0);
    CHECK_EQUAL(nodes[0].count, 2); /* equal bits */
    nodes[0].errors.transmit = 248;
    (void)until(0, TAKT_CAN_FAILED);
    (void)step(1);
    CHECK_EQUAL(nodes[0].phase, TAKT_CAN_OFF);
}

/* At the data rate, and how long it takes until all bits are nominal again. */
static void test_data_rate(void)
{
    const struct takt_can_frame fd = {.shape = {.fd = true, .brs = true, .dlc = 10}, .id = 0x155};
    begin(3);
    bus.dead = 4;
    takt_can_node_offer(&nodes[0], &fd);
    until_field(0, TAKT_CAN_DATA, 20);
    uint64_t data_bits = bus.data_bits;
    (void)step(1);
    CHECK_EQUAL(bus.data_bits, data_bits + 1);
    for (unsigned i = 0; i < 12; i++) {
        (void)step(0);
    }
    CHECK_EQUAL(bus.data_bits, data_bits + 1);
    (void)until(0, TAKT_CAN_TRANSMITTED);
}

/* After any faults every node gets its frame through, and two runs from one seed are the same. */
static void test_seeds(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(60); i++) {
        struct takt_can_frame frames[NODES];
        uint64_t seed = check_random(&random), ends[2];
        for (unsigned n = 0; n < NODES; n++) {
            frames[n] = random_frame(&random);
            frames[n].id = (frames[n].id & ~UINT32_C(0x3C0003)) | n | n << 18; /* different in both formats */
        }
        for (unsigned run = 0; run < 2; run++) {
            struct takt_can_faults faults = {seed, i % 2 == 0 ? 1u << 26 : 0, i % 3 == 0 ? 0 : 1u << 25};
            begin(NODES);
            for (unsigned n = 0; n < NODES; n++) {
                takt_can_node_offer(&nodes[n], &frames[n]);
            }
            for (unsigned bits = 0; bits < 1500; bits++) {
                (void)step(takt_can_faults_next(&faults, NODES));
            }
            for (unsigned bits = 0; bits < 12000; bits++) {
                (void)step(0);
            }
            for (unsigned n = 0; n < NODES; n++) {
                CHECK(nodes[n].pending == NULL && nodes[n].phase == TAKT_CAN_IDLE);
            }
            ends[run] = bus.nominal_bits;
        }
        CHECK_EQUAL(ends[0], ends[1]);
    }
}

int main(void)
{
    test_one_receiver();
    test_transmitter();
    test_end_of_frame();
    test_kinds();
    test_error_frames();
    test_stuck();
    test_bus_off();
    test_passive_flag();
    test_data_rate();
    test_seeds();
    return 0;
}
