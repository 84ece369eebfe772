/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated controllers under the cases of all drivers, and what only they do. */
#include "net/can/test/bus.h"
#include "net/can/test/queue/controller_cases.h"
#include "takt/can_simulated.h"

enum { OURS = 0, OTHER = 1, THIRD = 2, SEEN_MAX = 64 };

static struct takt_can_simulated ours;
static struct takt_can_simulated_config config;
static struct takt_can_frame seen_frames[SEEN_MAX];
static unsigned seen_count, seen_taken;
static struct takt_can_frame holding, giving;

static void pass_bit(uint64_t wrong)
{
    (void)step(wrong);
    takt_can_simulated_note(&ours);
    if ((bus.events[OTHER] & TAKT_CAN_RECEIVED) != 0 && nodes[OTHER].parser.frame.id != 0) {
        CHECK(seen_count < SEEN_MAX);
        seen_frames[seen_count++] = nodes[OTHER].parser.frame;
    }
}

static void new_bus(void)
{
    begin(3);
    config.bus = &bus;
    config.node = OURS;
    takt_can_simulated_init(&ours, &config);
    seen_count = seen_taken = 0;
}

static void run(void)
{
    for (unsigned i = 0; i < 60; i++) {
        pass_bit(0);
    }
    while (nodes[OTHER].phase != TAKT_CAN_IDLE || nodes[OTHER].pending != NULL || nodes[OURS].pending != NULL) {
        pass_bit(0);
    }
}

/* The third node has a frame of the identifier 0 on the bus: nothing else is sent meanwhile. */
static void hold(void)
{
    holding = (struct takt_can_frame){.shape = {.dlc = 8}};
    while (nodes[OURS].phase != TAKT_CAN_IDLE) {
        pass_bit(0);
    }
    takt_can_node_offer(&nodes[THIRD], &holding);
    for (unsigned i = 0; i < 30; i++) {
        pass_bit(0);
    }
}

static void into_frame(void)
{
    const struct takt_can_node *node = &nodes[OURS];
    while (node->phase != TAKT_CAN_IN_FRAME || !node->transmitter || node->parser.field != TAKT_CAN_DATA) {
        pass_bit(0);
    }
}

static void disturb(void)
{
    pass_bit(1u << OURS);
    CHECK(bus.events[OURS] & TAKT_CAN_FAILED);
}

static void break_off(void)
{
    while (nodes[OURS].phase != TAKT_CAN_OFF) {
        into_frame();
        disturb();
    }
}

static void pass_recovery(void)
{
    for (unsigned i = 0; i < 128 * 11 + 100; i++) {
        pass_bit(0);
    }
}

static bool seen(struct takt_can_frame *frame)
{
    if (seen_taken == seen_count) {
        return false;
    }
    *frame = seen_frames[seen_taken++];
    return true;
}

static void give(const struct takt_can_frame *frame)
{
    giving = *frame;
    takt_can_node_offer(&nodes[OTHER], &giving);
}

static bool interrupted(void)
{
    return takt_can_simulated_interrupt(&ours);
}

static const struct controller_bench simulated = {
    .controller = &ours.controller,
    .begin = new_bus,
    .run = run,
    .hold = hold,
    .into_frame = into_frame,
    .disturb = disturb,
    .break_off = break_off,
    .pass_recovery = pass_recovery,
    .seen = seen,
    .give = give,
    .interrupted = interrupted,
};

static void test_cases(void)
{
    static const uint8_t transmit[] = {1, 2, 10, 13};
    for (unsigned i = 0; i < sizeof transmit; i++) {
        config = (struct takt_can_simulated_config){.kind = TAKT_CAN_TOUCAN, .transmit = transmit[i]};
        new_bus();
        controller_cases(&simulated);
    }
    config = (struct takt_can_simulated_config){.kind = TAKT_CAN_THREE};
    new_bus();
    controller_cases(&simulated);
}

static uint32_t received(void)
{
    struct takt_can_frame frame;
    return ours.controller.calls->receive(&ours.controller, &frame) ? frame.id : UINT32_MAX;
}

static void give_all(uint32_t first, uint32_t count)
{
    for (uint32_t id = first; id < first + count; id++) {
        struct takt_can_frame frame = frame_of(id, 1);
        give(&frame);
        run();
    }
}

/* A FIFO of three loses the newest, a buffer of TouCAN the oldest. */
static void test_overrun(void)
{
    const struct takt_can_filter masks[] = {
        {.kind = TAKT_CAN_FILTER_MASK, .frames = TAKT_CAN_FILTER_DATA, .first = 0x40, .second = 0x7FC},
        {.kind = TAKT_CAN_FILTER_MASK, .frames = TAKT_CAN_FILTER_DATA, .first = 0x40, .second = 0x7F0},
    };
    const struct takt_can_filter range = {
        .kind = TAKT_CAN_FILTER_RANGE, .frames = TAKT_CAN_FILTER_DATA, .first = 1, .second = 2};
    config = (struct takt_can_simulated_config){.kind = TAKT_CAN_THREE};
    bench = &simulated;
    started();
    CHECK_EQUAL(ours.controller.calls->filter(&ours.controller, &range, 1), TAKT_OK);
    CHECK_EQUAL(ours.controller.calls->filter(&ours.controller, masks, 2), TAKT_OK);
    give_all(0x40, 5);
    CHECK_EQUAL(ours.overrun, 2);
    for (uint32_t id = 0x40; id < 0x43; id++) {
        CHECK_EQUAL(received(), id);
    }
    CHECK_EQUAL(received(), UINT32_MAX);
    config = (struct takt_can_simulated_config){.kind = TAKT_CAN_TOUCAN, .transmit = 14};
    started();
    CHECK_EQUAL(ours.controller.calls->filter(&ours.controller, &range, 1), TAKT_LIMIT);
    CHECK_EQUAL(ours.controller.calls->filter(&ours.controller, masks, 2), TAKT_OK);
    give_all(0x42, 4); /* 0x42 0x43 into both, 0x44 and 0x45 into the second only */
    CHECK_EQUAL(ours.overrun, 2);
    CHECK_EQUAL(received(), 0x42);
    CHECK_EQUAL(received(), 0x45);
    CHECK_EQUAL(received(), UINT32_MAX);
    CHECK_EQUAL(ours.controller.calls->filter(&ours.controller, NULL, 0), TAKT_OK);
    give_all(0x40, 1);
    CHECK_EQUAL(received(), UINT32_MAX);
}

/* The frame that is offered is the best one up to the last bit before the start bit. */
static void test_last_moment(void)
{
    config = (struct takt_can_simulated_config){.kind = TAKT_CAN_THREE};
    bench = &simulated;
    started();
    hold();
    load(0, frame_of(0x300, 1));
    while (nodes[OURS].phase != TAKT_CAN_IN_INTERMISSION || nodes[OURS].count != 2) {
        pass_bit(0);
    }
    pass_bit(0);
    load(1, frame_of(0x200, 1));
    ours.controller.calls->abort(&ours.controller, 0);
    expect_event(TAKT_CAN_MAILBOX_ABORTED, 0);
    pass_bit(0);
    CHECK(bus.events[OURS] & TAKT_CAN_STARTED);
    load(2, frame_of(0x100, 1)); /* too late */
    run();
    expect_seen(frame_of(0x200, 1));
    expect_seen(frame_of(0x100, 1));
    expect_silence();
}

int main(void)
{
    test_cases();
    test_overrun();
    test_last_moment();
    return 0;
}
