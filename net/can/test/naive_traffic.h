/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_NAIVE_TRAFFIC_H
#define TAKT_CAN_NAIVE_TRAFFIC_H

/* The traffic of a bus by a naive driver: each bit is simulated, and what is queued is a list. */
#include "net/can/test/random_frame.h"
#include "takt/can_traffic.h"

enum { NODES = 6, MESSAGES = 12, INSTANCES = 10, EVENTS = 20000, FLIPS = 40, NOMINAL = 4, DATA = 1, BITS = 12000 };

/* A bus that both sides get. */
struct given {
    uint32_t nodes, messages, flips;
    struct takt_can_message message[MESSAGES];
    struct takt_can_instance instance[MESSAGES][INSTANCES];
    uint8_t data[MESSAGES][INSTANCES][TAKT_CAN_DATA_MAX];
    struct takt_can_sender sender[NODES];
    uint16_t transmit[NODES], receive[NODES]; /* error counters at first */
    struct takt_can_flip flip[FLIPS];
    uint64_t killed, killed_at, revived_at, stuck, stuck_at, released_at; /* sets of nodes, and ticks */
};

struct event {
    uint64_t start, end, released;
    uint32_t kind, node, message, detail;
    struct takt_can_frame frame;
};

struct events {
    struct event event[EVENTS];
    uint32_t count;
};

static struct given given;
static struct events naive;
static struct takt_can_node nodes[NODES];

static void add(struct events *events, struct event event)
{
    CHECK(events->count < EVENTS);
    events->event[events->count++] = event;
}

/* The naive side: what is queued is a list, and each bit is looked at. */
struct queued {
    uint64_t released;
    uint32_t message, number, node;
    bool in_buffer;
    struct takt_can_frame frame;
};

static struct queued queue[MESSAGES * INSTANCES];
static uint32_t queue_count, sending[NODES]; /* index in `queue`, and 1 */
static uint64_t started[NODES];

static uint32_t in_buffers(uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < queue_count; i++) {
        count += queue[i].node == node && queue[i].in_buffer;
    }
    return count;
}

static bool is_better(const struct queued *a, const struct queued *b)
{
    return a->message != b->message ? a->message < b->message : a->number < b->number;
}

static bool is_held(uint32_t message)
{
    for (uint32_t i = 0; i < queue_count; i++) {
        if (queue[i].message == message && queue[i].in_buffer) {
            return true;
        }
    }
    return false;
}

/* The best of a node, of those that are in a buffer, or of those whose messages have none; `queue_count`: none. */
static uint32_t best(uint32_t node, bool in_buffer)
{
    uint32_t found = queue_count;
    for (uint32_t i = 0; i < queue_count; i++) {
        bool fits =
            queue[i].node == node && queue[i].in_buffer == in_buffer && (in_buffer || !is_held(queue[i].message));
        if (fits && (found == queue_count || is_better(&queue[i], &queue[found]))) {
            found = i;
        }
    }
    return found;
}

static void fill(uint32_t node)
{
    bool buffered = given.sender[node].order == TAKT_CAN_BUFFERED;
    while (buffered && in_buffers(node) < given.sender[node].buffers && best(node, false) != queue_count) {
        queue[best(node, false)].in_buffer = true;
    }
}

static uint32_t offered(uint32_t node)
{
    if (given.sender[node].order != TAKT_CAN_FIFO) {
        return best(node, given.sender[node].order == TAKT_CAN_BUFFERED);
    }
    uint32_t first = 0;
    while (first < queue_count && queue[first].node != node) {
        first++;
    }
    return first;
}

static void take_out(uint32_t index)
{
    for (uint32_t n = 0; n < given.nodes; n++) {
        sending[n] -= sending[n] > index + 1;
    }
    memmove(&queue[index], &queue[index + 1], (--queue_count - index) * sizeof queue[0]);
}

static uint32_t next_of[MESSAGES];

/* Releases that are due, in their order; of equal times the better message first. */
static void release(uint64_t now, uint64_t dead)
{
    for (;;) {
        uint32_t first = MESSAGES;
        for (uint32_t m = 0; m < given.messages; m++) {
            bool due = next_of[m] < INSTANCES && given.instance[m][next_of[m]].at <= now;
            if (due &&
                (first == MESSAGES || given.instance[m][next_of[m]].at < given.instance[first][next_of[first]].at)) {
                first = m;
            }
        }
        if (first == MESSAGES) {
            return;
        }
        uint32_t number = next_of[first]++, node = given.message[first].node;
        const struct takt_can_instance *instance = &given.instance[first][number];
        struct queued one = {.released = instance->at, .message = first, .number = number, .node = node};
        uint32_t count = 0;
        for (uint32_t i = 0; i < queue_count; i++) {
            count += queue[i].node == node;
        }
        if ((dead >> node & 1) != 0 ||
            (given.sender[node].order == TAKT_CAN_FIFO && count == given.sender[node].fifo_size)) {
            continue;
        }
        one.frame = given.message[first].frame;
        one.frame.shape.dlc = instance->dlc;
        one.frame.shape.remote = instance->remote;
        memcpy(one.frame.data, given.data[first][number], TAKT_CAN_DATA_MAX);
        queue[queue_count++] = one;
        fill(node);
    }
}

static void note(uint32_t node, unsigned events, uint64_t start, uint64_t end)
{
    if (events & TAKT_CAN_STARTED) {
        sending[node] = offered(node) + 1;
        started[node] = start;
    }
    struct event event = {.end = end, .node = node, .message = TAKT_CAN_NO_MESSAGE};
    if (sending[node] != 0) {
        event.message = queue[sending[node] - 1].message;
        event.start = started[node];
    }
    if (events & TAKT_CAN_FAILED) {
        event.kind = TAKT_CAN_RECORD_FAILED;
        event.detail = (uint32_t)nodes[node].error;
        add(&naive, event);
    }
    if (events & TAKT_CAN_TRANSMITTED) {
        const struct queued *one = &queue[sending[node] - 1];
        event.kind = TAKT_CAN_RECORD_SENT;
        event.released = one->released;
        event.frame = one->frame;
        add(&naive, event);
        take_out(sending[node] - 1);
        sending[node] = 0;
        fill(node);
    }
    if (events & (TAKT_CAN_FAILED | TAKT_CAN_LOST)) {
        sending[node] = 0;
    }
    struct event other = {.end = end, .node = node, .message = TAKT_CAN_NO_MESSAGE};
    if (events & TAKT_CAN_OVERLOADED) {
        other.kind = TAKT_CAN_RECORD_OVERLOAD;
        add(&naive, other);
    }
    if (events & TAKT_CAN_CHANGED) {
        other.kind = TAKT_CAN_RECORD_STATE;
        other.detail = (uint32_t)takt_can_errors_state(&nodes[node].errors);
        add(&naive, other);
    }
}

static void start_nodes(void)
{
    for (uint32_t n = 0; n < given.nodes; n++) {
        takt_can_node_init(&nodes[n]);
        nodes[n].errors.transmit = given.transmit[n];
        nodes[n].errors.receive = given.receive[n];
        sending[n] = 0;
    }
}

static uint64_t time_of(const struct takt_can_bus *bus)
{
    return NOMINAL * bus->nominal_bits + DATA * bus->data_bits;
}

static uint64_t run_naive(void)
{
    struct takt_can_bus bus = {.nodes = nodes, .count = given.nodes};
    uint32_t flip = 0;
    bool killed = false, revived = false;
    start_nodes();
    naive.count = queue_count = 0;
    memset(next_of, 0, sizeof next_of);
    while (time_of(&bus) < BITS * NOMINAL) {
        uint64_t start = time_of(&bus), number = bus.nominal_bits + bus.data_bits, wrong = 0;
        if (!killed && start >= given.killed_at) {
            killed = true;
            bus.dead = given.killed;
            for (uint32_t i = queue_count; i > 0; i--) {
                if ((given.killed >> queue[i - 1].node & 1) != 0) {
                    sending[queue[i - 1].node] = 0;
                    take_out(i - 1);
                }
            }
        }
        if (!revived && start >= given.revived_at) {
            revived = true;
            for (uint32_t n = 0; n < given.nodes; n++) {
                if ((bus.dead >> n & 1) != 0) {
                    takt_can_node_init(&nodes[n]);
                }
            }
            bus.dead = 0;
        }
        bus.stuck = start >= given.stuck_at && start < given.released_at ? given.stuck : 0;
        release(start, bus.dead);
        for (uint32_t n = 0; n < given.nodes; n++) {
            uint32_t one = offered(n);
            takt_can_node_offer(&nodes[n], one == queue_count ? NULL : &queue[one].frame);
        }
        if (flip < given.flips && given.flip[flip].bit == number) {
            wrong = given.flip[flip++].wrong;
        }
        /* What is pending points into the list: if its frame moves there, the node must see the same one. */
        for (uint32_t n = 0; n < given.nodes; n++) {
            if (sending[n] != 0) {
                nodes[n].sending = &queue[sending[n] - 1].frame;
            }
        }
        (void)takt_can_bus_step(&bus, wrong);
        for (uint32_t n = 0; n < given.nodes; n++) {
            note(n, bus.events[n], start, time_of(&bus));
        }
    }
    return time_of(&bus);
}

#endif
