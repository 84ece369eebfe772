/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes on a bus, bit by bit: transmission, arbitration, acknowledgement. */
#include "net/can/test/bus.h"
#include "net/can/test/random_frame.h"

static const struct takt_can_frame low = {.shape = {.dlc = 2}, .id = 0x100, .data = {0xAB, 0xCD}};
static const struct takt_can_frame high = {.shape = {.dlc = 8}, .id = 0x0F0, .data = {1, 2, 3, 4, 5, 6, 7, 8}};

static unsigned bits_of(const struct takt_can_frame *frame)
{
    struct takt_can_length length = takt_can_length_exact(frame);
    return length.nominal_bits + length.data_bits;
}

static void test_one_frame(void)
{
    begin(3);
    takt_can_node_offer(&nodes[1], &low);
    CHECK_EQUAL(step(0), TAKT_CAN_STARTED);
    CHECK_EQUAL(bus.events[1], TAKT_CAN_STARTED);
    CHECK(nodes[1].sending == &low && nodes[1].transmitter && !nodes[0].transmitter);
    uint64_t end = bits_of(&low) - TAKT_CAN_INTERMISSION - 1; /* the last bit of the end of frame */
    CHECK_EQUAL(until(0, TAKT_CAN_RECEIVED), end - 1);
    CHECK_EQUAL(bus.events[2], TAKT_CAN_RECEIVED);
    CHECK_EQUAL(bus.events[1], 0);
    CHECK(takt_can_frame_equals(&nodes[2].parser.frame, &low));
    CHECK_EQUAL(until(1, TAKT_CAN_TRANSMITTED), end);
    CHECK(nodes[1].pending == NULL && nodes[1].sending == NULL);
    takt_can_node_offer(&nodes[0], &high);
    CHECK_EQUAL(until(0, TAKT_CAN_STARTED), end + 4); /* after the intermission */
}

static void test_arbitration(void)
{
    begin(3);
    takt_can_node_offer(&nodes[0], &low);
    takt_can_node_offer(&nodes[2], &high);
    CHECK_EQUAL(step(0), TAKT_CAN_STARTED);
    CHECK_EQUAL(until(0, TAKT_CAN_LOST), 3); /* 0 0 0 1 against 0 0 0 0 */
    CHECK(nodes[0].sending == NULL && nodes[0].pending == &low);
    (void)until(0, TAKT_CAN_RECEIVED);
    CHECK(takt_can_frame_equals(&nodes[0].parser.frame, &high));
    CHECK_EQUAL(until(0, TAKT_CAN_STARTED), bits_of(&high));
    CHECK_EQUAL(until(0, TAKT_CAN_TRANSMITTED), bits_of(&high) + bits_of(&low) - TAKT_CAN_INTERMISSION - 1);
    check_counters(0, 0, 0);
    check_counters(2, 0, 0);
}

/* What is pending may be exchanged at any time; what is being sent is not affected. */
static void test_exchange(void)
{
    begin(2);
    takt_can_node_offer(&nodes[0], &low);
    (void)step(0);
    takt_can_node_offer(&nodes[0], &high);
    CHECK(nodes[0].sending == &low);
    (void)until(1, TAKT_CAN_RECEIVED);
    CHECK(takt_can_frame_equals(&nodes[1].parser.frame, &low));
    (void)until(0, TAKT_CAN_TRANSMITTED);
    CHECK(nodes[0].pending == &high);
    (void)until(0, TAKT_CAN_STARTED);
    takt_can_node_offer(&nodes[0], NULL);
    (void)until(0, TAKT_CAN_TRANSMITTED);
    CHECK(takt_can_frame_equals(&nodes[1].parser.frame, &high));
    for (unsigned i = 0; i < 50; i++) {
        CHECK_EQUAL(step(0), 0);
    }
}

/* Without acknowledgement a node becomes error-passive and goes on for ever. */
static void test_alone(void)
{
    begin(2);
    bus.dead = 2;
    takt_can_node_offer(&nodes[0], &low);
    for (unsigned i = 1; i <= 16; i++) {
        (void)until(0, TAKT_CAN_FAILED);
        CHECK_EQUAL(nodes[0].error, TAKT_CAN_ERROR_ACK);
        check_counters(0, 8 * i, 0);
        CHECK(!nodes[0].passive);
    }
    CHECK_EQUAL(takt_can_errors_state(&nodes[0].errors), TAKT_CAN_PASSIVE);
    uint64_t first = until(0, TAKT_CAN_FAILED);
    /* From the acknowledge slot on: flag, delimiter, intermission, suspension. */
    uint64_t before = bits_of(&low) - TAKT_CAN_INTERMISSION - 8;
    for (unsigned i = 1; i <= 1000; i++) {
        CHECK_EQUAL(until(0, TAKT_CAN_FAILED), first + i * (before + 6 + 8 + 3 + 8));
        CHECK_EQUAL(nodes[0].error, TAKT_CAN_ERROR_ACK);
        check_counters(0, 128, 0);
    }
    bus.dead = 0; /* the other one comes: it waits for 11 recessive bits, which are there */
    (void)until(0, TAKT_CAN_TRANSMITTED);
    check_counters(0, 127, 0);
    CHECK_EQUAL(bus.events[0], TAKT_CAN_TRANSMITTED | TAKT_CAN_CHANGED);
}

/* All of a few nodes send random frames: they come in the order of their arbitration, one after the other. */
static void test_random(void)
{
    uint64_t random = check_seed();
    for (unsigned long i = 0; i < check_cases(200); i++) {
        struct takt_can_frame frames[NODES];
        begin(NODES);
        for (unsigned n = 0; n < NODES; n++) {
            frames[n] = random_frame(&random);
            frames[n].passive = false;
            for (unsigned other = 0; other < n; other++) {
                if (takt_can_frame_compare(&frames[n], &frames[other]) == 0) {
                    n--; /* another one: two nodes may not send the same */
                    break;
                }
            }
        }
        for (unsigned n = 0; n < NODES; n++) {
            takt_can_node_offer(&nodes[n], &frames[n]);
        }
        uint64_t nominal_bits = 0, data_bits = 0;
        for (unsigned done = 0; done < NODES; done++) {
            unsigned best = NODES;
            for (unsigned n = 0; n < NODES; n++) {
                if (nodes[n].pending != NULL &&
                    (best == NODES || takt_can_frame_compare(&frames[n], &frames[best]) < 0)) {
                    best = n;
                }
            }
            struct takt_can_length length = takt_can_length_exact(&frames[best]);
            (void)until(best, TAKT_CAN_TRANSMITTED);
            nominal_bits += length.nominal_bits;
            data_bits += length.data_bits;
            CHECK_EQUAL(bus.nominal_bits, nominal_bits - TAKT_CAN_INTERMISSION);
            CHECK_EQUAL(bus.data_bits, data_bits);
            for (unsigned n = 0; n < NODES; n++) {
                CHECK(takt_can_frame_equals(&nodes[n].parser.frame, &frames[best]));
                check_counters(n, 0, 0);
            }
        }
    }
}

/* The bit ESI follows from the node's state, whatever the frame says. */
static void test_error_state_indicator(void)
{
    const struct takt_can_frame fd = {.shape = {.fd = true, .brs = true, .dlc = 9}, .passive = true, .id = 3};
    begin(2);
    takt_can_node_offer(&nodes[0], &fd);
    (void)until(1, TAKT_CAN_RECEIVED);
    CHECK(!nodes[1].parser.frame.passive);
    (void)until(0, TAKT_CAN_TRANSMITTED);
    nodes[0].errors.transmit = 200;
    takt_can_node_offer(&nodes[0], &fd);
    (void)until(1, TAKT_CAN_RECEIVED);
    CHECK(nodes[1].parser.frame.passive);
}

/* An error-passive node that has sent waits 8 bits more, in which another one may begin. */
static void test_suspended(void)
{
    begin(2);
    nodes[0].errors.transmit = 150;
    takt_can_node_offer(&nodes[0], &high);
    uint64_t end = until(0, TAKT_CAN_TRANSMITTED);
    takt_can_node_offer(&nodes[0], &high);
    CHECK_EQUAL(until(0, TAKT_CAN_STARTED), end + 3 + 8 + 1);
    end = until(0, TAKT_CAN_TRANSMITTED);
    takt_can_node_offer(&nodes[0], &high);
    for (unsigned i = 0; i < 8; i++) {
        (void)step(0);
    }
    takt_can_node_offer(&nodes[1], &low); /* of lower priority */
    CHECK_EQUAL(until(1, TAKT_CAN_STARTED), end + 9);
    end = until(1, TAKT_CAN_TRANSMITTED);
    CHECK_EQUAL(until(0, TAKT_CAN_STARTED), end + 4);
    nodes[0].errors.transmit = 0;
    nodes[0].errors.receive = 150; /* the same of that counter */
    end = until(0, TAKT_CAN_TRANSMITTED);
    takt_can_node_offer(&nodes[0], &low);
    CHECK_EQUAL(until(0, TAKT_CAN_STARTED), end + 12);
}

/* A node that begins in the last bit of the intermission of another one, which takes part from the identifier on. */
static void test_start_in_the_intermission(void)
{
    begin(2);
    takt_can_node_offer(&nodes[0], &high);
    (void)until(0, TAKT_CAN_TRANSMITTED);
    takt_can_node_offer(&nodes[0], &high);
    takt_can_node_offer(&nodes[1], &low);
    (void)step(0);
    (void)step(0);
    nodes[1].phase = TAKT_CAN_IDLE; /* as if its intermission had begun earlier */
    CHECK_EQUAL(step(0), TAKT_CAN_STARTED);
    CHECK_EQUAL(bus.events[0], TAKT_CAN_STARTED);
    CHECK_EQUAL(bus.events[1], TAKT_CAN_STARTED);
    (void)until(1, TAKT_CAN_LOST);
    (void)until(1, TAKT_CAN_RECEIVED);
    CHECK(takt_can_frame_equals(&nodes[1].parser.frame, &high));
    (void)until(0, TAKT_CAN_TRANSMITTED);
    nodes[0].errors.transmit = 150; /* suspended: it only receives */
    takt_can_node_offer(&nodes[0], &high);
    (void)step(0);
    (void)step(0);
    nodes[1].phase = TAKT_CAN_IDLE;
    CHECK_EQUAL(step(0), TAKT_CAN_STARTED);
    CHECK_EQUAL(bus.events[0], 0);
    (void)until(0, TAKT_CAN_RECEIVED);
    CHECK(takt_can_frame_equals(&nodes[0].parser.frame, &low));
}

/* A node that is switched on in the middle of a frame waits for its end. */
static void test_integration(void)
{
    begin(3);
    takt_can_node_offer(&nodes[0], &high);
    for (unsigned i = 0; i < 20; i++) {
        (void)step(0);
    }
    takt_can_node_init(&nodes[2]);
    takt_can_node_offer(&nodes[2], &low);
    uint64_t end = until(0, TAKT_CAN_TRANSMITTED);
    CHECK_EQUAL(until(2, TAKT_CAN_STARTED), end + 4); /* 1 of the delimiter, 7 of the end, 3 */
}

int main(void)
{
    test_one_frame();
    test_arbitration();
    test_exchange();
    test_alone();
    test_random();
    test_error_state_indicator();
    test_suspended();
    test_start_in_the_intermission();
    test_integration();
    return 0;
}
