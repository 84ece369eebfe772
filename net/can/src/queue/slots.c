/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the transmit queue: a list of those that wait, by identifier, and one of those that are free. */
#include "net/can/src/queue/queue.h"

uint32_t taktc_queue_key(const struct takt_can_frame *frame)
{
    if (!frame->shape.extended) {
        return frame->id << 19;
    }
    return frame->id >> 18 << 19 | UINT32_C(1) << 18 | (frame->id & 0x3FFFF);
}

const struct takt_can_stream *taktc_queue_stream(const struct takt_can_queue *queue, uint16_t slot)
{
    return &queue->config.streams[queue->config.slots[slot].stream];
}

struct takt_can_stream_state *taktc_queue_state(const struct takt_can_queue *queue, uint16_t slot)
{
    return &queue->config.states[queue->config.slots[slot].stream];
}

/* How many wait for mailboxes of the slot's kind. */
static uint16_t *count_of(struct takt_can_queue *queue, uint16_t slot)
{
    bool shares = taktc_queue_stream(queue, slot)->mailbox == TAKT_CAN_SHARED;
    return shares ? &queue->shared_waiting : &queue->own_waiting;
}

uint16_t taktc_slot_take(struct takt_can_queue *queue, uint32_t stream, const struct takt_can_frame *frame)
{
    uint16_t slot = queue->free;
    struct takt_can_slot *taken = &queue->config.slots[slot];
    queue->free = taken->next;
    *taken = (struct takt_can_slot){.frame = *frame, .key = taktc_queue_key(frame), .stream = (uint16_t)stream};
    queue->config.states[stream].waiting++;
    return slot;
}

void taktc_slot_free(struct takt_can_queue *queue, uint16_t slot)
{
    taktc_queue_state(queue, slot)->waiting--;
    queue->config.slots[slot].next = queue->free;
    queue->free = slot;
}

void taktc_slot_insert(struct takt_can_queue *queue, uint16_t slot, bool again)
{
    struct takt_can_slot *slots = queue->config.slots;
    uint32_t key = slots[slot].key;
    uint16_t *link = &queue->first;
    while (*link != TAKTC_NONE && (again ? slots[*link].key < key : slots[*link].key <= key)) {
        link = &slots[*link].next;
    }
    slots[slot].next = *link;
    *link = slot;
    ++*count_of(queue, slot);
    if (taktc_queue_stream(queue, slot)->state) {
        taktc_queue_state(queue, slot)->newest = slot;
    }
}

void taktc_slot_remove(struct takt_can_queue *queue, uint16_t slot)
{
    struct takt_can_slot *slots = queue->config.slots;
    uint16_t *link = &queue->first;
    while (*link != slot) {
        link = &slots[*link].next; /* it is there */
    }
    *link = slots[slot].next;
    --*count_of(queue, slot);
    taktc_queue_state(queue, slot)->newest = TAKTC_NONE;
}
