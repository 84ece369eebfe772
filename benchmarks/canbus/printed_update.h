/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PRINTED_UPDATE_H
#define PRINTED_UPDATE_H

/*
 * The update of identifiers as seed 000 prints it (7.3.5), of one node: to measure what it costs and to show how it
 * fails, on a simulated bus alone. What Takt has in its place: takt/can_mts.h.
 *
 * At each epoch a node adds one to the data length of its best ready message (printed_begin). The first such message on
 * the bus is the signal (printed_is_signal), after which every node restores its length (printed_restore) and counts
 * identifiers from the new epoch (printed_rewrite).
 */
#include <stdbool.h>
#include <stdint.h>

#include "takt/can_frame.h"

enum { PRINTED_FIELDS = 32, PRINTED_STREAMS_MAX = 64, PRINTED_LOW = 0x400 }; /* PRINTED_LOW: bit of low-speed ones */

/* A stream of the node, and its message while that is ready. Times in us. */
struct printed_message {
    struct takt_can_frame frame;
    uint64_t begin; /* its latest start */
    uint32_t unique;
    uint8_t dlc;
    bool high;
    bool ready;
};

struct printed_node {
    struct printed_message *messages;
    unsigned count;
    const uint8_t *lengths; /* by the last six bits of an identifier: of all streams of the bus */
    uint64_t region;
    uint64_t start;                 /* of the epoch from which its identifiers count */
    struct printed_message *raised; /* whose length has one more */
    bool begun;                     /* it waits for the signal, and receives all */
};

/* As printed: nothing holds the field in its bits. */
static inline uint32_t printed_id(const struct printed_node *node, const struct printed_message *message)
{
    if (!message->high) {
        return PRINTED_LOW | message->unique;
    }
    uint64_t field = message->begin < node->start ? 0 : (message->begin - node->start) / node->region;
    return (uint32_t)(field % PRINTED_FIELDS) << 5 | message->unique;
}

static inline struct printed_message *printed_best(const struct printed_node *node)
{
    struct printed_message *best = 0;
    for (unsigned i = 0; i < node->count; i++) {
        struct printed_message *one = &node->messages[i];
        if (one->ready && (!best || one->frame.id < best->frame.id)) {
            best = one;
        }
    }
    return best;
}

static inline void printed_begin(struct printed_node *node)
{
    node->begun = true;
    node->raised = printed_best(node);
    if (node->raised) {
        node->raised->frame.shape.dlc = (uint8_t)(node->raised->dlc + 1);
    }
}

/* What the driver asks of every frame while it waits. */
static inline bool printed_is_signal(const struct printed_node *node, const struct takt_can_frame *frame)
{
    uint32_t stream = frame->id & (PRINTED_LOW == (frame->id & PRINTED_LOW) ? 63 : 31);
    return frame->shape.dlc == node->lengths[stream] + 1;
}

static inline void printed_restore(struct printed_node *node)
{
    node->begun = false;
    if (node->raised) {
        node->raised->frame.shape.dlc = node->raised->dlc;
        node->raised = 0;
    }
}

static inline void printed_rewrite(struct printed_node *node, uint64_t start)
{
    node->start = start;
    for (unsigned i = 0; i < node->count; i++) {
        struct printed_message *one = &node->messages[i];
        if (one->ready && one->high) {
            one->frame.id = printed_id(node, one);
        }
    }
}

#endif
