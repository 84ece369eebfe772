/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes of the controller: they have the best of what waits, and ask for as few interrupts as do. */
#include "base/bitmap.h"
#include "net/can/src/queue/queue.h"

enum {
    NO_MAILBOX = TAKT_CAN_MAILBOXES_MAX,
    ABORTS_MAX = 2, /* at once: one frame may be on the bus, and another one makes room */
    EVENTS_MAX = 2 * TAKT_CAN_MAILBOXES_MAX,
    ROUNDS_MAX = 3 * TAKT_CAN_MAILBOXES_MAX /* a mailbox is aborted and loaded at most once for each better frame */
};

static uint32_t bit(uint32_t mailbox)
{
    return UINT32_C(1) << mailbox;
}

static uint32_t mailboxes_of(const struct takt_can_queue *queue)
{
    return queue->config.controller->mailboxes;
}

static struct takt_can_slot *slot_in(const struct takt_can_queue *queue, uint32_t mailbox)
{
    return &queue->config.slots[queue->held[mailbox]];
}

/* Frees a slot that does not wait any more although its frame was not sent. */
static void give_up(struct takt_can_queue *queue, uint16_t slot)
{
    struct takt_can_counters *counters = &taktc_queue_state(queue, slot)->counters;
    uint8_t dropped = queue->config.slots[slot].dropped;
    if (dropped == TAKTC_REPLACED) {
        counters->replaced++;
    } else if (dropped == TAKTC_CANCELLED) {
        counters->cancelled++;
    } else {
        counters->lost++;
    }
    taktc_slot_free(queue, slot);
}

static void go_off(struct takt_can_queue *queue)
{
    for (uint32_t mailbox = 0; mailbox < mailboxes_of(queue); mailbox++) {
        if ((queue->loaded & bit(mailbox)) != 0) {
            give_up(queue, queue->held[mailbox]);
        }
    }
    queue->loaded = queue->aborting = 0;
    while (queue->first != TAKTC_NONE) {
        uint16_t slot = queue->first;
        taktc_slot_remove(queue, slot);
        give_up(queue, slot);
    }
    queue->off = true;
}

static void end_mailbox(struct takt_can_queue *queue, const struct takt_can_controller_event *event)
{
    uint16_t slot = queue->held[event->mailbox];
    struct takt_can_counters *counters = &taktc_queue_state(queue, slot)->counters;
    queue->loaded &= ~bit(event->mailbox);
    queue->aborting &= ~bit(event->mailbox);
    if (event->what == TAKT_CAN_MAILBOX_SENT) {
        counters->sent++;
        taktc_slot_free(queue, slot);
    } else if (queue->config.slots[slot].dropped != TAKTC_KEPT) {
        give_up(queue, slot);
    } else {
        counters->aborted++;
        queue->config.slots[slot].key = taktc_queue_key(&queue->config.slots[slot].frame);
        taktc_slot_insert(queue, slot, true);
    }
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
            end_mailbox(queue, &event);
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
    for (uint32_t mailbox = 0; mailbox < mailboxes_of(queue); mailbox++) {
        if ((queue->loaded & bit(mailbox)) == 0 || slot_in(queue, mailbox)->stream != stream) {
            continue;
        }
        if (slot_in(queue, mailbox)->dropped == TAKTC_KEPT) {
            slot_in(queue, mailbox)->dropped = why;
        }
        abort_mailbox(queue, mailbox);
    }
}

void taktc_mailboxes_rekey(struct takt_can_queue *queue, uint32_t stream, uint32_t id)
{
    for (uint32_t mailbox = 0; mailbox < TAKT_CAN_MAILBOXES_MAX; mailbox++) {
        if ((queue->loaded & bit(mailbox)) == 0 || slot_in(queue, mailbox)->stream != stream ||
            slot_in(queue, mailbox)->dropped != TAKTC_KEPT) {
            continue;
        }
        slot_in(queue, mailbox)->frame.id = id; /* the controller has a copy, and `key` is of that */
        if (taktc_queue_key(&slot_in(queue, mailbox)->frame) != slot_in(queue, mailbox)->key) {
            abort_mailbox(queue, mailbox);
        }
    }
}

/* Whether a slot has to wait for one in a mailbox: of its identifier, there or if that is aborted, or an older value of
 * its state message. */
static bool follows(const struct takt_can_queue *queue, uint16_t slot)
{
    const struct takt_can_slot *next = &queue->config.slots[slot];
    bool state = taktc_queue_stream(queue, slot)->state;
    if (taktc_queue_state(queue, slot)->waiting == 1) { /* it itself: identifiers of other streams differ */
        return false;
    }
    for (uint32_t mailbox = 0; mailbox < mailboxes_of(queue); mailbox++) {
        if ((queue->loaded & bit(mailbox)) == 0) {
            continue;
        }
        const struct takt_can_slot *held = slot_in(queue, mailbox);
        bool same = held->key == next->key || taktc_queue_key(&held->frame) == next->key;
        if (same || (state && held->stream == next->stream)) {
            return true;
        }
    }
    return false;
}

/* The mailbox of a set, all loaded, with the highest identifier. */
static uint32_t worst_of(const struct takt_can_queue *queue, uint32_t mailboxes)
{
    uint32_t worst = NO_MAILBOX;
    for (uint32_t mailbox = 0; mailbox < mailboxes_of(queue); mailbox++) {
        bool is_in = (mailboxes & bit(mailbox)) != 0;
        if (is_in && (worst == NO_MAILBOX || slot_in(queue, mailbox)->key > slot_in(queue, worst)->key)) {
            worst = mailbox;
        }
    }
    return worst;
}

/* Aborts the highest identifier of the shared mailboxes, all of which are loaded, for a lower one. False: nothing more
 * is to be done for it now. */
static bool make_room(struct takt_can_queue *queue, uint16_t slot)
{
    uint32_t worst = worst_of(queue, queue->shared & ~queue->aborting);
    if (worst == NO_MAILBOX || __builtin_popcount(queue->shared & queue->aborting) >= ABORTS_MAX ||
        slot_in(queue, worst)->key < queue->config.slots[slot].key) {
        return false;
    }
    abort_mailbox(queue, worst);
    taktc_mailboxes_take(queue);
    return true;
}

static void load(struct takt_can_queue *queue, uint16_t slot, uint32_t mailbox)
{
    struct takt_can_controller *controller = queue->config.controller;
    taktc_slot_remove(queue, slot);
    queue->held[mailbox] = slot;
    queue->loaded |= bit(mailbox);
    controller->calls->load(controller, (uint8_t)mailbox, &queue->config.slots[slot].frame);
}

/* One mailbox more, if a frame that waits can have it. */
static bool fill_one(struct takt_can_queue *queue)
{
    bool full = false; /* a better frame waits for a shared mailbox in vain */
    uint16_t slot = queue->first;
    for (; slot != TAKTC_NONE && (!full || queue->own_waiting > 0); slot = queue->config.slots[slot].next) {
        uint8_t own = taktc_queue_stream(queue, slot)->mailbox;
        bool shares = own == TAKT_CAN_SHARED;
        if (shares ? full || follows(queue, slot) : (queue->loaded & bit(own)) != 0) {
            continue;
        }
        uint32_t free = (shares ? queue->shared : bit(own)) & ~queue->loaded;
        if (free != 0) {
            load(queue, slot, takt_bitmap_log2(free));
            return true;
        }
        if (shares) {
            if (make_room(queue, slot)) {
                return true;
            }
            full = true;
        }
    }
    return false;
}

/* The mailboxes whose events change what is to be loaded, or that are wanted. */
static uint32_t interrupts(const struct takt_can_queue *queue)
{
    uint32_t wanted = queue->aborting;
    uint32_t shared = queue->shared & queue->loaded;
    if (queue->shared_waiting > 0 && (queue->shared & queue->aborting) != 0) {
        wanted |= shared; /* some that waits may be better than some that is loaded */
    } else if (queue->shared_waiting > 0) {
        uint32_t rest = shared;
        for (uint32_t i = 0; i <= queue->config.refill_at && rest != 0; i++) {
            rest &= ~bit(worst_of(queue, rest));
        }
        wanted |= shared & ~rest;
    }
    for (uint32_t mailbox = 0; mailbox < mailboxes_of(queue); mailbox++) {
        if ((queue->loaded & bit(mailbox)) != 0) {
            uint16_t slot = queue->held[mailbox];
            bool has_next = taktc_queue_state(queue, slot)->waiting > 1;
            wanted |= has_next || taktc_queue_stream(queue, slot)->confirmed ? bit(mailbox) : 0;
        }
    }
    return wanted;
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
