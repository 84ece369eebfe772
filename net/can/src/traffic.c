/* SPDX-License-Identifier: Apache-2.0 */
#include "net/can/src/traffic.h"

#include <stddef.h>

#include "takt/can_length.h"

static uint64_t ticks_of(const struct takt_can_traffic *traffic, uint64_t nominal_bits, uint64_t data_bits)
{
    return nominal_bits * traffic->nominal_ticks + data_bits * traffic->data_ticks;
}

uint64_t takt_can_traffic_now(const struct takt_can_traffic *traffic)
{
    return ticks_of(traffic, traffic->bus.nominal_bits, traffic->bus.data_bits);
}

void takt_can_traffic_start(struct takt_can_traffic *traffic)
{
    traffic->counting = true;
    traffic->stale = true;
    taktc_releases_start(traffic);
}

static bool is_dead(const struct takt_can_traffic *traffic, uint32_t node)
{
    return (traffic->bus.dead >> node & 1) != 0;
}

/* The bit with the next flip; those of bits that are over are left out. */
static uint64_t next_flip(struct takt_can_traffic *traffic)
{
    uint64_t bit = traffic->bus.nominal_bits + traffic->bus.data_bits;
    while (traffic->flip_next < traffic->flip_count && traffic->flips[traffic->flip_next].bit < bit) {
        traffic->flip_next++;
    }
    return traffic->flip_next < traffic->flip_count ? traffic->flips[traffic->flip_next].bit : UINT64_MAX;
}

static void record(struct takt_can_traffic *traffic, const struct takt_can_record *found)
{
    if (traffic->records != NULL) {
        traffic->records[traffic->record_count++] = *found;
    }
}

/* The frame that a node is sending was sent: its last bit ends at `end`. */
static void finish(struct takt_can_traffic *traffic, uint32_t node, uint64_t end)
{
    struct takt_can_sender *sender = &traffic->senders[node];
    struct takt_can_message *message = &traffic->messages[sender->sending - 1];
    uint64_t released = taktc_release_nominal(message, taktc_sender_number(traffic, sender->sending - 1));
    uint64_t response = end + ticks_of(traffic, TAKT_CAN_INTERMISSION, 0) - released;
    message->response_sum += response;
    if (response > message->response_max) {
        message->response_max = response;
        message->response_at = end;
    }
    if (traffic->records != NULL) {
        record(traffic, &(struct takt_can_record){.start = sender->start,
                                                  .end = end,
                                                  .released = released,
                                                  .message = sender->sending - 1,
                                                  .node = node,
                                                  .frame = traffic->bus.nodes[node].sent});
    }
    taktc_sender_done(traffic, node);
}

/* Gives each node the best of what it offers. O(messages). */
static void offer(struct takt_can_traffic *traffic)
{
    uint64_t offering = 0;
    for (uint32_t index = taktc_offered_next(traffic, 0); index != TAKT_CAN_NO_MESSAGE;
         index = taktc_offered_next(traffic, index + 1)) {
        struct takt_can_message *message = &traffic->messages[index];
        if ((offering >> message->node & 1) == 0) {
            offering |= UINT64_C(1) << message->node;
            taktc_content_set(traffic, index, taktc_sender_number(traffic, index));
            takt_can_node_offer(&traffic->bus.nodes[message->node], &message->frame);
        }
    }
    for (uint32_t node = 0; node < traffic->bus.count; node++) {
        if ((offering >> node & 1) == 0) {
            takt_can_node_offer(&traffic->bus.nodes[node], NULL);
        }
    }
    traffic->stale = false;
}

/* What a bit brought to a node. */
static void note(struct takt_can_traffic *traffic, uint32_t node, uint64_t start)
{
    struct takt_can_sender *sender = &traffic->senders[node];
    const struct takt_can_node *state = &traffic->bus.nodes[node];
    unsigned events = traffic->bus.events[node];
    uint64_t end = takt_can_traffic_now(traffic);
    if ((events & TAKT_CAN_STARTED) != 0) {
        const char *sent = (const char *)state->pending, *first = (const char *)traffic->messages;
        sender->sending = (uint32_t)((size_t)(sent - first) / sizeof *traffic->messages) + 1;
        sender->start = start;
    }
    struct takt_can_record found = {.end = end, .message = sender->sending - 1, .node = node};
    if ((events & TAKT_CAN_FAILED) != 0) {
        found.kind = TAKT_CAN_RECORD_FAILED;
        found.start = sender->sending == 0 ? 0 : sender->start;
        found.detail = (uint32_t)state->error;
        record(traffic, &found);
        if (sender->sending != 0) {
            traffic->messages[sender->sending - 1].failed++;
        }
    }
    if ((events & (TAKT_CAN_FAILED | TAKT_CAN_LOST)) != 0) {
        sender->sending = 0;
    }
    if ((events & TAKT_CAN_TRANSMITTED) != 0) {
        finish(traffic, node, end);
    }
    found = (struct takt_can_record){.end = end, .message = TAKT_CAN_NO_MESSAGE, .node = node};
    if ((events & TAKT_CAN_OVERLOADED) != 0) {
        found.kind = TAKT_CAN_RECORD_OVERLOAD;
        record(traffic, &found);
    }
    if ((events & TAKT_CAN_CHANGED) != 0) {
        found.kind = TAKT_CAN_RECORD_STATE;
        found.detail = (uint32_t)takt_can_errors_state(&state->errors);
        record(traffic, &found);
    }
}

static bool is_busy(const struct takt_can_traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->bus.count; i++) {
        enum takt_can_phase phase = traffic->bus.nodes[i].phase;
        if (!is_dead(traffic, i) && phase >= TAKT_CAN_IN_FRAME && phase <= TAKT_CAN_IN_INTERMISSION) {
            return true;
        }
    }
    return false;
}

/* One bit. O(nodes), O(messages) after changes. */
static void step(struct takt_can_traffic *traffic)
{
    struct takt_can_bus *bus = &traffic->bus;
    uint64_t bit = bus->nominal_bits + bus->data_bits;
    uint64_t start = takt_can_traffic_now(traffic);
    uint64_t wrong = next_flip(traffic) == bit ? traffic->flips[traffic->flip_next].wrong : 0;
    bool busy = is_busy(traffic);
    if (traffic->stale) {
        offer(traffic);
    }
    unsigned all = takt_can_bus_step(bus, wrong);
    traffic->busy += busy || is_busy(traffic) ? takt_can_traffic_now(traffic) - start : 0;
    traffic->counting = true; /* nodes have left the state in which nothing happens */
    if (all == 0) {
        return;
    }
    traffic->errors += (all & TAKT_CAN_FAILED) != 0;
    for (uint32_t node = 0; node < bus->count; node++) {
        if (bus->events[node] != 0) {
            note(traffic, node, start);
        }
    }
}

/* Whether all nodes wait for a frame, so that it follows from what is offered what comes. */
static bool is_settled(struct takt_can_traffic *traffic)
{
    const struct takt_can_bus *bus = &traffic->bus;
    uint32_t there = 0;
    if (!traffic->counting) {
        return true;
    }
    bool counting = false;
    for (uint32_t i = 0; i < bus->count; i++) {
        const struct takt_can_node *node = &bus->nodes[i];
        if (is_dead(traffic, i)) {
            continue;
        }
        if (node->phase != TAKT_CAN_IDLE || node->errors.receive >= TAKT_CAN_PASSIVE_FROM) {
            return false;
        }
        there++;
        counting |= node->errors.receive > 0 || node->errors.transmit > 0;
    }
    traffic->counting = counting;
    return there > 1; /* a frame of a node that is alone is not acknowledged */
}

/* The counters after a frame without an error. */
static void count(struct takt_can_traffic *traffic, uint32_t sender)
{
    for (uint32_t i = 0; i < traffic->bus.count; i++) {
        if (!is_dead(traffic, i)) {
            struct takt_can_errors *errors = &traffic->bus.nodes[i].errors;
            takt_can_errors_count(errors, i == sender ? TAKT_CAN_COUNT_TRANSMITTED : TAKT_CAN_COUNT_RECEIVED);
        }
    }
}

/* The frame that wins, as a whole. False: a fault meets it, or it does not end by `until`. */
static bool send(struct takt_can_traffic *traffic, uint32_t index, uint64_t until)
{
    struct takt_can_bus *bus = &traffic->bus;
    struct takt_can_message *message = &traffic->messages[index];
    struct takt_can_node *node = &bus->nodes[message->node];
    struct takt_can_sender *sender = &traffic->senders[message->node];
    if (takt_can_errors_state(&node->errors) != TAKT_CAN_ACTIVE) {
        return false;
    }
    taktc_content_set(traffic, index, taktc_sender_number(traffic, index));
    struct takt_can_length length = takt_can_length_exact(&message->frame);
    uint64_t start = takt_can_traffic_now(traffic);
    uint64_t after = start + ticks_of(traffic, length.nominal_bits, length.data_bits);
    uint64_t bits = bus->nominal_bits + bus->data_bits + length.nominal_bits + length.data_bits;
    if (after > until || next_flip(traffic) < bits) {
        return false;
    }
    sender->sending = index + 1;
    sender->start = start;
    bus->nominal_bits += length.nominal_bits;
    bus->data_bits += length.data_bits;
    traffic->busy += after - start;
    uint64_t end = after - ticks_of(traffic, TAKT_CAN_INTERMISSION, 0);
    taktc_releases_until(traffic, end - traffic->nominal_ticks); /* those that were there in its last bit */
    if (traffic->records != NULL) {
        node->sent = message->frame;
    }
    finish(traffic, message->node, end);
    if (traffic->counting) {
        count(traffic, message->node);
    }
    return true;
}

/* Idle bits up to the next release, flip or `until`, one at least. */
static void wait(struct takt_can_traffic *traffic, uint64_t until)
{
    uint64_t now = takt_can_traffic_now(traffic);
    uint64_t next = traffic->releases[0].at < until ? traffic->releases[0].at : until;
    uint64_t bits = (next - now + traffic->nominal_ticks - 1) / traffic->nominal_ticks;
    uint64_t flip = next_flip(traffic) - (traffic->bus.nominal_bits + traffic->bus.data_bits);
    traffic->bus.nominal_bits += flip < bits ? flip : bits;
}

bool takt_can_traffic_run(struct takt_can_traffic *traffic, uint64_t until)
{
    traffic->counting = true; /* the caller may have changed nodes */
    traffic->stale = true;
    for (uint64_t now = takt_can_traffic_now(traffic); now < until; now = takt_can_traffic_now(traffic)) {
        if (traffic->records != NULL && traffic->record_capacity - traffic->record_count < TAKT_CAN_RECORDS_LEAST) {
            return false;
        }
        taktc_releases_until(traffic, now);
        if (traffic->bit_by_bit || traffic->bus.stuck != 0 || !is_settled(traffic)) {
            step(traffic);
            continue;
        }
        uint32_t index = taktc_offered_next(traffic, 0);
        bool idle = index == TAKT_CAN_NO_MESSAGE;
        if (idle && next_flip(traffic) > traffic->bus.nominal_bits + traffic->bus.data_bits) {
            wait(traffic, until);
        } else if (idle || !send(traffic, index, until)) {
            step(traffic);
        }
    }
    return true;
}

void takt_can_traffic_kill(struct takt_can_traffic *traffic, uint64_t nodes)
{
    traffic->bus.dead |= nodes;
    for (uint32_t node = 0; node < traffic->bus.count; node++) {
        if ((nodes >> node & 1) != 0) {
            taktc_sender_clear(traffic, node);
        }
    }
}

void takt_can_traffic_revive(struct takt_can_traffic *traffic, uint64_t nodes)
{
    for (uint32_t node = 0; node < traffic->bus.count; node++) {
        if ((nodes & traffic->bus.dead) >> node & 1) {
            takt_can_node_init(&traffic->bus.nodes[node]);
        }
    }
    traffic->bus.dead &= ~nodes;
}
