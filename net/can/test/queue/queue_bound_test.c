/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observed responses of random messages through transmit queues, bit by bit, beside the worst-case responses of nodes
 * that queue by priority (takt/analysis_can.h). Times are in bits. What is released as declared is never refused.
 */
#include "base/test/check.h"
#include "takt/analysis_can.h"
#include "takt/can_bus.h"
#include "takt/can_length.h"
#include "takt/can_queue.h"
#include "takt/can_simulated.h"

enum { NODES = 3, MESSAGES = 12, DEPTH = 8, BITS = 12000, START = 5000 };

struct message {
    struct takt_can_frame frame;
    unsigned node, stream;
    uint64_t period, jitter;
    uint64_t nominal, release; /* of the next instance */
    uint64_t waiting[DEPTH];   /* nominal releases of what was not sent yet */
    unsigned count;
    uint64_t longest;
};

struct node {
    struct takt_can_simulated simulated;
    struct takt_can_queue queue;
    struct takt_can_stream streams[MESSAGES];
    struct takt_can_stream_state states[MESSAGES];
    struct takt_can_slot slots[MESSAGES * DEPTH];
    unsigned count;
};

static struct takt_can_node bus_nodes[NODES];
static struct takt_can_bus bus;
static struct node nodes[NODES];
static struct message messages[MESSAGES];
static uint64_t bounds[MESSAGES], random_state, bit;
static enum takt_analysis_status statuses[MESSAGES];

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(check_random(&random_state) % limit);
}

/* Messages by their identifiers, of random nodes, with a load of about `percent`. */
static void choose_messages(unsigned percent)
{
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct message *message = &messages[i];
        *message = (struct message){.frame = {.shape = {.dlc = (uint8_t)below(9)}, .id = i << 4}, .node = below(NODES)};
        message->frame.shape.extended = below(4) == 0;
        message->frame.id <<= message->frame.shape.extended ? 18 : 0;
        unsigned bits = takt_can_length_max(&message->frame.shape).nominal_bits;
        message->period = (uint64_t)bits * MESSAGES * 100 / percent * (60 + below(80)) / 100;
        message->jitter = below(2) * below((uint32_t)message->period);
    }
}

/* False: a message has no bound, or one beyond what may wait of it. */
static bool bound(void)
{
    struct takt_analysis_can_frame frames[MESSAGES];
    struct takt_analysis_can_work work[MESSAGES];
    for (unsigned i = 0; i < MESSAGES; i++) {
        const struct message *of = &messages[i];
        unsigned bits = takt_can_length_max(&of->frame.shape).nominal_bits;
        frames[i] = (struct takt_analysis_can_frame){bits, of->period, of->jitter, 0};
    }
    const struct takt_analysis_can_bus of = {
        .frames = frames, .frame_count = MESSAGES, .bit_ns = 1, .iterations = 10000};
    CHECK_EQUAL(takt_analysis_can_responses(&of, work, bounds, statuses), TAKT_ANALYSIS_OK);
    for (unsigned i = 0; i < MESSAGES; i++) {
        if (statuses[i] != TAKT_ANALYSIS_OK || bounds[i] > (DEPTH - 2) * messages[i].period) {
            return false;
        }
    }
    return true;
}

static void begin_node(unsigned index)
{
    struct node *node = &nodes[index];
    *node = (struct node){.count = 0};
    takt_can_node_init(&bus_nodes[index]);
    struct takt_can_simulated_config config = {TAKT_CAN_THREE, 0, &bus, index};
    if (below(3) > 0) {
        config.kind = TAKT_CAN_TOUCAN;
        config.transmit = (uint8_t)(1 + below(5));
    }
    takt_can_simulated_init(&node->simulated, &config);
    CHECK_EQUAL(node->simulated.controller.calls->start(&node->simulated.controller), TAKT_OK);
    unsigned shared = node->simulated.controller.mailboxes;
    for (unsigned i = 0; i < MESSAGES; i++) {
        if (messages[i].node != index) {
            continue;
        }
        messages[i].stream = node->count;
        struct takt_can_stream *stream = &node->streams[node->count++];
        *stream = (struct takt_can_stream){
            .distance_ns = messages[i].period, .jitter_ns = messages[i].jitter, .depth = DEPTH};
        stream->mailbox = shared > 1 && below(3) == 0 ? (uint8_t)--shared : TAKT_CAN_SHARED;
    }
    if (node->count == 0) {
        node->streams[node->count++] = (struct takt_can_stream){.depth = 1, .mailbox = TAKT_CAN_SHARED};
    }
    const struct takt_can_queue_config of = {.controller = &node->simulated.controller,
                                             .streams = node->streams,
                                             .states = node->states,
                                             .stream_count = node->count,
                                             .slots = node->slots,
                                             .slot_count = takt_can_queue_slots(node->streams, node->count),
                                             .refill_at = (uint8_t)below(shared)};
    CHECK(takt_can_queue_config_is_valid(&of));
    takt_can_queue_init(&node->queue, &of);
}

static void release(struct message *message)
{
    struct node *node = &nodes[message->node];
    CHECK(message->count < DEPTH);
    message->waiting[message->count++] = message->nominal;
    CHECK_EQUAL(takt_can_queue_send(&node->queue, message->stream, &message->frame, bit), TAKT_OK);
    message->nominal += message->period + (below(3) == 0 ? below((uint32_t)message->period) : 0);
    message->release = message->nominal + below((uint32_t)message->jitter + 1);
}

static void note_sent(unsigned index)
{
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct message *message = &messages[i];
        if (message->node != index || takt_can_frame_compare(&message->frame, &bus_nodes[index].sent) != 0) {
            continue;
        }
        uint64_t response = bit + 1 + TAKT_CAN_INTERMISSION - message->waiting[0];
        message->longest = response > message->longest ? response : message->longest;
        message->count--;
        memmove(message->waiting, message->waiting + 1, message->count * sizeof *message->waiting);
    }
}

static void run(void)
{
    bus = (struct takt_can_bus){.nodes = bus_nodes, .count = NODES};
    for (unsigned i = 0; i < NODES; i++) {
        begin_node(i);
    }
    bool together = below(2) == 0; /* all queued at once */
    for (unsigned i = 0; i < MESSAGES; i++) {
        messages[i].count = 0;
        messages[i].nominal = together ? START - messages[i].jitter : START + below(2000);
        messages[i].release = together ? START : messages[i].nominal;
    }
    for (bit = START - 20; bit < START + BITS; bit++) {
        for (unsigned i = 0; i < MESSAGES; i++) {
            while (messages[i].release <= bit) {
                release(&messages[i]);
            }
        }
        (void)takt_can_bus_step(&bus, 0);
        for (unsigned i = 0; i < NODES; i++) {
            if ((bus.events[i] & TAKT_CAN_TRANSMITTED) != 0) {
                note_sent(i);
            }
            takt_can_simulated_note(&nodes[i].simulated);
            if (takt_can_simulated_interrupt(&nodes[i].simulated)) {
                takt_can_queue_service(&nodes[i].queue);
            }
        }
    }
}

int main(void)
{
    unsigned long cases = check_cases(40), sets = 0, near = 0;
    random_state = check_seed();
    while (sets < cases) {
        choose_messages(55 + below(40));
        if (!bound()) {
            continue;
        }
        sets++;
        for (unsigned i = 0; i < 3; i++) {
            run();
        }
        for (unsigned i = 0; i < MESSAGES; i++) {
            CHECK(messages[i].longest > 0 && messages[i].longest <= bounds[i]);
            near += messages[i].longest * 10 > bounds[i] * 6;
        }
    }
    printf("%lu sets, %lu of %lu messages took more than 0.6 of their bounds\n", sets, near, sets * MESSAGES);
    CHECK(near > 2 * sets);
    return 0;
}
