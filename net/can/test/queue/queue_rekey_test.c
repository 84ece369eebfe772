/* SPDX-License-Identifier: Apache-2.0 */
/* The transmit queue by hand: identifiers that change while frames wait. */
#include "net/can/test/queue/node.h"

static void rekey(uint32_t stream, uint32_t id)
{
    takt_can_queue_rekey(&queue, stream, id);
}

/* Three mailboxes and three frames that wait: all get the order of their new identifiers. */
static void test_new_order(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
    open_queue();
    hold();
    for (unsigned i = 0; i < 6; i++) {
        send(i, 0x200 + i, (uint8_t)i);
    }
    for (unsigned i = 0; i < 6; i++) {
        rekey(i, 0x10F - i);
    }
    takt_can_queue_service(&queue);
    run();
    for (unsigned i = 6; i-- > 0;) {
        expect(0x10F - i, (uint8_t)i);
    }
    expect_silence();
    check_counted();
}

/* Frames of one stream keep the order in which they were queued, in a mailbox and behind it. */
static void test_order_of_a_stream(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
    streams[0].depth = 4;
    open_queue();
    hold();
    for (unsigned i = 0; i < 4; i++) {
        send(0, 0x300, (uint8_t)i);
    }
    send(1, 0x280, 9);
    rekey(0, 0x200);
    takt_can_queue_service(&queue);
    run();
    for (unsigned i = 0; i < 4; i++) {
        expect(0x200, (uint8_t)i);
    }
    expect(0x280, 9);
    expect_silence();
    check_counted();
}

/* Of two frames of a stream the first is on the bus when its identifier changes. */
static void rekey_on_the_bus(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
    streams[0].depth = 2;
    open_queue();
    send(0, 0x300, 1);
    until_sends(0x300);
    send(0, 0x300, 2);
    rekey(0, 0x100);
    takt_can_queue_service(&queue);
}

/* The frame on the bus is sent as it is; the next one of its stream waits for that, under the new identifier. */
static void test_frame_on_the_bus(void)
{
    rekey_on_the_bus();
    run();
    expect(0x300, 1);
    expect(0x100, 2);
    expect_silence();
    CHECK_EQUAL(takt_can_queue_counters(&queue, 0)->aborted, 0);
    check_counted();
}

/* The attempt fails: the frame comes again under the new identifier, and before the next one of its stream. */
static void test_failed_attempt(void)
{
    rekey_on_the_bus();
    pass_bit_with(1u << OURS, false);
    run();
    expect(0x100, 1);
    expect(0x100, 2);
    expect_silence();
    CHECK_EQUAL(takt_can_queue_counters(&queue, 0)->aborted, 1);
    check_counted();
}

/* Nothing is loaded before the service, an unchanged identifier aborts nothing, and others' frames stay. */
static void test_service_fills(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
    open_queue();
    hold();
    send(0, 0x300, 0);
    send(1, 0x301, 1);
    rekey(0, 0x300);
    CHECK_EQUAL(__builtin_popcount(ours.loaded), 2);
    CHECK_EQUAL(takt_can_queue_counters(&queue, 0)->aborted, 0);
    rekey(0, 0x400);
    CHECK_EQUAL(__builtin_popcount(ours.loaded), 1);
    CHECK_EQUAL(takt_can_queue_counters(&queue, 0)->aborted, 1);
    CHECK_EQUAL(takt_can_queue_counters(&queue, 1)->aborted, 0);
    takt_can_queue_service(&queue);
    CHECK_EQUAL(__builtin_popcount(ours.loaded), 2);
    run();
    expect(0x301, 1);
    expect(0x400, 0);
    check_counted();
}

/* A frame that comes back from a mailbox waits by its new identifier: others have the mailboxes. */
static void test_comes_back(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
    open_queue();
    hold();
    for (unsigned i = 0; i < 5; i++) {
        send(i, 0x200 + i, (uint8_t)i);
    }
    rekey(0, 0x500);
    takt_can_queue_service(&queue);
    for (unsigned i = 0; i < 3; i++) {
        CHECK((ours.loaded >> i & 1) != 0 && ours.frames[i].id <= 0x203);
    }
    run();
    for (unsigned i = 1; i < 5; i++) {
        expect(0x200 + i, (uint8_t)i);
    }
    expect(0x500, 0);
    check_counted();
}

/* A state message, in a mailbox of its own: the newest value has the new identifier. */
static void test_state_message(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
    streams[0] = (struct takt_can_stream){.mailbox = 0, .state = true};
    open_queue();
    send(0, 0x300, 1);
    until_sends(0x300);
    send(0, 0x300, 2);
    rekey(0, 0x200);
    takt_can_queue_service(&queue);
    send(0, 0x200, 3);
    run();
    expect(0x300, 1);
    expect(0x200, 3);
    expect_silence();
    CHECK_EQUAL(takt_can_queue_counters(&queue, 0)->replaced, 1);
    check_counted();
}

/* A stream inherits: with a lower identifier its frame leaves before those that would go first. */
static void test_inherited(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
    open_queue();
    hold();
    for (unsigned i = 0; i < 5; i++) {
        send(i, 0x200 + i, (uint8_t)i);
    }
    rekey(4, 0x1FF);
    takt_can_queue_service(&queue);
    run();
    expect(0x1FF, 4);
    expect(0x200, 0);
    check_counted();
}

int main(void)
{
    test_new_order();
    test_order_of_a_stream();
    test_frame_on_the_bus();
    test_failed_attempt();
    test_service_fills();
    test_comes_back();
    test_state_message();
    test_inherited();
    return 0;
}
