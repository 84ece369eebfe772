/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_TEST_QUEUE_NODE_H
#define TAKT_CAN_TEST_QUEUE_NODE_H

/* A node with a transmit queue on a bus, for tests: what it sent, in which order. */
#include "net/can/test/bus.h"
#include "takt/can_queue.h"
#include "takt/can_simulated.h"

enum { OURS = 0, OTHER = 1, THIRD = 2, STREAMS = 24, SLOTS = 160, SEEN_MAX = 256 };

static struct takt_can_simulated ours;
static struct takt_can_queue queue;
static struct takt_can_stream streams[STREAMS];
static struct takt_can_stream_state states[STREAMS];
static struct takt_can_slot slots[SLOTS];
static struct takt_can_queue_config queue_config;
static struct takt_can_frame seen_frames[SEEN_MAX], holding;
static unsigned seen_count, seen_taken, served; /* served: calls of takt_can_queue_service */
static uint64_t now;                            /* of sends */

/* One bit; the queue is served on interrupts, unless `lazy`. */
static inline void pass_bit_with(uint64_t wrong, bool lazy)
{
    (void)step(wrong);
    takt_can_simulated_note(&ours);
    if ((bus.events[OTHER] & TAKT_CAN_RECEIVED) != 0 && nodes[OTHER].parser.frame.id != 0) {
        CHECK(seen_count < SEEN_MAX);
        seen_frames[seen_count++] = nodes[OTHER].parser.frame;
    }
    if (!lazy && takt_can_simulated_interrupt(&ours)) {
        takt_can_queue_service(&queue);
        served++;
    }
}

static inline void pass_bit(void)
{
    pass_bit_with(0, false);
}

/* Streams of equal kind, each with one frame that may wait; a test changes them before `open_queue`. */
static inline void begin_queue(enum takt_can_simulated_kind kind, uint8_t transmit)
{
    begin(3);
    const struct takt_can_simulated_config config = {kind, transmit, &bus, OURS};
    takt_can_simulated_init(&ours, &config);
    CHECK_EQUAL(ours.controller.calls->start(&ours.controller), TAKT_OK);
    for (unsigned i = 0; i < STREAMS; i++) {
        streams[i] = (struct takt_can_stream){.depth = 1, .mailbox = TAKT_CAN_SHARED};
    }
    queue_config = (struct takt_can_queue_config){
        .controller = &ours.controller, .streams = streams, .states = states, .stream_count = STREAMS, .slots = slots};
    seen_count = seen_taken = served = 0;
    now = 0;
    for (unsigned i = 0; i < 20; i++) {
        (void)step(0);
        takt_can_simulated_note(&ours);
    }
}

static inline void open_queue(void)
{
    queue_config.slot_count = takt_can_queue_slots(streams, STREAMS);
    CHECK(queue_config.slot_count <= SLOTS);
    CHECK(takt_can_queue_config_is_valid(&queue_config));
    takt_can_queue_init(&queue, &queue_config);
}

static inline void run(void)
{
    unsigned idle = 0;
    while (idle < 30) {
        pass_bit();
        idle = nodes[OTHER].phase == TAKT_CAN_IDLE ? idle + 1 : 0;
    }
    takt_can_queue_service(&queue); /* the last frames ask for no interrupt */
}

/* The third node has a frame of the identifier 0 on the bus: nothing else is sent meanwhile. */
static inline void hold(void)
{
    holding = (struct takt_can_frame){.shape = {.dlc = 8}};
    takt_can_node_offer(&nodes[THIRD], &holding);
    for (unsigned i = 0; i < 30; i++) {
        pass_bit();
    }
}

/* A frame of ours is on the bus, with this identifier, and has won the arbitration. */
static inline void until_sends(uint32_t id)
{
    const struct takt_can_node *node = &nodes[OURS];
    for (unsigned i = 0; i < 4000; i++) {
        if (node->phase == TAKT_CAN_IN_FRAME && node->transmitter && node->parser.field == TAKT_CAN_DATA) {
            CHECK_EQUAL(node->sent.id, id);
            return;
        }
        pass_bit();
    }
    CHECK(!"a frame of ours");
}

static inline struct takt_can_frame frame_of(uint32_t id, uint8_t value)
{
    return (struct takt_can_frame){.shape = {.dlc = 2}, .id = id, .data = {value, 0x5A}};
}

static inline enum takt_status try_send(uint32_t stream, uint32_t id, uint8_t value)
{
    const struct takt_can_frame frame = frame_of(id, value);
    return takt_can_queue_send(&queue, stream, &frame, now);
}

static inline void send(uint32_t stream, uint32_t id, uint8_t value)
{
    CHECK_EQUAL(try_send(stream, id, value), TAKT_OK);
}

static inline void expect(uint32_t id, uint8_t value)
{
    const struct takt_can_frame frame = frame_of(id, value);
    CHECK(seen_taken < seen_count);
    CHECK_EQUAL(seen_frames[seen_taken].id, id);
    CHECK(takt_can_frame_equals(&seen_frames[seen_taken], &frame));
    seen_taken++;
}

static inline void expect_silence(void)
{
    CHECK_EQUAL(seen_count, seen_taken);
}

/* Every frame that was queued became one of these, or waits. */
static inline void check_counted(void)
{
    takt_can_queue_service(&queue);
    for (unsigned i = 0; i < STREAMS; i++) {
        const struct takt_can_counters *of = takt_can_queue_counters(&queue, i);
        CHECK_EQUAL(of->queued, of->sent + of->replaced + of->cancelled + of->lost + states[i].waiting);
    }
}

#endif
