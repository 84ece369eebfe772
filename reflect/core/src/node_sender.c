/* SPDX-License-Identifier: Apache-2.0 */
/* The sending ends of channels: subscriptions of readers, and the values that are sent to them. */
#include "base/arith.h"

#include "node_internal.h"

enum { AHEAD_MAX = 1 << 30 };

static struct takt_wire_packet answer_of(const struct takt_node_sender *sender, uint64_t session, uint64_t to_session,
                                         uint64_t heard, enum takt_wire_verdict verdict)
{
    return (struct takt_wire_packet){.kind = TAKT_WIRE_ANSWER,
                                     .channel = sender->channel,
                                     .session = session,
                                     .to_session = to_session,
                                     .answer = {.left = heard, .verdict = verdict}};
}

/* Queues an answer to the reader of the session. */
static void answer(const struct takt_node *node, struct takt_node_sender *sender, enum takt_wire_verdict verdict,
                   uint64_t now)
{
    sender->internal.asked_ns = now;
    sender->internal.answer =
        answer_of(sender, sender->internal.session, sender->internal.reader, sender->internal.heard, verdict);
    sender->internal.answer.answer.right = verdict == TAKT_WIRE_ACCEPTED ? node->block : 0;
    sender->internal.answer_address = sender->internal.address;
}

/* The number of the newest value in the sender's area; 0: there is none, or no writer. */
static uintptr_t newest(const struct takt_node_sender *sender)
{
    return sender->area.memory == NULL ? 0 : takt_area_newest(&sender->area);
}

static void stop(struct takt_node_sender *sender)
{
    sender->internal.wanted = false;
    sender->internal.asked = false;
    takt_push_stop(&sender->internal.push);
}

/* A receiver named the session that was offered: the receiver's session and this one begin. */
static void bind(struct takt_node *node, struct takt_node_sender *sender, const struct takt_wire_packet *packet)
{
    stop(sender);
    sender->internal.session = sender->internal.offered;
    sender->internal.offered = taktr_node_session(node);
    sender->internal.reader = packet->session;
    sender->internal.answer_ns = 0; /* it was no replayed packet: that could not name the offer */
    sender->internal.number = 0;
    sender->internal.taken = sender->every ? newest(sender) : 0;
    if (sender->keys != NULL) {
        sender->internal.key =
            takt_seal_derive(&sender->keys->to_reader, sender->internal.reader, sender->internal.session);
    }
}

/* Sends the newest value, even if it was sent before. */
static void repeat(struct takt_node_sender *sender, uint64_t now)
{
    sender->internal.repeat = true;
    takt_push_repeat(&sender->internal.push, now);
}

/* Starts to send to the reader, with the newest value if there is one. */
static void begin(struct takt_node_sender *sender, uint64_t now)
{
    struct takt_push_rule rule = {.kind = sender->kind,
                                  .period_ns = sender->internal.period_ns,
                                  .promotion_ns = sender->promotion_ns,
                                  .level = sender->level,
                                  .jitter_ns = sender->jitter_ns,
                                  .every = sender->every,
                                  .delay_ns = sender->delay_ns};
    sender->internal.wanted = true;
    takt_push_start(&sender->internal.push, &rule, now);
    sender->area.taken = newest(sender);
    if (!sender->every) {
        repeat(sender, now);
    }
}

/* Renews the lease of a subscription. */
static void ask(struct takt_node_sender *sender, const struct takt_wire_packet *packet, uint64_t now)
{
    uint64_t asked = packet->subscribe.period_ns;
    sender->internal.asked = true;
    sender->internal.period_ns = asked > sender->period_ns ? asked : sender->period_ns; /* at most the admitted rate */
    sender->internal.lease_ns = now + TAKT_NODE_LEASE_NS;
}

/* Changes of a sender that come with time: the end of its lease, and the end of a pause. */
static void pass(struct takt_node_sender *sender, uint64_t now)
{
    if (sender->internal.asked && now >= sender->internal.lease_ns) {
        stop(sender);
    }
    if (sender->internal.asked && !sender->internal.stopped && !sender->internal.wanted &&
        now >= sender->internal.free_ns) {
        begin(sender, now);
    }
}

/* A reader that knows this session subscribes, or renews its subscription. */
static void wanted(struct takt_node_sender *sender, const struct takt_wire_packet *packet, uint64_t now)
{
    bool before = sender->internal.wanted;
    ask(sender, packet, now);
    pass(sender, now);
    if (!before) {
        return;
    }
    sender->internal.push.rule.period_ns = sender->internal.period_ns;
    if (!sender->every && !sender->internal.push.pending &&
        packet->subscribe.have != (uint32_t)sender->internal.number) {
        repeat(sender, now); /* the last value was lost, or is still on its way */
    }
}

/* A subscription that does not name this session: offers a session, which the next subscription must name. A replayed
 * packet has no greater sequence number than all packets before: it gets an offer only if no other offer is waiting,
 * and at a limited rate. */
static void stranger(struct takt_node *node, struct takt_node_sender *sender, const struct takt_wire_packet *packet,
                     const struct takt_node_address *from, uint64_t now)
{
    bool fresh = packet->sequence > sender->internal.freshest;
    if (!fresh && (sender->internal.offer.session != 0 || now < sender->internal.answer_ns)) {
        node->counters.unanswered++;
        return;
    }
    node->counters.subscriptions++;
    if (sender->internal.offer.session == 0) {
        sender->internal.offer_ns = now > sender->internal.answer_ns ? now : sender->internal.answer_ns;
    }
    sender->internal.offer =
        answer_of(sender, sender->internal.offered, packet->session, packet->sequence, TAKT_WIRE_AGAIN);
    sender->internal.offer_address = *from;
}

void taktr_node_declared(struct takt_node_sender *sender)
{
    if (sender->refusal.answer.verdict == TAKT_WIRE_REFUSED) {
        stop(sender); /* its reader gets the reason when it subscribes again */
    }
    struct takt_push_rule *rule = &sender->internal.push.rule;
    rule->period_ns = rule->period_ns > sender->period_ns ? rule->period_ns : sender->period_ns;
    rule->jitter_ns = sender->jitter_ns;
    rule->delay_ns = sender->delay_ns;
    rule->promotion_ns = sender->promotion_ns;
    rule->level = sender->level;
}

/* Handles a subscription that names this session. */
static void decide(struct takt_node *node, struct takt_node_sender *sender, const struct takt_wire_packet *packet,
                   uint64_t now)
{
    if (!packet->subscribe.wanted) {
        stop(sender);
        answer(node, sender, TAKT_WIRE_STOPPED, now);
    } else if (packet->subscribe.size != sender->area.shape.size) {
        stop(sender);
        answer(node, sender, TAKT_WIRE_UNFIT, now);
        sender->internal.answer.answer.left = sender->area.shape.size;
        sender->internal.answer.answer.right = packet->subscribe.size;
    } else if (sender->refusal.answer.verdict == TAKT_WIRE_REFUSED) {
        stop(sender);
        answer(node, sender, TAKT_WIRE_REFUSED, now);
        sender->internal.answer.answer = sender->refusal.answer;
    } else if (sender->internal.stopped) {
        ask(sender, packet, now);
        answer(node, sender, TAKT_WIRE_WITHHELD, now);
    } else {
        wanted(sender, packet, now);
        answer(node, sender, TAKT_WIRE_ACCEPTED, now);
    }
}

void taktr_node_subscribed(struct takt_node *node, struct takt_node_sender *sender,
                           const struct takt_wire_packet *packet, const struct takt_node_address *from, uint64_t now)
{
    bool known = packet->to_session == sender->internal.session && packet->session == sender->internal.reader;
    if (!known && packet->to_session != sender->internal.offered) {
        stranger(node, sender, packet, from, now);
    } else if (known && packet->sequence <= sender->internal.heard) {
        node->counters.replayed++;
    } else {
        node->counters.subscriptions++;
        if (!known) {
            bind(node, sender, packet);
        }
        sender->internal.heard = packet->sequence;
        sender->internal.address = *from;
        decide(node, sender, packet, now);
    }
    sender->internal.freshest =
        packet->sequence > sender->internal.freshest ? packet->sequence : sender->internal.freshest;
}

uint64_t taktr_node_held(const struct takt_node *node, uint32_t index)
{
    uint64_t held_ns = node->senders[index].internal.free_ns;
    for (uint32_t i = node->senders[index].peer; i != index; i = node->senders[i].peer) {
        held_ns = node->senders[i].internal.free_ns > held_ns ? node->senders[i].internal.free_ns : held_ns;
    }
    return held_ns;
}

void taktr_node_hold(struct takt_node *node, uint32_t index, uint64_t until_ns)
{
    node->senders[index].internal.free_ns = until_ns;
    for (uint32_t i = node->senders[index].peer; i != index; i = node->senders[i].peer) {
        node->senders[i].internal.free_ns = until_ns;
    }
}

void takt_node_sender_stop(struct takt_node *node, uint32_t index, uint64_t now)
{
    struct takt_node_sender *sender = &node->senders[index];
    if (sender->internal.stopped) {
        return;
    }
    bool asked = sender->internal.asked && now < sender->internal.lease_ns;
    stop(sender);
    sender->internal.stopped = true;
    sender->internal.asked = asked;
    if (sender->internal.free_ns < now + sender->pause_ns) { /* otherwise another sender of its group has done so */
        taktr_node_hold(node, index, now + sender->pause_ns);
    }
    if (asked) {
        answer(node, sender, TAKT_WIRE_WITHHELD, now);
    }
}

void takt_node_sender_start(struct takt_node *node, uint32_t index, uint64_t now)
{
    struct takt_node_sender *sender = &node->senders[index];
    for (uint32_t i = sender->peer; i != index; i = node->senders[i].peer) {
        takt_node_sender_stop(node, i, now);
    }
    if (!sender->internal.stopped) {
        return;
    }
    sender->internal.stopped = false;
    pass(sender, now);
    if (sender->internal.asked) {
        answer(node, sender, TAKT_WIRE_ACCEPTED, now);
    }
}

bool taktr_node_has_answer(const struct takt_node_sender *sender, uint64_t now)
{
    return sender->internal.answer.session != 0 ||
           (sender->internal.offer.session != 0 && sender->internal.offer_ns <= now);
}

uint64_t taktr_node_sender_due(const struct takt_node_sender *sender)
{
    if (sender->internal.answer.session != 0) {
        return 0;
    }
    uint64_t due = sender->internal.offer.session != 0 ? sender->internal.offer_ns : UINT64_MAX;
    bool waits = sender->internal.asked && !sender->internal.stopped && !sender->internal.wanted;
    return waits && sender->internal.free_ns < due ? sender->internal.free_ns : due;
}

size_t taktr_node_answer(struct takt_node *node, struct takt_node_sender *sender, uint8_t *bytes,
                         struct takt_node_address *to, uint64_t now)
{
    bool offers = sender->internal.answer.session == 0;
    struct takt_wire_packet *answer = offers ? &sender->internal.offer : &sender->internal.answer;
    uint64_t since = offers ? sender->internal.offer_ns : sender->internal.asked_ns;
    if (offers) {
        answer->session = sender->internal.offered; /* the session offered before may be in use by another reader now */
        sender->internal.answer_ns = now + TAKT_NODE_RETRY_NS / 2;
    }
    answer->sequence = ++sender->internal.sequence;
    takt_wire_encode(bytes, answer);
    *to = offers ? sender->internal.offer_address : sender->internal.answer_address;
    answer->session = 0;
    return taktr_node_seal(node, sender->keys == NULL ? NULL : &sender->keys->to_reader, bytes, TAKT_WIRE_HEAD, since,
                           now);
}

void takt_node_written(struct takt_node *node, uint32_t index, uint64_t now)
{
    struct takt_node_sender *sender = &node->senders[index];
    if (sender->internal.wanted) {
        sender->internal.repeat |= sender->internal.push.repeat; /* which ends here, and may have been of this value */
        takt_push_written(&sender->internal.push, now);
    }
}

void takt_node_attach(struct takt_node *node, uint32_t index, const struct takt_area_reader *area, uint64_t now)
{
    struct takt_node_sender *sender = &node->senders[index];
    sender->area = *area;
    sender->internal.taken =
        sender->every ? area->taken : 0; /* its values are new to the receiver, whatever their numbers */
    if (newest(sender) != sender->internal.taken) {
        takt_node_written(node, index, now);
    }
}

/* Whether take() may find a value to send. */
static bool has_new(const struct takt_node_sender *sender)
{
    uintptr_t number = newest(sender);
    if (sender->every || number == 0) {
        return number != 0 && number != sender->area.taken;
    }
    return sender->internal.repeat || sender->kind == TAKT_PUSH_ASYNC || number != sender->internal.taken;
}

bool taktr_node_is_ready(struct takt_node_sender *sender, uint64_t now)
{
    pass(sender, now);
    /* Ends a push without a value here: if each took a turn of its own, thousands of them would delay all others. At
     * most two rounds: after a late ASYNC push the next one may be released already. */
    while (takt_push_is_ready(&sender->internal.push, now) && !sender->internal.push.begun && !has_new(sender)) {
        takt_push_end(&sender->internal.push, now);
    }
    return takt_push_is_ready(&sender->internal.push, now);
}

uint64_t taktr_node_promotion(const struct takt_node_sender *sender, uint64_t now)
{
    const struct takt_push *push = &sender->internal.push;
    bool later =
        sender->internal.wanted && push->pending && takt_push_band(push, now) == TAKT_PUSH_LOW && !push->repeat;
    return later ? takt_add(push->nominal_ns, push->rule.promotion_ns) : UINT64_MAX;
}

/* Copies the value to send; false: there is no new one. */
static bool take(struct takt_node *node, struct takt_node_sender *sender)
{
    if (newest(sender) == 0) {
        return false;
    }
    enum takt_status status = sender->every ? takt_area_take(&sender->area, sender->value, &sender->internal.read)
                                            : takt_area_read(&sender->area, sender->value, &sender->internal.read);
    node->counters.overtaken += status == TAKT_OVERTAKEN; /* by a write that is reported later, or was before */
    if (status != TAKT_OK) {
        return false;
    }
    uintptr_t ahead = sender->internal.read.number - sender->internal.taken;
    bool again = sender->internal.repeat || sender->kind == TAKT_PUSH_ASYNC;
    if (ahead == 0 && !again) {
        return false; /* the first of two writes was reported after the second, whose value was sent */
    }
    if (sender->every) {
        /* Gaps in the numbers show the receiver how many values were lost. The numbers of a writer that does not keep
         * to the protocol may jump by any amount: the limit keeps this number from wrapping, after which no value of
         * later writers would be new to the receiver. */
        sender->internal.number += ahead < AHEAD_MAX ? ahead : AHEAD_MAX;
    } else if (ahead != 0 || sender->kind == TAKT_PUSH_ASYNC) {
        sender->internal.number++;
    }
    sender->internal.taken = sender->internal.read.number;
    sender->internal.repeat = false;
    sender->internal.offset = 0;
    return true;
}

/* The whole value was sent. */
static void end(struct takt_node_sender *sender, uint64_t now)
{
    takt_push_end(&sender->internal.push, now);
    if (sender->every && newest(sender) != sender->area.taken) {
        takt_push_written(&sender->internal.push, now);
    }
}

size_t taktr_node_block(struct takt_node *node, struct takt_node_sender *sender, uint8_t *bytes,
                        struct takt_node_address *to, uint64_t now)
{
    if (!sender->internal.push.begun) {
        if (!take(node, sender)) {
            takt_push_end(&sender->internal.push, now);
            return 0;
        }
        takt_push_begin(&sender->internal.push, now);
    }
    uint32_t total = sender->internal.read.stamp.length;
    uint32_t rest = total - sender->internal.offset;
    struct takt_wire_packet packet = {.kind = TAKT_WIRE_DATA,
                                      .channel = sender->channel,
                                      .session = sender->internal.session,
                                      .to_session = sender->internal.reader,
                                      .sequence = ++sender->internal.sequence,
                                      .data = {.number = sender->internal.number,
                                               .time_ns = sender->internal.read.stamp.time_ns,
                                               .source = sender->internal.read.stamp.source,
                                               .total = total,
                                               .offset = sender->internal.offset},
                                      .length = rest < node->block ? rest : node->block};
    takt_wire_encode(bytes, &packet);
    memcpy(bytes + TAKT_WIRE_HEAD, sender->value + sender->internal.offset, packet.length);
    *to = sender->internal.address;
    node->counters.blocks_sent++;
    sender->internal.offset += packet.length;
    if (sender->internal.offset == total) {
        node->counters.values_sent++;
        end(sender, now);
    }
    return taktr_node_seal(node, sender->keys == NULL ? NULL : &sender->internal.key, bytes,
                           TAKT_WIRE_HEAD + packet.length, now, now);
}
