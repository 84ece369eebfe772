/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stream's frame is the first of all that wait for a shared mailbox: a binary tournament, node 1 of which is its
 * root, and nodes `stream_count` and above its leaves, the streams. Unlike base/tournament.h it needs no memory but the
 * states of streams, and O(log streams) for every change.
 */
#include "net/can/src/queue/queue.h"

static uint32_t winner_of(const struct takt_can_queue *queue, uint32_t node)
{
    uint32_t streams = queue->config.stream_count;
    return node >= streams ? node - streams : queue->config.states[node].winner;
}

void taktc_order_init(struct takt_can_queue *queue)
{
    for (uint32_t node = queue->config.stream_count - 1; node > 0; node--) {
        queue->config.states[node].winner = (uint16_t)winner_of(queue, 2 * node); /* any: none has a key */
    }
}

void taktc_order_set(struct takt_can_queue *queue, uint32_t stream, uint32_t key)
{
    struct takt_can_stream_state *states = queue->config.states;
    uint32_t winner = stream;
    if (states[stream].key == key) {
        return;
    }
    states[stream].key = key;
    for (uint32_t node = queue->config.stream_count + stream; node > 1; node /= 2) {
        uint32_t other = winner_of(queue, node ^ 1);
        if (states[other].key < key) {
            winner = other;
            key = states[other].key;
        }
        if (states[node / 2].winner == winner && winner != stream) {
            return; /* nor does anything change above */
        }
        states[node / 2].winner = (uint16_t)winner;
    }
}

uint32_t taktc_order_first(const struct takt_can_queue *queue)
{
    return winner_of(queue, 1);
}
