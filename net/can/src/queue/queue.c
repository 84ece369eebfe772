/* SPDX-License-Identifier: Apache-2.0 */
#include "net/can/src/queue/queue.h"

#include "base/arith.h"

/* A state message has one in a mailbox, and a newer one. */
static uint32_t slots_of(const struct takt_can_stream *stream)
{
    return stream->state ? 2 : stream->depth;
}

uint32_t takt_can_queue_slots(const struct takt_can_stream *streams, uint32_t count)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < count; i++) {
        slots += slots_of(&streams[i]);
    }
    return slots;
}

static bool stream_is_valid(const struct takt_can_queue_config *config, const struct takt_can_stream *stream)
{
    bool has_mailbox = stream->mailbox == TAKT_CAN_SHARED || stream->mailbox < config->controller->mailboxes;
    return has_mailbox && (stream->state || (stream->depth >= 1 && stream->depth <= TAKT_CAN_DEPTH_MAX));
}

bool takt_can_queue_config_is_valid(const struct takt_can_queue_config *config)
{
    uint32_t own = 0, sharing = 0;
    if (config->stream_count < 1 || config->stream_count > TAKT_CAN_STREAMS_MAX ||
        config->slot_count > TAKT_CAN_SLOTS_MAX || config->controller->mailboxes < 1 ||
        config->controller->mailboxes > TAKT_CAN_MAILBOXES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < config->stream_count; i++) {
        const struct takt_can_stream *stream = &config->streams[i];
        if (!stream_is_valid(config, stream)) {
            return false;
        }
        if (stream->mailbox == TAKT_CAN_SHARED) {
            sharing++;
        } else if ((own >> stream->mailbox & 1) != 0) {
            return false;
        } else {
            own |= UINT32_C(1) << stream->mailbox;
        }
    }
    uint32_t shared = config->controller->mailboxes - (uint32_t)__builtin_popcount(own);
    return config->slot_count >= takt_can_queue_slots(config->streams, config->stream_count) &&
           (sharing == 0 || config->refill_at < shared);
}

void takt_can_queue_init(struct takt_can_queue *queue, const struct takt_can_queue_config *config)
{
    *queue = (struct takt_can_queue){.config = *config, .free = TAKTC_NONE, .ended = TAKTC_END};
    queue->shared = (UINT32_C(1) << config->controller->mailboxes) - 1;
    for (uint32_t i = 0; i < config->stream_count; i++) {
        config->states[i] = (struct takt_can_stream_state){
            .key = TAKTC_NO_KEY, .first = TAKTC_NONE, .last = TAKTC_NONE, .candidate = TAKTC_NONE, .ended = TAKTC_NONE};
        if (config->streams[i].mailbox != TAKT_CAN_SHARED) {
            queue->shared &= ~(UINT32_C(1) << config->streams[i].mailbox);
            queue->owner[config->streams[i].mailbox] = (uint16_t)i;
        }
    }
    taktc_order_init(queue);
    for (uint32_t i = config->slot_count; i > 0; i--) {
        config->slots[i - 1].next = queue->free;
        queue->free = (uint16_t)(i - 1);
    }
    config->controller->calls->interrupt(config->controller, 0);
}

/* A newer value of a state message: in the slot that waits, or in a second one while a mailbox has the last value. */
static void replace(struct takt_can_queue *queue, uint32_t stream, const struct takt_can_frame *frame)
{
    struct takt_can_stream_state *state = &queue->config.states[stream];
    if (state->first != TAKTC_NONE) {
        uint16_t slot = state->first;
        taktc_slot_remove(queue, slot);
        taktc_slot_free(queue, slot);
        state->counters.replaced++;
        taktc_stream_ended(queue, stream);
    }
    taktc_slot_insert(queue, taktc_slot_take(queue, stream, frame), false);
    taktc_stream_changed(queue, stream);
    taktc_mailboxes_drop(queue, stream, TAKTC_REPLACED);
    taktc_mailboxes_take(queue);
}

static enum takt_status admit(struct takt_can_queue *queue, uint32_t stream, const struct takt_can_frame *frame,
                              uint64_t now_ns)
{
    const struct takt_can_stream *declared = &queue->config.streams[stream];
    struct takt_can_stream_state *state = &queue->config.states[stream];
    if (queue->off) {
        state->counters.off++;
        return TAKT_STATE;
    }
    if (now_ns < state->earliest_ns) {
        state->counters.early++;
        return TAKT_LIMIT;
    }
    if (!declared->state && state->waiting == declared->depth) {
        state->counters.full++;
        return TAKT_FULL;
    }
    /* The nominal release of this frame: as early as the last one and the jitter permit. */
    uint64_t nominal_ns = takt_subtract(now_ns, declared->jitter_ns);
    nominal_ns = nominal_ns > state->earliest_ns ? nominal_ns : state->earliest_ns;
    state->earliest_ns = takt_add(nominal_ns, declared->distance_ns);
    state->counters.queued++;
    if (declared->state) {
        replace(queue, stream, frame);
    } else {
        taktc_slot_insert(queue, taktc_slot_take(queue, stream, frame), false);
        taktc_stream_changed(queue, stream);
    }
    return TAKT_OK;
}

enum takt_status takt_can_queue_send(struct takt_can_queue *queue, uint32_t stream, const struct takt_can_frame *frame,
                                     uint64_t now_ns)
{
    taktc_mailboxes_take(queue);
    enum takt_status status = admit(queue, stream, frame, now_ns);
    taktc_mailboxes_fill(queue);
    return status;
}

void takt_can_queue_service(struct takt_can_queue *queue)
{
    taktc_mailboxes_take(queue);
    taktc_mailboxes_fill(queue);
}

void takt_can_queue_cancel(struct takt_can_queue *queue, uint32_t stream)
{
    struct takt_can_stream_state *state = &queue->config.states[stream];
    taktc_mailboxes_take(queue);
    taktc_mailboxes_drop(queue, stream, TAKTC_CANCELLED);
    taktc_mailboxes_take(queue);
    while (state->first != TAKTC_NONE) {
        uint16_t slot = state->first;
        taktc_slot_remove(queue, slot);
        taktc_slot_free(queue, slot);
        state->counters.cancelled++;
        taktc_stream_ended(queue, stream);
    }
    taktc_stream_changed(queue, stream);
    taktc_mailboxes_fill(queue);
}

/* What waits of a stream in no mailbox: taken out in its order, and put back under the new identifier. */
static void rekey_waiting(struct takt_can_queue *queue, uint32_t stream, uint32_t id)
{
    struct takt_can_slot *slots = queue->config.slots;
    const struct takt_can_stream_state *state = &queue->config.states[stream];
    uint16_t first = TAKTC_NONE, slot, *link = &first;
    while (state->first != TAKTC_NONE) {
        slot = state->first;
        taktc_slot_remove(queue, slot);
        slots[slot].next = TAKTC_NONE;
        *link = slot;
        link = &slots[slot].next;
    }
    while (first != TAKTC_NONE) {
        slot = first;
        first = slots[slot].next;
        slots[slot].frame.id = id;
        slots[slot].key = taktc_queue_key(&slots[slot].frame);
        taktc_slot_insert(queue, slot, false);
    }
}

void takt_can_queue_rekey(struct takt_can_queue *queue, uint32_t stream, uint32_t id)
{
    taktc_mailboxes_take(queue);
    rekey_waiting(queue, stream, id);
    taktc_mailboxes_rekey(queue, stream, id);
    taktc_stream_changed(queue, stream);
    taktc_mailboxes_take(queue);
}

void taktc_stream_ended(struct takt_can_queue *queue, uint32_t stream)
{
    struct takt_can_stream_state *state = &queue->config.states[stream];
    if (state->ended == TAKTC_NONE) {
        state->ended = queue->ended;
        queue->ended = (uint16_t)stream;
    }
}

uint32_t takt_can_queue_ended(struct takt_can_queue *queue)
{
    uint16_t stream = queue->ended;
    if (stream != TAKTC_END) {
        queue->ended = queue->config.states[stream].ended;
        queue->config.states[stream].ended = TAKTC_NONE;
    }
    return stream;
}

void takt_can_queue_recover(struct takt_can_queue *queue)
{
    queue->config.controller->calls->recover(queue->config.controller);
}

bool takt_can_queue_is_off(const struct takt_can_queue *queue)
{
    return queue->off;
}

const struct takt_can_counters *takt_can_queue_counters(const struct takt_can_queue *queue, uint32_t stream)
{
    return &queue->config.states[stream].counters;
}
