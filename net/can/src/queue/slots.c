/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the transmit queue: of each stream a list of those that wait, by identifier, and one of those that are free.
 */
#include <string.h>

#include "net/can/src/queue/queue.h"

uint32_t taktc_queue_key(const struct takt_can_frame *frame)
{
    if (!frame->shape.extended) {
        return frame->id << 19;
    }
    return frame->id >> 18 << 19 | UINT32_C(1) << 18 | (frame->id & 0x3FFFF);
}

uint16_t taktc_slot_take(struct takt_can_queue *queue, uint32_t stream, const struct takt_can_frame *frame)
{
    uint16_t slot = queue->free;
    struct takt_can_slot *taken = &queue->config.slots[slot];
    queue->free = taken->next;
    taken->frame.shape = frame->shape;
    taken->frame.passive = frame->passive;
    taken->frame.id = frame->id;
    memcpy(taken->frame.data, frame->data, takt_can_bytes(&frame->shape)); /* of which a frame may have few */
    taken->key = taktc_queue_key(frame);
    taken->stream = (uint16_t)stream;
    taken->dropped = TAKTC_KEPT;
    queue->config.states[stream].waiting++;
    return slot;
}

void taktc_slot_free(struct takt_can_queue *queue, uint16_t slot)
{
    queue->config.states[queue->config.slots[slot].stream].waiting--;
    queue->config.slots[slot].next = queue->free;
    queue->free = slot;
}

void taktc_slot_insert(struct takt_can_queue *queue, uint16_t slot, bool again)
{
    struct takt_can_slot *slots = queue->config.slots;
    struct takt_can_stream_state *state = &queue->config.states[slots[slot].stream];
    uint32_t key = slots[slot].key;
    uint16_t *link = &state->first;
    if (!again && state->first != TAKTC_NONE && slots[state->last].key <= key) {
        link = &slots[state->last].next;
    }
    while (*link != TAKTC_NONE && (again ? slots[*link].key < key : slots[*link].key <= key)) {
        link = &slots[*link].next;
    }
    if (*link == TAKTC_NONE) {
        state->last = slot;
    }
    slots[slot].next = *link;
    *link = slot;
    queue->waiting += queue->config.streams[slots[slot].stream].mailbox == TAKT_CAN_SHARED;
}

void taktc_slot_remove(struct takt_can_queue *queue, uint16_t slot)
{
    struct takt_can_slot *slots = queue->config.slots;
    struct takt_can_stream_state *state = &queue->config.states[slots[slot].stream];
    uint16_t *link = &state->first, before = TAKTC_NONE;
    while (*link != slot) { /* it is there */
        before = *link;
        link = &slots[before].next;
    }
    *link = slots[slot].next;
    if (state->last == slot) {
        state->last = before;
    }
    queue->waiting -= queue->config.streams[slots[slot].stream].mailbox == TAKT_CAN_SHARED;
}

/* Whether a slot has to wait for one of its stream in a mailbox: of its identifier, there or if that is aborted. */
static bool follows(const struct takt_can_queue *queue, const struct takt_can_slot *slot, uint32_t mailboxes)
{
    for (uint32_t rest = mailboxes; rest != 0; rest &= rest - 1) {
        const struct takt_can_slot *held = &queue->config.slots[queue->held[takt_bitmap_lowest(rest)]];
        if (held->key == slot->key || taktc_queue_key(&held->frame) == slot->key) {
            return true;
        }
    }
    return false;
}

/* The first slot of a stream that could be loaded. A value of a state message waits for the end of the one before it,
 * and so does what has a mailbox of its own. */
static uint16_t candidate(const struct takt_can_queue *queue, uint32_t stream)
{
    const struct takt_can_stream_state *state = &queue->config.states[stream];
    const struct takt_can_stream *declared = &queue->config.streams[stream];
    const struct takt_can_slot *slots = queue->config.slots;
    uint16_t slot = state->first;
    if (state->held == 0 || slot == TAKTC_NONE) {
        return slot;
    }
    if (declared->state || declared->mailbox != TAKT_CAN_SHARED) {
        return TAKTC_NONE;
    }
    while (slot != TAKTC_NONE && follows(queue, &slots[slot], state->held)) {
        slot = slots[slot].key == slots[state->last].key ? TAKTC_NONE : slots[slot].next; /* so do all behind it */
    }
    return slot;
}

void taktc_stream_changed(struct takt_can_queue *queue, uint32_t stream)
{
    struct takt_can_stream_state *state = &queue->config.states[stream];
    uint8_t own = queue->config.streams[stream].mailbox;
    uint16_t slot = candidate(queue, stream);
    bool is_there = slot != TAKTC_NONE;
    state->candidate = slot;
    queue->followed = state->waiting > 1 ? queue->followed | state->held : queue->followed & ~(uint32_t)state->held;
    if (own == TAKT_CAN_SHARED) {
        taktc_order_set(queue, stream, is_there ? queue->config.slots[slot].key : TAKTC_NO_KEY);
    } else {
        queue->ready = (queue->ready & ~(UINT32_C(1) << own)) | (uint32_t)is_there << own;
    }
}
