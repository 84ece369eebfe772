/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transmit queues of several nodes on a bus, beside a naive model: a node has a list of the frames that it accepted,
 * and always begins the one with the lowest identifier; those of one identifier as they came. Nothing is lost, nothing
 * is sent twice. Random streams, controllers, errors, bus-off, and interrupts that are served late.
 */
#include "base/test/check.h"
#include "takt/can_bus.h"
#include "takt/can_queue.h"
#include "takt/can_simulated.h"

enum { NODES = 4, STREAMS = 8, SLOTS = STREAMS * 4, SENT_MAX = 64, FRAMES = 60 };

/* A frame that a node accepted and did not send yet. */
struct entry {
    struct takt_can_frame frame;
    unsigned stream;
    bool stale; /* on the bus, and not to be sent again: replaced or taken back */
    bool cancelled;
};

struct node {
    struct takt_can_simulated simulated;
    struct takt_can_queue queue;
    struct takt_can_stream streams[STREAMS];
    struct takt_can_stream_state states[STREAMS];
    struct takt_can_slot slots[SLOTS];
    uint32_t ids[STREAMS];
    struct entry entries[SLOTS + 1];
    unsigned count;
    struct takt_can_counters expected[STREAMS];
    uint64_t accepted[STREAMS][SENT_MAX]; /* when frames were queued */
    const struct entry *on_bus;
    uint64_t due; /* when it serves its interrupt; 0: there is none */
    bool off;
    unsigned begun, late; /* frames; those that a better one waited for, while an interrupt was not served */
};

static struct takt_can_node bus_nodes[NODES];
static struct takt_can_bus bus;
static struct node nodes[NODES];
static uint64_t random_state, bit;
static uint32_t latency, serial;
static unsigned long begun, late, offs;

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(check_random(&random_state) % limit);
}

/* Identifiers of 11 and 29 bits, all different in their first 11 bits or behind them. */
static void choose_streams(struct node *node, unsigned index, unsigned mailboxes)
{
    unsigned own = 0;
    for (unsigned i = 0; i < STREAMS; i++) {
        struct takt_can_stream *stream = &node->streams[i];
        *stream = (struct takt_can_stream){.depth = (uint16_t)(1 + below(3)), .mailbox = TAKT_CAN_SHARED};
        stream->state = below(3) == 0;
        stream->confirmed = below(8) == 0;
        if (own + 1 < mailboxes && below(4) == 0) {
            stream->mailbox = (uint8_t)own++;
        }
        if (below(3) == 0) {
            stream->distance_ns = 50 + below(1000);
            stream->jitter_ns = below(2) * below(1500);
        }
        node->ids[i] = (below(64) << 5 | i << 2 | index);
    }
}

static void begin_node(unsigned index)
{
    struct node *node = &nodes[index];
    *node = (struct node){.count = 0};
    struct takt_can_simulated_config config = {TAKT_CAN_THREE, 0, &bus, index};
    if (below(3) > 0) {
        config.kind = TAKT_CAN_TOUCAN;
        config.transmit = (uint8_t)(1 + below(below(2) ? 3 : 12));
    }
    takt_can_simulated_init(&node->simulated, &config);
    CHECK_EQUAL(node->simulated.controller.calls->start(&node->simulated.controller), TAKT_OK);
    unsigned mailboxes = node->simulated.controller.mailboxes, shared = mailboxes;
    choose_streams(node, index, mailboxes);
    for (unsigned i = 0; i < STREAMS; i++) {
        shared -= node->streams[i].mailbox != TAKT_CAN_SHARED;
    }
    struct takt_can_queue_config of = {.controller = &node->simulated.controller,
                                       .streams = node->streams,
                                       .states = node->states,
                                       .stream_count = STREAMS,
                                       .slots = node->slots,
                                       .slot_count = takt_can_queue_slots(node->streams, STREAMS),
                                       .refill_at = (uint8_t)below(shared)};
    CHECK(of.slot_count <= SLOTS);
    CHECK(takt_can_queue_config_is_valid(&of));
    takt_can_queue_init(&node->queue, &of);
}

static void remove_entry(struct node *node, unsigned index)
{
    node->count--;
    for (unsigned i = index; i < node->count; i++) {
        node->entries[i] = node->entries[i + 1];
    }
    if (node->on_bus == &node->entries[index]) {
        node->on_bus = NULL;
    } else if (node->on_bus > &node->entries[index]) {
        node->on_bus--;
    }
}

static void give_up(struct node *node, unsigned index)
{
    const struct entry *entry = &node->entries[index];
    node->expected[entry->stream].cancelled += entry->cancelled;
    node->expected[entry->stream].replaced += !entry->cancelled;
    remove_entry(node, index);
}

/* What waits of a stream is given up; a frame on the bus has one more chance. */
static void withdraw(struct node *node, unsigned stream, bool cancelled)
{
    for (unsigned i = node->count; i > 0; i--) {
        struct entry *entry = &node->entries[i - 1];
        if (entry->stream != stream || entry->stale) {
            continue;
        }
        entry->cancelled = cancelled;
        entry->stale = true;
        if (node->on_bus != entry) {
            give_up(node, i - 1);
        }
    }
}

/* Whether the declared distance and jitter permit a frame now, after all that were accepted. */
static bool permitted(const struct node *node, unsigned stream)
{
    const struct takt_can_stream *of = &node->streams[stream];
    unsigned count = node->expected[stream].queued;
    for (unsigned i = 0; i < count; i++) {
        if (bit - node->accepted[stream][i] + of->jitter_ns < (count - i) * of->distance_ns) {
            return false;
        }
    }
    return true;
}

static void send(struct node *node, unsigned stream)
{
    struct takt_can_frame frame = {.shape = {.dlc = (uint8_t)(4 + below(5))}, .id = node->ids[stream]};
    unsigned waiting = 0;
    if (stream % 2 == 1) {
        frame.shape.extended = true;
        frame.id = frame.id << 18 | stream;
    }
    memcpy(frame.data, &serial, 4);
    serial++;
    for (unsigned i = 0; i < node->count; i++) {
        waiting += node->entries[i].stream == stream;
    }
    enum takt_status expected = TAKT_OK;
    if (node->off) {
        expected = TAKT_STATE;
        node->expected[stream].off++;
    } else if (!permitted(node, stream) || node->expected[stream].queued == SENT_MAX) {
        expected = TAKT_LIMIT;
        node->expected[stream].early++;
    } else if (!node->streams[stream].state && waiting == node->streams[stream].depth) {
        expected = TAKT_FULL;
        node->expected[stream].full++;
    }
    if (node->expected[stream].queued == SENT_MAX) {
        node->expected[stream].early--; /* the model's memory is full: not sent at all */
        return;
    }
    if (expected == TAKT_OK) {
        node->accepted[stream][node->expected[stream].queued++] = bit;
        if (node->streams[stream].state) {
            withdraw(node, stream, false);
        }
        node->entries[node->count++] = (struct entry){.frame = frame, .stream = stream};
    }
    CHECK_EQUAL(takt_can_queue_send(&node->queue, stream, &frame, bit), expected);
}

/* A node begins a frame: it is one that it has, the first of its identifier, and none is better. */
static void begin_frame(struct node *node, const struct takt_can_frame *frame)
{
    const struct entry *found = NULL;
    bool better = false;
    for (unsigned i = 0; i < node->count; i++) {
        struct entry *entry = &node->entries[i];
        if (takt_can_frame_equals(&entry->frame, frame)) {
            CHECK(found == NULL && !entry->stale);
            found = entry;
        } else if (takt_can_frame_compare(&entry->frame, frame) == 0) {
            CHECK(found != NULL); /* those of one identifier in order */
        } else {
            better |= takt_can_frame_compare(&entry->frame, frame) < 0;
        }
    }
    CHECK(found != NULL);
    CHECK(!better || node->due != 0);
    node->on_bus = found;
    begun++;
    late += better;
}

static void end_frame(struct node *node, bool transmitted)
{
    unsigned index = (unsigned)(node->on_bus - node->entries);
    if (transmitted) {
        node->expected[node->on_bus->stream].sent++;
        remove_entry(node, index);
    } else if (node->on_bus->stale) {
        give_up(node, index);
    }
    node->on_bus = NULL;
}

static void go_off(struct node *node)
{
    node->off = true;
    offs++;
    while (node->count > 0) {
        node->expected[node->entries[0].stream].lost++;
        remove_entry(node, 0);
    }
}

static void note(unsigned index)
{
    struct node *node = &nodes[index];
    unsigned events = bus.events[index];
    if ((events & TAKT_CAN_STARTED) != 0) {
        begin_frame(node, &bus_nodes[index].sent);
    }
    if (node->on_bus != NULL && (events & (TAKT_CAN_TRANSMITTED | TAKT_CAN_LOST | TAKT_CAN_FAILED)) != 0) {
        end_frame(node, (events & TAKT_CAN_TRANSMITTED) != 0);
    }
    if ((events & TAKT_CAN_CHANGED) != 0) {
        enum takt_can_state state = takt_can_errors_state(&bus_nodes[index].errors);
        if (state == TAKT_CAN_BUS_OFF) {
            go_off(node);
        } else {
            node->off = false;
        }
    }
    takt_can_simulated_note(&node->simulated);
    if (takt_can_simulated_interrupt(&node->simulated) && node->due == 0) {
        node->due = bit + 1 + (latency == 0 ? 0 : below(latency));
    }
    if (node->due != 0 && node->due <= bit + 1) {
        node->due = 0;
        takt_can_queue_service(&node->queue);
        if (takt_can_queue_is_off(&node->queue)) {
            takt_can_queue_recover(&node->queue);
        }
    }
}

static void pass_bit(uint64_t wrong)
{
    bit++;
    (void)takt_can_bus_step(&bus, wrong);
    for (unsigned i = 0; i < bus.count; i++) {
        note(i);
    }
}

static void check_end(const struct node *node)
{
    CHECK_EQUAL(node->count, 0);
    for (unsigned i = 0; i < STREAMS; i++) {
        const struct takt_can_counters *found = takt_can_queue_counters(&node->queue, i), *of = &node->expected[i];
        CHECK_EQUAL(found->queued, of->queued);
        CHECK_EQUAL(found->sent, of->sent);
        CHECK_EQUAL(found->replaced, of->replaced);
        CHECK_EQUAL(found->cancelled, of->cancelled);
        CHECK_EQUAL(found->lost, of->lost);
        CHECK_EQUAL(found->early, of->early);
        CHECK_EQUAL(found->full, of->full);
        CHECK_EQUAL(found->off, of->off);
    }
}

static void run_case(void)
{
    unsigned sends = FRAMES, storm = below(3) == 0 ? below(2) : NODES, gap = 20 + below(150);
    bool faulty = below(2) == 0;
    bus = (struct takt_can_bus){.nodes = bus_nodes, .count = 2 + below(NODES - 1)};
    bit = 2000; /* releases are not before time 0 */
    latency = below(2) * below(80);
    for (unsigned i = 0; i < bus.count; i++) {
        takt_can_node_init(&bus_nodes[i]);
        begin_node(i);
    }
    while (sends > 0) {
        uint64_t wrong = faulty && below(2000) == 0 ? 1u << below(bus.count) : 0;
        wrong |= storm < bus.count && sends < FRAMES * 3 / 4 && below(5) == 0 ? 1u << storm : 0;
        for (unsigned burst = below(gap) == 0 ? 1 + below(5) : 0; burst > 0 && sends > 0; burst--, sends--) {
            send(&nodes[below(bus.count)], below(STREAMS));
        }
        if (below(3000) == 0) {
            struct node *node = &nodes[below(bus.count)];
            unsigned stream = below(STREAMS);
            withdraw(node, stream, true);
            takt_can_queue_cancel(&node->queue, stream);
        }
        pass_bit(wrong);
    }
    for (unsigned i = 0, idle = 0; i < 60000 && idle < 300; i++) { /* with a node that must recover meanwhile */
        pass_bit(0);
        idle++;
        for (unsigned n = 0; n < bus.count; n++) {
            idle = nodes[n].count > 0 || nodes[n].off ? 0 : idle;
        }
    }
    for (unsigned i = 0; i < bus.count; i++) {
        takt_can_queue_service(&nodes[i].queue);
        check_end(&nodes[i]);
    }
}

int main(void)
{
    unsigned long cases = check_cases(60);
    random_state = check_seed();
    for (unsigned long i = 0; i < cases; i++) {
        run_case();
    }
    printf("%lu frames begun, %lu with a better one waiting for a late interrupt, %lu times bus-off\n", begun, late,
           offs);
    CHECK(begun > 20 * cases && late > 0 && late < begun / 10 && offs > 0);
    return 0;
}
