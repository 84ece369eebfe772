/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <string.h>

#include "messages.h"

/* Oldest sensor data still worth using: two and a half periods, half a period for the slow position. A late
 * command is a command. */
static const uint32_t age_us_max[LINK_SOURCES] = {
    [LINK_ATTITUDE] = 25000, [LINK_POSITION] = 50000, [LINK_FEEDBACK] = 50000, [LINK_COMMAND] = UINT32_MAX};

void link_begin(struct link_input *input, const struct link *link)
{
    *input = (struct link_input){.parser.counts = link->counts};
}

/* Whether the frame is younger than the last one of its source; the sequence then tells how many are missing between.
 */
static bool in_order(struct link *link, struct link_order *order, const struct frame *frame)
{
    const uint32_t time_us = frame_time_us(frame);

    if (order->started && (int32_t)(time_us - order->time_us) <= 0) {
        return false;
    }
    if (order->started) {
        link->lost += (uint8_t)(frame->sequence - order->sequence_next);
    }
    order->started = true;
    order->time_us = time_us;
    order->sequence_next = (uint8_t)(frame->sequence + 1);
    return true;
}

static bool enqueue(struct link_queue *queue, const struct frame *frame)
{
    const unsigned written = atomic_load_explicit(&queue->written, memory_order_relaxed);
    const unsigned taken =
        atomic_load_explicit(&queue->taken, memory_order_acquire); /* with the release in link_take */

    if (written - taken >= LINK_QUEUE_DEPTH) {
        return false;
    }
    queue->frames[written % LINK_QUEUE_DEPTH] = *frame;
    atomic_store_explicit(&queue->written, written + 1, memory_order_release);
    return true;
}

/* Files one correct frame; returns its source, or LINK_SOURCES when it is not wanted. */
static enum link_source file(struct link_input *input, struct link *link, const struct frame *frame, uint32_t now_us)
{
    if (frame->type < FRAME_ATTITUDE || frame->type > FRAME_COMMAND) {
        link->unexpected++;
        return LINK_SOURCES;
    }

    const enum link_source source = (enum link_source)(frame->type - FRAME_ATTITUDE);
    struct link_queue *queue = &link->queues[source];

    if (now_us - frame_time_us(frame) > age_us_max[source] || !in_order(link, &input->orders[source], frame)) {
        link->late++;
        return LINK_SOURCES;
    }
    if (!enqueue(queue, frame)) {
        link->overflow++; /* and yet an arrival: a reader that was stopped in its job would not be woken any more */
    }
    return source;
}

void link_accept(struct link_input *input, struct link *link, const uint8_t *data, size_t length, uint32_t now_us,
                 unsigned arrivals[LINK_SOURCES])
{
    struct frame frame;

    memset(arrivals, 0, LINK_SOURCES * sizeof *arrivals);
    for (size_t i = 0; i < length; i++) {
        frame_parser_push(&input->parser, data[i]);
        while (frame_parser_next(&input->parser, &frame)) {
            const enum link_source source = file(input, link, &frame, now_us);
            if (source != LINK_SOURCES && arrivals[source] < LINK_QUEUE_DEPTH) {
                arrivals[source]++;
            }
        }
    }
    link->counts = input->parser.counts;
}

bool link_take(struct link *link, enum link_source source, struct frame *frame)
{
    struct link_queue *queue = &link->queues[source];
    const unsigned taken = atomic_load_explicit(&queue->taken, memory_order_relaxed);
    const unsigned written = atomic_load_explicit(&queue->written, memory_order_acquire); /* with the one in enqueue */

    if (written - taken > LINK_QUEUE_DEPTH) { /* a process wrote here that should not have: begin anew */
        atomic_store_explicit(&queue->taken, written, memory_order_release);
        return false;
    }
    if (written == taken) {
        return false;
    }
    *frame = queue->frames[taken % LINK_QUEUE_DEPTH];
    atomic_store_explicit(&queue->taken, taken + 1, memory_order_release);
    return true;
}

bool link_send(struct link *link, struct frame *frame)
{
    const unsigned written = atomic_load_explicit(&link->ring_written, memory_order_relaxed);
    const unsigned taken = atomic_load_explicit(&link->ring_taken, memory_order_acquire); /* with link_drain */
    uint8_t *sequence = &link->sequence[frame->type - FRAME_ROTORS];
    uint8_t bytes[FRAME_SIZE_MAX];

    frame->sequence = *sequence;
    const size_t size = frame_encode(frame, bytes);
    if (size > LINK_RING_SIZE - (written - taken)) {
        link->ring_full++;
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        link->ring[(written + i) % LINK_RING_SIZE] = bytes[i];
    }
    (*sequence)++;
    /* Whole frames only: the interrupt sees all of it or nothing. */
    atomic_store_explicit(&link->ring_written, written + (unsigned)size, memory_order_release);
    return true;
}

size_t link_drain(struct link *link, uint8_t *out, size_t capacity)
{
    const unsigned written = atomic_load_explicit(&link->ring_written, memory_order_acquire); /* with link_send */
    unsigned taken = atomic_load_explicit(&link->ring_taken, memory_order_relaxed);
    size_t count = 0;

    if (written - taken > LINK_RING_SIZE) { /* as in link_take */
        taken = written;
    }

    while (taken != written && count < capacity) {
        out[count++] = link->ring[taken++ % LINK_RING_SIZE];
    }
    atomic_store_explicit(&link->ring_taken, taken, memory_order_release);
    return count;
}
