/* SPDX-License-Identifier: Apache-2.0 */
/* The transmit queue by hand: order, what is aborted and replaced, own mailboxes. */
#include "net/can/test/queue/node.h"

static const struct takt_can_counters *counters(uint32_t stream)
{
    return takt_can_queue_counters(&queue, stream);
}

static void begin_three(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
}

static void test_order(void)
{
    begin_three();
    open_queue();
    hold();
    for (unsigned i = 0; i < 6; i++) {
        send(i, 0x600 - 0x10 * i, (uint8_t)i); /* each better than all before it */
    }
    CHECK_EQUAL(counters(0)->aborted, 1);
    CHECK_EQUAL(counters(2)->aborted, 1);
    CHECK_EQUAL(counters(3)->aborted, 0);
    run();
    for (unsigned i = 6; i > 0; i--) {
        expect(0x600 - 0x10 * (i - 1), (uint8_t)(i - 1));
    }
    expect_silence();
    check_counted();
    CHECK_EQUAL(counters(0)->sent, 1);
}

/* Identifiers of both lengths, and remote frames, are compared as the bus does. */
static void test_arbitration_order(void)
{
    const struct takt_can_frame frames[] = {
        {.id = 0x100, .shape = {.remote = true}},
        {.id = 0x100u << 18 | 1, .shape = {.extended = true}},
        {.id = 0x100u << 18 | 2, .shape = {.extended = true}},
        {.id = 0x101},
        {.id = 0x101u << 18, .shape = {.extended = true, .remote = true}},
    };
    enum { COUNT = sizeof frames / sizeof *frames };
    begin_queue(TAKT_CAN_TOUCAN, 2);
    open_queue();
    hold();
    for (unsigned i = COUNT; i > 0; i--) {
        CHECK_EQUAL(takt_can_queue_send(&queue, i, &frames[i - 1], 0), TAKT_OK);
    }
    run();
    CHECK_EQUAL(seen_count, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        CHECK(takt_can_frame_equals(&seen_frames[i], &frames[i]));
    }
}

/* Those of one identifier go as they came, also when the first of them was taken out of its mailbox meanwhile. */
static void test_order_of_one(void)
{
    begin_queue(TAKT_CAN_TOUCAN, 1);
    streams[0].depth = 4;
    open_queue();
    hold();
    for (uint8_t i = 0; i < 4; i++) {
        send(0, 0x300, i);
    }
    CHECK_EQUAL(try_send(0, 0x300, 4), TAKT_FULL);
    send(1, 0x200, 9);
    CHECK_EQUAL(counters(0)->aborted, 1);
    run();
    expect(0x200, 9);
    for (uint8_t i = 0; i < 4; i++) {
        expect(0x300, i);
    }
    expect_silence();
    check_counted();
    CHECK_EQUAL(counters(0)->full, 1);
    CHECK_EQUAL(counters(0)->queued, 4);
    begin_three(); /* several mailboxes are free, and yet one frame of it is in them */
    streams[0].depth = 4;
    open_queue();
    for (uint8_t i = 0; i < 4; i++) {
        send(0, 0x300, i);
    }
    CHECK_EQUAL(__builtin_popcount(queue.loaded), 1);
    run();
    for (uint8_t i = 0; i < 4; i++) {
        expect(0x300, i);
    }
}

/* Frames of a stream with different identifiers wait by these: one that need not wait for another is loaded. */
static void test_identifiers_of_one(void)
{
    begin_three();
    streams[0].depth = 6;
    open_queue();
    hold();
    send(0, 0x300, 1);
    send(0, 0x300, 2);
    send(0, 0x310, 3);
    send(0, 0x310, 4);
    send(0, 0x2F0, 5);
    send(0, 0x305, 6);
    CHECK_EQUAL(__builtin_popcount(queue.loaded), 3);
    CHECK_EQUAL(counters(0)->aborted, 1);
    send(1, 0x302, 7);
    CHECK_EQUAL(counters(0)->aborted, 2);
    run();
    expect(0x2F0, 5);
    expect(0x300, 1);
    expect(0x300, 2);
    expect(0x302, 7);
    expect(0x305, 6);
    expect(0x310, 3);
    expect(0x310, 4);
    expect_silence();
    check_counted();
}

/* A frame on the bus goes on; one of the others makes room, so that the better one is offered next. */
static void test_frame_on_the_bus(void)
{
    begin_three();
    open_queue();
    send(0, 0x700, 0);
    until_sends(0x700);
    send(1, 0x500, 1);
    send(2, 0x600, 2);
    send(3, 0x400, 3);
    CHECK_EQUAL(counters(0)->aborted, 0);
    CHECK_EQUAL(counters(2)->aborted, 1);
    run();
    expect(0x700, 0);
    expect(0x400, 3);
    expect(0x500, 1);
    expect(0x600, 2);
    expect_silence();
    CHECK_EQUAL(counters(0)->sent, 1);
}

/* With one mailbox the frame on the bus is asked back, and comes back if an error ends it. */
static void test_one_mailbox(void)
{
    begin_queue(TAKT_CAN_TOUCAN, 1);
    open_queue();
    send(0, 0x700, 0);
    until_sends(0x700);
    send(1, 0x100, 1);
    pass_bit_with(1u << OURS, false);
    CHECK(bus.events[OURS] & TAKT_CAN_FAILED);
    CHECK_EQUAL(counters(0)->aborted, 1);
    run();
    expect(0x100, 1);
    expect(0x700, 0);
    expect_silence();
    CHECK_EQUAL(counters(0)->sent, 1);
    send(0, 0x700, 2);
    until_sends(0x700);
    send(1, 0x100, 3);
    run();
    expect(0x700, 2);
    expect(0x100, 3);
    check_counted();
}

static void test_state_message(void)
{
    begin_queue(TAKT_CAN_TOUCAN, 2);
    streams[2].state = true;
    streams[2].depth = 0;
    open_queue();
    hold();
    send(0, 0x100, 0);
    send(1, 0x200, 1);
    for (uint8_t i = 0; i < 3; i++) {
        send(2, 0x300, i); /* waits: in its slot */
    }
    CHECK_EQUAL(counters(2)->replaced, 2);
    run();
    expect(0x100, 0);
    expect(0x200, 1);
    expect(0x300, 2);
    expect_silence();
    hold();
    for (uint8_t i = 0; i < 3; i++) {
        send(2, 0x300, i); /* is loaded: taken out of the mailbox */
    }
    CHECK_EQUAL(counters(2)->replaced, 4);
    CHECK_EQUAL(counters(2)->aborted, 0);
    run();
    expect(0x300, 2);
    expect_silence();
    send(2, 0x300, 7);
    until_sends(0x300);
    for (uint8_t i = 8; i < 11; i++) {
        send(2, 0x300, i); /* is on the bus: the newest follows */
    }
    run();
    expect(0x300, 7);
    expect(0x300, 10);
    expect_silence();
    check_counted();
    send(2, 0x300, 20);
    until_sends(0x300);
    send(2, 0x300, 21);
    pass_bit_with(1u << OURS, false); /* an error: the old value is not sent again */
    run();
    expect(0x300, 21);
    expect_silence();
    check_counted();
}

/* A state message that was taken out of its mailbox for a better one waits with its value, and is still replaced. */
static void test_state_message_aborted(void)
{
    begin_queue(TAKT_CAN_TOUCAN, 1);
    streams[2].state = true;
    open_queue();
    hold();
    send(2, 0x300, 1);
    send(0, 0x100, 0);
    CHECK_EQUAL(counters(2)->aborted, 1);
    send(2, 0x300, 2);
    CHECK_EQUAL(counters(2)->replaced, 1);
    send(2, 0x300, 3);
    run();
    expect(0x100, 0);
    expect(0x300, 3);
    expect_silence();
    check_counted();
    hold();
    send(2, 0x300, 4);
    send(2, 0x080, 5); /* another identifier, which moves it */
    send(0, 0x100, 0);
    run();
    expect(0x080, 5);
    expect(0x100, 0);
    expect_silence();
}

/* A newer value with another identifier waits for the end of the older one, although a mailbox is free. */
static void test_state_message_with_another_identifier(void)
{
    begin_three();
    streams[2].state = true;
    open_queue();
    send(2, 0x300, 1);
    until_sends(0x300);
    send(2, 0x080, 2);
    send(2, 0x090, 3);
    send(2, 0x070, 4);
    CHECK_EQUAL(states[2].waiting, 2);
    CHECK_EQUAL(__builtin_popcount(queue.loaded), 1);
    run();
    expect(0x300, 1);
    expect(0x070, 4);
    expect_silence();
    check_counted();
}

/* A stream with a mailbox of its own does not wait behind better ones that fill the others, and needs no interrupt. */
static void test_own_mailbox(void)
{
    begin_three();
    streams[0].mailbox = 1;
    streams[0].state = true;
    open_queue();
    hold();
    send(1, 0x100, 1);
    send(2, 0x110, 2);
    send(3, 0x120, 3);
    send(0, 0x700, 0);
    CHECK((queue.loaded & 2) != 0);
    send(0, 0x700, 1);
    CHECK_EQUAL(counters(0)->replaced, 1);
    run();
    expect(0x100, 1);
    expect(0x110, 2);
    expect(0x120, 3);
    expect(0x700, 1);
    served = 0;
    for (uint8_t i = 0; i < 5; i++) {
        send(0, 0x700, i);
        run();
        expect(0x700, i);
    }
    CHECK_EQUAL(served, 0);
    send(1, 0x100, 1); /* neither do frames that find a shared one free */
    run();
    CHECK_EQUAL(served, 0);
    takt_can_queue_service(&queue);
    CHECK_EQUAL(counters(0)->sent, 6);
    check_counted();
}

/* More than one frame of it may wait; others do not take its mailbox. */
static void test_own_mailbox_in_order(void)
{
    begin_three();
    streams[0].mailbox = 0;
    streams[0].depth = 3;
    open_queue();
    hold();
    for (uint8_t i = 0; i < 3; i++) {
        send(0, 0x400, i);
    }
    CHECK_EQUAL(try_send(0, 0x400, 3), TAKT_FULL);
    for (unsigned i = 1; i < 5; i++) {
        send(i, 0x100 + i, 0);
    }
    CHECK_EQUAL(queue.held[0], 0);
    run();
    for (unsigned i = 1; i < 5; i++) {
        expect(0x100 + i, 0);
    }
    for (uint8_t i = 0; i < 3; i++) {
        expect(0x400, i);
    }
    hold();
    send(0, 0x400, 1);
    send(0, 0x300, 2); /* a better one waits for its mailbox all the same */
    for (unsigned i = 1; i < 5; i++) {
        send(i, 0x100 + i, 0);
    }
    run();
    for (unsigned i = 1; i < 5; i++) {
        expect(0x100 + i, 0);
    }
    expect(0x400, 1);
    expect(0x300, 2);
    expect_silence();
}

int main(void)
{
    test_order();
    test_arbitration_order();
    test_order_of_one();
    test_identifiers_of_one();
    test_frame_on_the_bus();
    test_one_mailbox();
    test_state_message();
    test_state_message_aborted();
    test_state_message_with_another_identifier();
    test_own_mailbox();
    test_own_mailbox_in_order();
    return 0;
}
