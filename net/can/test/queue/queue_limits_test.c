/* SPDX-License-Identifier: Apache-2.0 */
/* The transmit queue by hand: interrupts, budgets, what is taken back, bus-off, configurations. */
#include "net/can/test/queue/node.h"

static const struct takt_can_counters *counters(uint32_t stream)
{
    return takt_can_queue_counters(&queue, stream);
}

static void begin_three(void)
{
    begin_queue(TAKT_CAN_THREE, 0);
}

/* One interrupt for all mailboxes less `refill_at`; with it the bus is not idle between the frames although an
 * interrupt is served late (seed 000, 7.4.4). */
static void test_interrupts(void)
{
    enum { MAILBOXES = 5, LATE = 50 };
    for (uint8_t refill = 0; refill < MAILBOXES; refill++) {
        unsigned late = 0, idle = 0;
        begin_queue(TAKT_CAN_TOUCAN, MAILBOXES);
        queue_config.refill_at = refill;
        open_queue();
        hold();
        for (unsigned i = 0; i < STREAMS; i++) {
            send(i, 0x100 + i, (uint8_t)i);
        }
        until_sends(0x100);
        for (served = 0; seen_count < STREAMS;) {
            bool was_idle = nodes[OTHER].phase == TAKT_CAN_IDLE;
            pass_bit_with(0, true);
            idle += was_idle && nodes[OTHER].phase == TAKT_CAN_IDLE;
            if (late == 0 && takt_can_simulated_interrupt(&ours)) {
                late = refill > 0 ? LATE : 1;
            }
            if (late > 0 && --late == 0) {
                takt_can_queue_service(&queue);
                served++;
            }
        }
        for (unsigned i = 0; i < STREAMS; i++) {
            expect(0x100 + i, (uint8_t)i);
        }
        CHECK_EQUAL(idle, 0);
        CHECK_EQUAL(served, (STREAMS - MAILBOXES + MAILBOXES - refill - 1) / (MAILBOXES - refill));
        check_counted();
    }
}

/* The frame on the bus when better ones come has the highest identifier, and ends first: the interrupt of the next one
 * alone would come when nothing is left to send. */
static void test_interrupt_of_the_frame_on_the_bus(void)
{
    begin_queue(TAKT_CAN_TOUCAN, 2);
    queue_config.refill_at = 1;
    open_queue();
    send(0, 0x500, 0);
    until_sends(0x500);
    send(1, 0x100, 1); /* both mailboxes are loaded */
    send(2, 0x600, 2); /* waits, worse than both */
    CHECK_EQUAL(queue.interrupts, 3);
    served = 0;
    run();
    CHECK_EQUAL(served, 1);
    expect(0x500, 0);
    expect(0x100, 1);
    expect(0x600, 2);
    streams[3].confirmed = true; /* each of its frames asks for one */
    send(3, 0x200, 3);
    run();
    CHECK_EQUAL(served, 2);
    CHECK_EQUAL(counters(3)->sent, 1);
    CHECK_EQUAL(queue.interrupts, 0);
}

/* Streams of which frames ended are returned once, whatever ended of them how often, and only these. */
static void test_ended(void)
{
    begin_three();
    streams[1].depth = 3;
    streams[2].state = true;
    open_queue();
    CHECK_EQUAL(takt_can_queue_ended(&queue), TAKT_CAN_STREAMS_MAX);
    hold();
    for (uint8_t i = 0; i < 3; i++) {
        send(1, 0x100, i);
    }
    send(2, 0x080, 0);
    send(4, 0x400, 4);
    CHECK_EQUAL(takt_can_queue_ended(&queue), TAKT_CAN_STREAMS_MAX);
    send(2, 0x080, 1);
    CHECK_EQUAL(takt_can_queue_ended(&queue), 2);
    CHECK_EQUAL(takt_can_queue_ended(&queue), TAKT_CAN_STREAMS_MAX);
    takt_can_queue_cancel(&queue, 4);
    run();
    unsigned found = 0;
    for (uint32_t stream = takt_can_queue_ended(&queue); stream != TAKT_CAN_STREAMS_MAX;
         stream = takt_can_queue_ended(&queue)) {
        CHECK((found >> stream & 1) == 0);
        found |= 1u << stream;
    }
    CHECK_EQUAL(found, 1u << 1 | 1u << 2 | 1u << 4);
    CHECK_EQUAL(counters(1)->sent, 3);
}

static const struct takt_can_controller_calls *plain;
static bool last_found;

static bool look(struct takt_can_controller *controller, struct takt_can_controller_event *event)
{
    last_found = plain->next_event(controller, event);
    return last_found;
}

/* Every call that took an event looks until there is none, also after an abort: else the controller interrupts for what
 * is known. */
static void test_nothing_is_left_to_interrupt_for(void)
{
    begin_three();
    open_queue();
    hold();
    plain = ours.controller.calls;
    struct takt_can_controller_calls watched = *plain;
    watched.next_event = look;
    ours.controller.calls = &watched;
    for (unsigned i = 0; i < 6; i++) {
        last_found = true;
        send(i, 0x600 - 0x10 * i, 0);
        CHECK(!last_found);
    }
    ours.controller.calls = plain;
    CHECK_EQUAL(counters(0)->aborted, 1);
}

static void test_budget(void)
{
    begin_three();
    streams[0].distance_ns = 100;
    streams[0].depth = 50;
    streams[1].distance_ns = 100;
    streams[1].jitter_ns = 30;
    streams[1].depth = 50;
    streams[2].distance_ns = UINT64_MAX;
    open_queue();
    now = 1000;
    send(0, 0x100, 0);
    send(1, 0x200, 0);
    send(2, 0x300, 0);
    now = 1069;
    CHECK_EQUAL(try_send(1, 0x200, 1), TAKT_LIMIT);
    now = 1070; /* the first one was 30 late */
    send(1, 0x200, 1);
    now = 1099;
    CHECK_EQUAL(try_send(0, 0x100, 1), TAKT_LIMIT);
    now = 1100;
    send(0, 0x100, 1);
    now = 1169;
    CHECK_EQUAL(try_send(1, 0x200, 2), TAKT_LIMIT); /* nominal releases: 970, 1070, 1170 */
    now = 1170;
    send(1, 0x200, 2);
    now = 1400; /* what was not used does not add up */
    send(1, 0x200, 3);
    CHECK_EQUAL(try_send(1, 0x200, 4), TAKT_LIMIT);
    now = 1470;
    send(1, 0x200, 4);
    for (unsigned i = 0; i < 50; i++) { /* a task that sends all the time */
        CHECK_EQUAL(try_send(0, 0x100, 2), i == 0 ? TAKT_OK : TAKT_LIMIT);
    }
    run();
    CHECK_EQUAL(try_send(2, 0x300, 1), TAKT_LIMIT);
    now = UINT64_MAX; /* where it saturates */
    CHECK_EQUAL(try_send(2, 0x300, 1), TAKT_OK);
    CHECK_EQUAL(counters(0)->early, 50);
    CHECK_EQUAL(counters(1)->early, 3);
    run();
    CHECK_EQUAL(counters(0)->sent, 3);
    check_counted();
}

static void test_cancel(void)
{
    begin_queue(TAKT_CAN_TOUCAN, 2);
    streams[0].depth = 3;
    streams[3].state = true;
    open_queue();
    send(0, 0x400, 0);
    until_sends(0x400);
    send(0, 0x400, 1);
    send(0, 0x400, 2);
    send(1, 0x500, 9);
    takt_can_queue_cancel(&queue, 0);
    CHECK_EQUAL(counters(0)->cancelled, 2);
    send(0, 0x400, 3);
    send(0, 0x400, 4);
    CHECK_EQUAL(try_send(0, 0x400, 5), TAKT_FULL); /* the one on the bus counts */
    check_counted();
    run();
    expect(0x400, 0);
    expect(0x400, 3);
    expect(0x400, 4);
    expect(0x500, 9);
    expect_silence();
    hold();
    send(0, 0x400, 1);
    send(3, 0x300, 1);
    send(3, 0x300, 2);
    takt_can_queue_cancel(&queue, 0);
    takt_can_queue_cancel(&queue, 3);
    takt_can_queue_cancel(&queue, 5);
    CHECK_EQUAL(counters(0)->cancelled, 3);
    CHECK_EQUAL(counters(3)->cancelled, 1);
    CHECK_EQUAL(counters(3)->replaced, 1);
    run();
    expect_silence();
    check_counted();
    send(0, 0x400, 6);
    until_sends(0x400);
    takt_can_queue_cancel(&queue, 0);
    pass_bit_with(1u << OURS, false); /* an error ends what was taken back */
    run();
    expect_silence();
    CHECK_EQUAL(counters(0)->cancelled, 4);
    check_counted();
}

/* All that waits at bus-off is lost; nothing is accepted until it is over, and then nothing old is sent. */
static void test_bus_off(void)
{
    begin_three();
    streams[0].depth = 5;
    streams[3].state = true;
    open_queue();
    for (uint8_t i = 0; i < 5; i++) {
        send(0, 0x200, i);
    }
    send(1, 0x300, 0);
    send(2, 0x310, 0);
    send(3, 0x320, 0);
    send(4, 0x330, 0);
    while (nodes[OURS].phase != TAKT_CAN_OFF) {
        const struct takt_can_node *node = &nodes[OURS];
        bool sends = node->phase == TAKT_CAN_IN_FRAME && node->transmitter && node->parser.field == TAKT_CAN_DATA;
        pass_bit_with(sends ? 1u << OURS : 0, true);
    }
    CHECK(!takt_can_queue_is_off(&queue));
    CHECK_EQUAL(try_send(5, 0x050, 0), TAKT_STATE);
    CHECK(takt_can_queue_is_off(&queue));
    CHECK_EQUAL(counters(0)->lost, 5);
    CHECK_EQUAL(counters(3)->lost, 1);
    CHECK_EQUAL(counters(5)->off, 1);
    check_counted();
    for (unsigned i = 0; i < 2000; i++) {
        pass_bit();
    }
    CHECK(takt_can_queue_is_off(&queue));
    takt_can_queue_recover(&queue);
    for (unsigned i = 0; i < 2000; i++) {
        pass_bit();
    }
    CHECK(!takt_can_queue_is_off(&queue));
    run();
    expect_silence();
    for (uint8_t i = 0; i < 5; i++) {
        send(0, 0x200, i);
        run();
        expect(0x200, i);
    }
    check_counted();
}

/* A driver that says twice that a mailbox ended. */
static void test_event_of_a_free_mailbox(void)
{
    begin_three();
    open_queue();
    send(0, 0x100, 1);
    run();
    ours.sent |= 1;
    takt_can_queue_service(&queue);
    CHECK_EQUAL(counters(0)->sent, 1);
    check_counted();
}

static void test_config(void)
{
    begin_three();
    open_queue();
    struct takt_can_queue_config good = queue_config, bad = good;
    CHECK_EQUAL(takt_can_queue_slots(streams, STREAMS), STREAMS);
    bad.slot_count = STREAMS - 1;
    CHECK(!takt_can_queue_config_is_valid(&bad));
    bad.slot_count = TAKT_CAN_SLOTS_MAX + 1;
    CHECK(!takt_can_queue_config_is_valid(&bad));
    bad = good;
    bad.stream_count = 0;
    CHECK(!takt_can_queue_config_is_valid(&bad));
    bad.stream_count = TAKT_CAN_STREAMS_MAX + 1;
    CHECK(!takt_can_queue_config_is_valid(&bad));
    bad = good;
    ours.controller.mailboxes = 0;
    CHECK(!takt_can_queue_config_is_valid(&bad));
    ours.controller.mailboxes = TAKT_CAN_MAILBOXES_MAX + 1;
    CHECK(!takt_can_queue_config_is_valid(&bad));
    ours.controller.mailboxes = 3;
    bad.refill_at = 3;
    CHECK(!takt_can_queue_config_is_valid(&bad));
    bad.refill_at = 2;
    CHECK(takt_can_queue_config_is_valid(&bad));
    streams[0].mailbox = 3;
    CHECK(!takt_can_queue_config_is_valid(&good));
    streams[0].mailbox = 2;
    CHECK(takt_can_queue_config_is_valid(&good));
    CHECK(!takt_can_queue_config_is_valid(&bad));
    streams[1].mailbox = 2;
    CHECK(!takt_can_queue_config_is_valid(&good));
    streams[1].mailbox = 1;
    streams[2].mailbox = 0;
    CHECK(!takt_can_queue_config_is_valid(&good)); /* none is left for the others */
    good.stream_count = 3;
    CHECK(takt_can_queue_config_is_valid(&good));
    streams[0].depth = 0;
    CHECK(!takt_can_queue_config_is_valid(&good));
    streams[0].state = true;
    CHECK(takt_can_queue_config_is_valid(&good));
    CHECK_EQUAL(takt_can_queue_slots(streams, STREAMS), STREAMS + 1);
    streams[0].state = false;
    streams[0].depth = TAKT_CAN_DEPTH_MAX + 1;
    good.slot_count = TAKT_CAN_SLOTS_MAX;
    CHECK(!takt_can_queue_config_is_valid(&good));
    streams[0].depth = TAKT_CAN_DEPTH_MAX;
    CHECK(takt_can_queue_config_is_valid(&good));
}

int main(void)
{
    test_interrupts();
    test_interrupt_of_the_frame_on_the_bus();
    test_ended();
    test_nothing_is_left_to_interrupt_for();
    test_budget();
    test_cancel();
    test_bus_off();
    test_event_of_a_free_mailbox();
    test_config();
    return 0;
}
