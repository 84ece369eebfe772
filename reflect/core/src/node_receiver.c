/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving ends of channels: which receiver of an area is active, and the packets that it gets. */
#include "node_internal.h"

/* Whether another receiver of its area may still get values; at most one of them is wanted. */
static bool is_busy(const struct takt_node *node, const struct takt_node_receiver *receiver)
{
    const struct takt_node_receiver *other = &node->receivers[receiver->peer];
    while (other != receiver && other->internal.phase == TAKT_NODE_IDLE) {
        other = &node->receivers[other->peer];
    }
    return other != receiver;
}

static void ask(struct takt_node_receiver *receiver, enum takt_node_phase phase, uint64_t now)
{
    receiver->internal.phase = phase;
    receiver->internal.due_ns = now;
    receiver->internal.retry_ns = TAKT_NODE_RETRY_NS;
}

/* The sender has stopped: another receiver of the area may start after the pause. */
static void stopped(struct takt_node *node, struct takt_node_receiver *receiver, uint64_t now)
{
    receiver->internal.phase = TAKT_NODE_IDLE;
    receiver->internal.free_ns = now + receiver->pause_ns;
    for (struct takt_node_receiver *other = &node->receivers[receiver->peer]; other != receiver;
         other = &node->receivers[other->peer]) {
        other->internal.free_ns = receiver->internal.free_ns;
    }
}

void taktr_node_pass(struct takt_node *node, struct takt_node_receiver *receiver, uint64_t now)
{
    if (receiver->internal.phase == TAKT_NODE_STOPPING && now >= receiver->internal.lease_ns) {
        stopped(node, receiver, now);
    } else if (receiver->internal.phase == TAKT_NODE_ACTIVE && now - receiver->internal.heard_ns > TAKT_NODE_LEASE_NS) {
        ask(receiver, TAKT_NODE_STARTING, now);
    } else if (receiver->internal.phase == TAKT_NODE_IDLE && receiver->internal.wanted &&
               now >= receiver->internal.free_ns && !is_busy(node, receiver)) {
        ask(receiver, TAKT_NODE_STARTING, now);
        receiver->internal.session = taktr_node_session(node);
        receiver->internal.writer = 0;
        receiver->internal.have = 0;
    }
}

uint64_t taktr_node_due(const struct takt_node *node, const struct takt_node_receiver *receiver)
{
    if (receiver->internal.phase != TAKT_NODE_IDLE) {
        return receiver->internal.due_ns;
    }
    return receiver->internal.wanted && !is_busy(node, receiver) ? receiver->internal.free_ns : UINT64_MAX;
}

void takt_node_stop(struct takt_node *node, uint32_t index, uint64_t now)
{
    struct takt_node_receiver *receiver = &node->receivers[index];
    receiver->internal.wanted = false;
    if (receiver->internal.phase != TAKT_NODE_IDLE && receiver->internal.phase != TAKT_NODE_STOPPING) {
        ask(receiver, TAKT_NODE_STOPPING, now);
    }
}

void takt_node_start(struct takt_node *node, uint32_t index, uint64_t now)
{
    for (uint32_t i = node->receivers[index].peer; i != index; i = node->receivers[i].peer) {
        takt_node_stop(node, i, now);
    }
    node->receivers[index].internal.wanted = true; /* taktr_node_pass starts it, when no other one is busy */
}

size_t taktr_node_subscribe(struct takt_node *node, struct takt_node_receiver *receiver, uint8_t *bytes,
                            struct takt_node_address *to, uint64_t now)
{
    bool wanted = receiver->internal.phase != TAKT_NODE_STOPPING;
    receiver->internal.sequence = ++node->asked;
    struct takt_wire_packet packet = {.kind = TAKT_WIRE_SUBSCRIBE,
                                      .channel = receiver->channel,
                                      .session = receiver->internal.session,
                                      .to_session = receiver->internal.writer,
                                      .sequence = receiver->internal.sequence,
                                      .subscribe = {.period_ns = receiver->period_ns,
                                                    .deadline_ns = receiver->deadline_ns,
                                                    .size = receiver->assemble.size,
                                                    .have = (uint32_t)receiver->internal.have,
                                                    .wanted = wanted}};
    takt_wire_encode(bytes, &packet);
    *to = receiver->writer;
    if (receiver->internal.phase == TAKT_NODE_ACTIVE || receiver->internal.retry_ns > TAKT_NODE_RENEW_NS) {
        receiver->internal.retry_ns = TAKT_NODE_RENEW_NS;
    }
    uint64_t due_ns = receiver->internal.due_ns;
    receiver->internal.due_ns = now + receiver->internal.retry_ns;
    receiver->internal.retry_ns *= 2;
    if (wanted) { /* the subscription may be delayed on its way */
        receiver->internal.lease_ns = now + TAKT_NODE_LEASE_NS + TAKT_NODE_RENEW_NS;
    }
    return taktr_node_seal(node, receiver->keys == NULL ? NULL : &receiver->keys->to_writer, bytes, TAKT_WIRE_HEAD,
                           due_ns, now);
}

/* The sender has a new session. */
static void adopt(struct takt_node_receiver *receiver, uint64_t writer, uint64_t now)
{
    receiver->internal.writer = writer;
    receiver->internal.have = 0;
    receiver->internal.window = (struct takt_window){0};
    takt_assemble_restart(&receiver->assemble);
    if (receiver->keys != NULL) {
        receiver->internal.key = takt_seal_derive(&receiver->keys->to_reader, receiver->internal.session, writer);
    }
    ask(receiver, receiver->internal.phase == TAKT_NODE_STOPPING ? TAKT_NODE_STOPPING : TAKT_NODE_STARTING, now);
}

/* False: no block has these lengths. */
static bool accept(struct takt_node_receiver *receiver, uint64_t block, uint64_t now)
{
    if (block < TAKT_ASSEMBLE_BLOCK_MIN || block > TAKT_WIRE_PAYLOAD_MAX) {
        return false;
    }
    if (receiver->assemble.block != block) { /* the blocks received so far have another size */
        takt_assemble_restart(&receiver->assemble);
        receiver->assemble.block = (uint32_t)block;
    }
    if (receiver->internal.phase != TAKT_NODE_ACTIVE) {
        receiver->internal.phase = TAKT_NODE_ACTIVE;
        receiver->internal.due_ns = now + TAKT_NODE_RENEW_NS;
    }
    receiver->internal.heard_ns = now;
    return true;
}

void taktr_node_answered(struct takt_node *node, struct takt_node_receiver *receiver,
                         const struct takt_wire_packet *packet, uint64_t now)
{
    bool stopping = receiver->internal.phase == TAKT_NODE_STOPPING;
    if (receiver->internal.phase == TAKT_NODE_IDLE) {
        node->counters.inactive++;
        return;
    }
    bool heeded = false;
    if (packet->to_session == receiver->internal.session && packet->session != receiver->internal.writer) {
        heeded = packet->answer.verdict == TAKT_WIRE_AGAIN && packet->answer.left == receiver->internal.sequence;
        if (heeded) {
            adopt(receiver, packet->session, now);
        }
    } else if (packet->to_session == receiver->internal.session && packet->answer.verdict != TAKT_WIRE_AGAIN) {
        heeded = stopping == (packet->answer.verdict == TAKT_WIRE_STOPPED) &&
                 takt_window_take(&receiver->internal.window, packet->sequence);
    }
    if (!heeded) {
        node->counters.replayed++;
    } else if (packet->answer.verdict == TAKT_WIRE_ACCEPTED && !accept(receiver, packet->answer.right, now)) {
        node->counters.unfit++;
    } else {
        node->counters.answers++;
    }
    if (heeded && packet->answer.verdict == TAKT_WIRE_STOPPED) {
        stopped(node, receiver, now);
    } else if (heeded && packet->answer.verdict != TAKT_WIRE_AGAIN && packet->answer.verdict != TAKT_WIRE_ACCEPTED) {
        receiver->internal.phase = TAKT_NODE_REFUSED;
        receiver->internal.due_ns = now + TAKT_NODE_RENEW_NS;
        receiver->internal.refusal = *packet;
        receiver->internal.refusal.payload = NULL; /* it points into memory of the caller */
    }
}

/* Whether a packet of kind DATA is expected; otherwise it is counted. */
static bool is_expected(struct takt_node *node, struct takt_node_receiver *receiver,
                        const struct takt_wire_packet *packet, const uint8_t *bytes, size_t length)
{
    if (receiver->internal.phase != TAKT_NODE_ACTIVE) {
        node->counters.inactive++;
    } else if (packet->session != receiver->internal.writer || packet->to_session != receiver->internal.session) {
        node->counters.replayed++;
    } else if (!takt_seal_opens(receiver->keys == NULL ? NULL : &receiver->internal.key, bytes, length)) {
        node->counters.forged++;
    } else if (!takt_window_take(&receiver->internal.window, packet->sequence)) {
        node->counters.replayed++;
    } else {
        return true;
    }
    return false;
}

bool taktr_node_data(struct takt_node *node, struct takt_node_receiver *receiver, const struct takt_wire_packet *packet,
                     const uint8_t *bytes, size_t length)
{
    if (!is_expected(node, receiver, packet, bytes, length)) {
        return false;
    }
    bool written = false;
    struct takt_area_stamp stamp = {
        .time_ns = packet->data.time_ns, .source = receiver->source, .length = packet->data.total};
    switch (takt_assemble_add(&receiver->assemble, packet)) {
    case TAKT_ASSEMBLE_WHOLE:
        node->counters.blocks_received++;
        written = takt_area_write(receiver->area, receiver->assemble.value, &stamp) == TAKT_OK;
        node->counters.values_received += written;
        receiver->internal.have = packet->data.number;
        break;
    case TAKT_ASSEMBLE_MORE:
        node->counters.blocks_received++;
        break;
    case TAKT_ASSEMBLE_OLD:
        node->counters.old++;
        break;
    case TAKT_ASSEMBLE_TWICE:
        node->counters.twice++;
        break;
    default:
        node->counters.unfit++;
    }
    return written;
}
