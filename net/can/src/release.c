/* SPDX-License-Identifier: Apache-2.0 */
#include "net/can/src/random.h"
#include "net/can/src/traffic.h"

/* A number that follows from the seed, the message, the instance and its use. */
static uint64_t drawn(const struct takt_can_traffic *traffic, uint32_t index, uint64_t number, uint64_t use)
{
    uint64_t state = traffic->seed ^ (uint64_t)index << 48 ^ use << 62 ^ number;
    state = taktc_random(&state); /* near numbers are near states */
    return taktc_random(&state);
}

uint64_t taktc_release_nominal(const struct takt_can_message *message, uint64_t number)
{
    return message->content == TAKT_CAN_LISTED ? message->instances[number].at
                                               : message->offset + number * message->period;
}

static uint64_t release_of(const struct takt_can_traffic *traffic, uint32_t index, uint64_t number)
{
    const struct takt_can_message *message = &traffic->messages[index];
    if (message->content == TAKT_CAN_LISTED) {
        return number < message->instance_count ? message->instances[number].at : UINT64_MAX;
    }
    if (message->period == 0 && number > 0) {
        return UINT64_MAX;
    }
    uint64_t late = message->jitter == 0 ? 0 : drawn(traffic, index, number, 1) % (message->jitter + 1);
    return taktc_release_nominal(message, number) + late;
}

static bool is_before(const struct takt_can_release *a, const struct takt_can_release *b)
{
    return a->at != b->at ? a->at < b->at : a->message < b->message;
}

/* Puts a release where it belongs in the heap, from `slot` downwards, which is free. At most 11 rounds. */
static void sift(struct takt_can_traffic *traffic, uint32_t slot, struct takt_can_release release)
{
    struct takt_can_release *heap = traffic->releases;
    for (uint32_t child = 2 * slot + 1; child < traffic->message_count; child = 2 * slot + 1) {
        if (child + 1 < traffic->message_count && is_before(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!is_before(&heap[child], &release)) {
            break;
        }
        heap[slot] = heap[child];
        slot = child;
    }
    heap[slot] = release;
}

void taktc_releases_start(struct takt_can_traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->message_count; i++) {
        traffic->releases[i] = (struct takt_can_release){release_of(traffic, i, 0), i};
    }
    for (uint32_t i = traffic->message_count / 2; i > 0; i--) {
        sift(traffic, i - 1, traffic->releases[i - 1]);
    }
}

void taktc_releases_until(struct takt_can_traffic *traffic, uint64_t now)
{
    while (traffic->releases[0].at <= now) {
        uint32_t index = traffic->releases[0].message;
        struct takt_can_message *message = &traffic->messages[index];
        uint64_t number = message->released++;
        if ((traffic->bus.dead >> message->node & 1) == 0) {
            taktc_sender_queue(traffic, index, number);
        } else {
            message->lost++;
            message->taken++;
        }
        sift(traffic, 0, (struct takt_can_release){release_of(traffic, index, number + 1), index});
    }
}

void taktc_content_set(struct takt_can_traffic *traffic, uint32_t index, uint64_t number)
{
    struct takt_can_message *message = &traffic->messages[index];
    struct takt_can_frame *frame = &message->frame;
    if (message->content == TAKT_CAN_SAME || (message->has_content && message->content_of == number)) {
        return;
    }
    unsigned bytes = takt_can_bytes(&frame->shape);
    message->has_content = true;
    message->content_of = number;
    if (message->content == TAKT_CAN_LISTED) {
        const struct takt_can_instance *instance = &message->instances[number];
        frame->shape.dlc = instance->dlc;
        frame->shape.remote = instance->remote;
        bytes = takt_can_bytes(&frame->shape);
        for (unsigned i = 0; i < bytes; i++) {
            frame->data[i] = message->data[instance->data + i];
        }
        return;
    }
    uint64_t state = drawn(traffic, index, number, 2), word = 0;
    for (unsigned i = 0; i < bytes; i++) {
        word = i % 8 == 0 ? taktc_random(&state) : word >> 8;
        frame->data[i] = (uint8_t)word;
    }
}
