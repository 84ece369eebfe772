/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes of the controller: they have the best of what waits, and ask for as few interrupts as do. */
#include "net/can/src/queue/queue.h"

enum {
    EVENTS_MAX = 2 * TAKT_CAN_MAILBOXES_MAX,
    ROUNDS_MAX = 3 * TAKT_CAN_MAILBOXES_MAX /* a mailbox is aborted and loaded at most once for each better frame */
};

static uint32_t bit(uint32_t mailbox)
{
    return UINT32_C(1) << mailbox;
}

static struct takt_can_slot *slot_in(const struct takt_can_queue *queue, uint32_t mailbox)
{
    return &queue->config.slots[queue->held[mailbox]];
}

/* The mailbox of a set, all loaded, with the highest identifier. */
static uint32_t worst_of(const struct takt_can_queue *queue, uint32_t mailboxes)
{
    uint32_t worst = takt_bitmap_lowest(mailboxes), mailbox = worst;
    for (uint32_t rest = mailboxes >> worst; rest != 0; rest >>= 1, mailbox++) {
        if ((rest & 1) != 0 && queue->keys[mailbox] > queue->keys[worst]) {
            worst = mailbox;
        }
    }
    return worst;
}

/* Frees a slot that does not wait any more although its frame was not sent. */
static void give_up(struct takt_can_queue *queue, uint16_t slot)
{
    uint32_t stream = queue->config.slots[slot].stream;
    struct takt_can_counters *counters = &queue->config.states[stream].counters;
    uint8_t dropped = queue->config.slots[slot].dropped;
    if (dropped == TAKTC_REPLACED) {
        counters->replaced++;
    } else if (dropped == TAKTC_CANCELLED) {
        counters->cancelled++;
    } else {
        counters->lost++;
    }
    taktc_slot_free(queue, slot);
    taktc_stream_ended(queue, stream);
}

static void go_off(struct takt_can_queue *queue)
{
    for (; queue->loaded != 0; queue->loaded &= queue->loaded - 1) {
        uint16_t slot = queue->held[takt_bitmap_lowest(queue->loaded)];
        queue->config.states[queue->config.slots[slot].stream].held = 0;
        give_up(queue, slot);
    }
    for (uint32_t stream = 0; stream < queue->config.stream_count; stream++) {
        const struct takt_can_stream_state *state = &queue->config.states[stream];
        while (state->first != TAKTC_NONE) {
            uint16_t slot = state->first;
            taktc_slot_remove(queue, slot);
            give_up(queue, slot);
        }
        taktc_stream_changed(queue, stream);
    }
    queue->aborting = queue->followed = queue->confirmed = 0;
    queue->off = true;
}

static void end_mailbox(struct takt_can_queue *queue, uint32_t mailbox, bool sent)
{
    uint16_t slot = queue->held[mailbox];
    uint32_t stream = queue->config.slots[slot].stream;
    struct takt_can_stream_state *state = &queue->config.states[stream];
    queue->loaded &= ~bit(mailbox);
    queue->aborting &= ~bit(mailbox);
    queue->followed &= ~bit(mailbox);
    queue->confirmed &= ~bit(mailbox);
    state->held &= (uint16_t)~bit(mailbox);
    if (sent) {
        state->counters.sent++;
        taktc_slot_free(queue, slot);
        taktc_stream_ended(queue, stream);
    } else if (queue->config.slots[slot].dropped != TAKTC_KEPT) {
        give_up(queue, slot);
    } else {
        state->counters.aborted++;
        queue->config.slots[slot].key = taktc_queue_key(&queue->config.slots[slot].frame);
        taktc_slot_insert(queue, slot, true);
    }
    taktc_stream_changed(queue, stream);
}

void taktc_mailboxes_take(struct takt_can_queue *queue)
{
    struct takt_can_controller *controller = queue->config.controller;
    struct takt_can_controller_event event;
    for (uint32_t i = 0; i < EVENTS_MAX && controller->calls->next_event(controller, &event); i++) {
        if (event.what == TAKT_CAN_WENT_OFF) {
            go_off(queue);
        } else if (event.what == TAKT_CAN_CAME_BACK) {
            queue->off = false;
        } else if ((queue->loaded & bit(event.mailbox)) != 0) {
            end_mailbox(queue, event.mailbox, event.what == TAKT_CAN_MAILBOX_SENT);
        }
    }
}

static void abort_mailbox(struct takt_can_queue *queue, uint32_t mailbox)
{
    struct takt_can_controller *controller = queue->config.controller;
    if ((queue->aborting & bit(mailbox)) == 0) {
        queue->aborting |= bit(mailbox);
        controller->calls->abort(controller, (uint8_t)mailbox);
    }
}

void taktc_mailboxes_drop(struct takt_can_queue *queue, uint32_t stream, uint8_t why)
{
    for (uint32_t rest = queue->config.states[stream].held; rest != 0; rest &= rest - 1) {
        uint32_t mailbox = takt_bitmap_lowest(rest);
        if (slot_in(queue, mailbox)->dropped == TAKTC_KEPT) {
            slot_in(queue, mailbox)->dropped = why;
        }
        abort_mailbox(queue, mailbox);
    }
}

void taktc_mailboxes_rekey(struct takt_can_queue *queue, uint32_t stream, uint32_t id)
{
    for (uint32_t rest = queue->config.states[stream].held; rest != 0; rest &= rest - 1) {
        uint32_t mailbox = takt_bitmap_lowest(rest);
        if (slot_in(queue, mailbox)->dropped != TAKTC_KEPT) {
            continue;
        }
        slot_in(queue, mailbox)->frame.id = id; /* the controller has a copy, and `key` is of that */
        if (taktc_queue_key(&slot_in(queue, mailbox)->frame) != slot_in(queue, mailbox)->key) {
            abort_mailbox(queue, mailbox);
        }
    }
}

/* Aborts the highest identifier of the shared mailboxes, all of which are loaded, for a lower one. At most two at once:
 * one frame may be on the bus, and another one makes room. False: nothing more is to be done for it now. */
static bool make_room(struct takt_can_queue *queue, uint32_t key)
{
    uint32_t aborting = queue->shared & queue->aborting, others = queue->shared & ~aborting;
    if (others == 0 || (aborting & (aborting - 1)) != 0) {
        return false;
    }
    uint32_t worst = worst_of(queue, others);
    if (queue->keys[worst] < key) {
        return false;
    }
    abort_mailbox(queue, worst);
    taktc_mailboxes_take(queue);
    return true;
}

/* Loads a mailbox with the candidate of a stream. */
static void load(struct takt_can_queue *queue, uint32_t stream, uint32_t mailbox)
{
    struct takt_can_controller *controller = queue->config.controller;
    struct takt_can_stream_state *state = &queue->config.states[stream];
    uint16_t slot = state->candidate;
    taktc_slot_remove(queue, slot);
    queue->held[mailbox] = slot;
    queue->keys[mailbox] = queue->config.slots[slot].key;
    queue->loaded |= bit(mailbox);
    queue->confirmed |= queue->config.streams[stream].confirmed ? bit(mailbox) : 0;
    state->held |= (uint16_t)bit(mailbox);
    taktc_stream_changed(queue, stream);
    controller->calls->load(controller, (uint8_t)mailbox, &queue->config.slots[slot].frame);
}

/* The key of what a stream can load. */
static uint32_t key_of(const struct takt_can_queue *queue, uint32_t stream)
{
    uint16_t slot = queue->config.states[stream].candidate;
    return slot == TAKTC_NONE ? TAKTC_NO_KEY : queue->config.slots[slot].key;
}

/* The stream with the lowest identifier of those in `ready`, which is not empty. Usually there is one. */
static uint32_t first_own(const struct takt_can_queue *queue)
{
    uint32_t first = queue->owner[takt_bitmap_lowest(queue->ready)];
    for (uint32_t rest = queue->ready & (queue->ready - 1); rest != 0; rest &= rest - 1) {
        uint32_t stream = queue->owner[takt_bitmap_lowest(rest)];
        first = key_of(queue, stream) < key_of(queue, first) ? stream : first;
    }
    return first;
}

/* One mailbox more, if a frame that waits can have it: the best one first. */
static bool fill_one(struct takt_can_queue *queue)
{
    uint32_t shared = taktc_order_first(queue), own = queue->ready != 0 ? first_own(queue) : (uint32_t)TAKTC_END;
    uint32_t key = queue->config.states[shared].key, free = queue->shared & ~queue->loaded;
    bool shares = key != TAKTC_NO_KEY && (own == TAKTC_END || key < key_of(queue, own));
    if (shares && free != 0) {
        load(queue, shared, takt_bitmap_lowest(free));
        return true;
    }
    if (shares && make_room(queue, key)) {
        return true;
    }
    if (own != TAKTC_END) {
        load(queue, own, queue->config.streams[own].mailbox);
        return true;
    }
    return false;
}

/* The mailboxes whose events change what is to be loaded, or that are wanted. */
static uint32_t interrupts(const struct takt_can_queue *queue)
{
    uint32_t wanted = queue->aborting | queue->followed | queue->confirmed;
    uint32_t shared = queue->shared & queue->loaded, rest = shared;
    if (queue->waiting == 0 || (shared & ~wanted) == 0) {
        return wanted;
    }
    if ((shared & queue->aborting) != 0) {
        return wanted | shared; /* some that waits may be better than some that is loaded */
    }
    for (uint32_t i = 0; i <= queue->config.refill_at && rest != 0; i++) {
        rest &= ~bit(worst_of(queue, rest));
    }
    return wanted | (shared & ~rest);
}

void taktc_mailboxes_fill(struct takt_can_queue *queue)
{
    struct takt_can_controller *controller = queue->config.controller;
    for (uint32_t i = 0; i < ROUNDS_MAX && fill_one(queue); i++) {
    }
    uint32_t wanted = interrupts(queue);
    if (wanted != queue->interrupts) {
        queue->interrupts = wanted;
        controller->calls->interrupt(controller, wanted);
    }
}
