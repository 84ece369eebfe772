/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the channel of a received packet, and the next packet to send: first answers and subscriptions, which are short
 * and few, then blocks by dual priority when the link is free. The ends of channels are in node_sender.c and
 * node_receiver.c.
 */
#include "takt/node.h"

#include "node_internal.h"

uint64_t taktr_node_session(struct takt_node *node)
{
    node->session += node->session == UINT64_MAX ? 2 : 1; /* 0 means no session */
    return node->session;
}

void takt_node_init(struct takt_node *node, const struct takt_pace_link *link, uint64_t random)
{
    takt_pace_init(&node->pace, link);
    takt_node_join(node);
    node->counters = (struct takt_node_counters){0};
    node->session = random;
    node->asked = node->started;
    for (uint32_t i = 0; i < node->sender_count; i++) {
        memset(&node->senders[i].internal, 0, sizeof node->senders[i].internal);
        node->senders[i].internal.offered = taktr_node_session(node);
    }
    for (uint32_t i = 0; i < node->receiver_count; i++) {
        memset(&node->receivers[i].internal, 0, sizeof node->receivers[i].internal);
    }
}

void takt_node_go_on(struct takt_node *node, const struct takt_node *before, const struct takt_pace_link *link)
{
    node->pace = before->pace;
    node->pace.link = *link;
    node->counters = before->counters;
    node->session = before->session;
    node->started = before->started;
    node->asked = before->asked;
    node->since_ns = before->since_ns;
    for (uint32_t i = 0; i < node->sender_count; i++) {
        struct takt_node_sender *sender = &node->senders[i];
        if (sender->internal.offered == 0) {
            sender->internal.offered = taktr_node_session(node);
        } else {
            taktr_node_declared(sender);
        }
        if (sender->peer <= i) { /* once a group */
            taktr_node_hold(node, i, taktr_node_held(node, i));
        }
    }
}

/* The sender, or receiver, of a channel; NULL: there is none. */
static struct takt_node_sender *sender_of(const struct takt_node *node, uint32_t channel)
{
    uint32_t first = 0;
    uint32_t end = node->sender_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (node->senders[middle].channel == channel) {
            return &node->senders[middle];
        }
        if (node->senders[middle].channel < channel) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return NULL;
}

static struct takt_node_receiver *receiver_of(const struct takt_node *node, uint32_t channel)
{
    uint32_t first = 0;
    uint32_t end = node->receiver_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (node->receivers[middle].channel == channel) {
            return &node->receivers[middle];
        }
        if (node->receivers[middle].channel < channel) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return NULL;
}

static void to_sender(struct takt_node *node, const struct takt_wire_packet *packet, const uint8_t *bytes,
                      size_t length, const struct takt_node_address *from, uint64_t now)
{
    struct takt_node_sender *sender = sender_of(node, packet->channel);
    if (sender == NULL) {
        node->counters.unknown++;
    } else if (!takt_seal_opens(sender->keys == NULL ? NULL : &sender->keys->to_writer, bytes, length)) {
        node->counters.forged++;
    } else {
        taktr_node_subscribed(node, sender, packet, from, now);
    }
}

/* Whether its area has a new value. */
static bool to_receiver(struct takt_node *node, struct takt_node_receiver *receiver,
                        const struct takt_wire_packet *packet, const uint8_t *bytes, size_t length, uint64_t now)
{
    if (packet->kind == TAKT_WIRE_DATA) {
        return taktr_node_data(node, receiver, packet, bytes, length);
    }
    if (!takt_seal_opens(receiver->keys == NULL ? NULL : &receiver->keys->to_reader, bytes, length)) {
        node->counters.forged++;
    } else {
        taktr_node_answered(node, receiver, packet, now);
    }
    return false;
}

uint32_t takt_node_receive(struct takt_node *node, const uint8_t *bytes, size_t length,
                           const struct takt_node_address *from, uint64_t now)
{
    struct takt_wire_packet packet;
    struct takt_node_receiver *receiver = NULL;
    bool written = false;
    if (length < TAKT_WIRE_TAG || !takt_wire_decode(bytes, length - TAKT_WIRE_TAG, &packet)) {
        node->counters.malformed++;
    } else if (packet.kind == TAKT_WIRE_SUBSCRIBE) {
        to_sender(node, &packet, bytes, length, from, now);
    } else if (packet.kind == TAKT_WIRE_ANSWER || packet.kind == TAKT_WIRE_DATA) {
        receiver = receiver_of(node, packet.channel);
        node->counters.unknown += receiver == NULL;
        written = receiver != NULL && to_receiver(node, receiver, &packet, bytes, length, now);
    } else {
        node->counters.unknown++; /* a probe: the program that measures has its own socket */
    }
    return written ? (uint32_t)(receiver - node->receivers) : TAKT_NODE_NOBODY;
}

size_t taktr_node_seal(struct takt_node *node, const struct takt_seal_key *key, uint8_t *bytes, size_t length,
                       uint64_t since, uint64_t now)
{
    takt_seal_close(key, bytes, length);
    takt_pace_sent(&node->pace, (uint32_t)(length + TAKT_WIRE_TAG), since < node->since_ns ? since : node->since_ns,
                   now);
    return length + TAKT_WIRE_TAG;
}

/* The sender of the next block, or NULL. */
static struct takt_node_sender *next(const struct takt_node *node, uint64_t now)
{
    struct takt_node_sender *best = NULL;
    for (uint32_t i = 0; i < node->sender_count; i++) {
        struct takt_node_sender *sender = &node->senders[i];
        if (taktr_node_is_ready(sender, now) &&
            (best == NULL || takt_push_before(&sender->internal.push, &best->internal.push, now))) {
            best = sender;
        }
    }
    return best;
}

/* Time since which a block is ready to be sent; `now`: none is. */
static uint64_t blocks_since(const struct takt_node *node, uint64_t now)
{
    uint64_t since = now;
    for (uint32_t i = 0; i < node->sender_count; i++) {
        struct takt_node_sender *sender = &node->senders[i];
        if (taktr_node_is_ready(sender, now) && sender->internal.push.release_ns < since) {
            since = sender->internal.push.release_ns;
        }
    }
    return since;
}

size_t takt_node_send(struct takt_node *node, uint8_t *bytes, struct takt_node_address *to, uint64_t now)
{
    node->since_ns = blocks_since(node, now);
    for (uint32_t i = 0; i < node->sender_count; i++) {
        if (taktr_node_has_answer(&node->senders[i], now)) {
            return taktr_node_answer(node, &node->senders[i], bytes, to, now);
        }
    }
    for (uint32_t i = 0; i < node->receiver_count; i++) {
        taktr_node_pass(node, &node->receivers[i], now);
    }
    for (uint32_t i = 0; i < node->receiver_count; i++) {
        struct takt_node_receiver *receiver = &node->receivers[i];
        taktr_node_pass(node, receiver, now); /* again: a receiver behind it may have ended its pause */
        if (receiver->internal.phase != TAKT_NODE_IDLE && receiver->internal.due_ns <= now) {
            return taktr_node_subscribe(node, receiver, bytes, to, now);
        }
    }
    if (takt_pace_until(&node->pace) > now) {
        takt_pace_wait(&node->pace);
        return 0;
    }
    struct takt_node_sender *sender = next(node, now);
    for (unsigned tries = 0; sender != NULL && tries < TAKT_NODE_TRIES; tries++) {
        size_t length = taktr_node_block(node, sender, bytes, to, now);
        if (length != 0) {
            return length;
        }
        sender = next(node, now);
    }
    if (sender == NULL) {
        takt_pace_wait(&node->pace);
    }
    return 0;
}

uint64_t takt_node_until(const struct takt_node *node)
{
    uint64_t until = UINT64_MAX, others = UINT64_MAX;
    for (uint32_t i = 0; i < node->sender_count; i++) {
        const struct takt_node_sender *sender = &node->senders[i];
        uint64_t due = taktr_node_sender_due(sender);
        others = due < others ? due : others;
        uint64_t ready = sender->internal.wanted ? takt_push_until(&sender->internal.push) : UINT64_MAX;
        until = ready < until ? ready : until;
    }
    if (until < takt_pace_until(&node->pace)) {
        until = takt_pace_until(&node->pace);
    }
    until = others < until ? others : until;
    for (uint32_t i = 0; i < node->receiver_count; i++) {
        uint64_t due = taktr_node_due(node, &node->receivers[i]);
        until = due < until ? due : until;
    }
    return until;
}

enum takt_push_band takt_node_band(const struct takt_node *node, uint64_t now)
{
    const struct takt_node_sender *sender = next(node, now);
    return sender == NULL ? TAKT_PUSH_LOW : takt_push_band(&sender->internal.push, now);
}

uint64_t takt_node_promotion(const struct takt_node *node, uint64_t now)
{
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; i < node->sender_count; i++) {
        uint64_t until = taktr_node_promotion(&node->senders[i], now);
        next_ns = until < next_ns ? until : next_ns;
    }
    return next_ns;
}
