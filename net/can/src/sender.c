/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "base/bitmap.h"
#include "net/can/src/traffic.h"

enum { WORDS = TAKT_CAN_MESSAGES_MAX / 32, ABOVE = WORDS / 32 };

static void offer(struct takt_can_traffic *traffic, uint32_t index)
{
    takt_bitmap_set(traffic->offered, WORDS, index);
    takt_bitmap_set(traffic->words, ABOVE, index / 32);
    traffic->stale = true;
}

static void withdraw(struct takt_can_traffic *traffic, uint32_t index)
{
    takt_bitmap_clear(traffic->offered, WORDS, index);
    if (traffic->offered[index / 32] == 0) {
        takt_bitmap_clear(traffic->words, ABOVE, index / 32);
    }
    traffic->stale = true;
}

uint32_t taktc_offered_next(const struct takt_can_traffic *traffic, uint32_t from)
{
    for (uint32_t index = from; index % 32 != 0; index++) {
        if (takt_bitmap_test(traffic->offered, WORDS, index)) {
            return index;
        }
    }
    for (uint32_t word = (from + 31) / 32; word < WORDS;) {
        if (word % 32 == 0 && traffic->words[word / 32] == 0) {
            word += 32;
        } else if (traffic->offered[word] == 0) {
            word++;
        } else {
            return 32 * word + takt_bitmap_first_in(traffic->offered[word]);
        }
    }
    return TAKT_CAN_NO_MESSAGE;
}

/* Instances of a message that were released and not sent. */
static uint64_t queued(const struct takt_can_message *message)
{
    return message->released - message->taken;
}

static void hold(struct takt_can_traffic *traffic, struct takt_can_sender *sender, uint32_t index)
{
    sender->held[sender->held_count++] = (uint16_t)index;
    traffic->messages[index].held++;
    offer(traffic, index);
}

/* Frees the buffer at `slot`. */
static void drop(struct takt_can_traffic *traffic, struct takt_can_sender *sender, uint32_t slot)
{
    uint32_t index = sender->held[slot];
    sender->held[slot] = sender->held[--sender->held_count];
    if (--traffic->messages[index].held == 0) {
        withdraw(traffic, index);
    }
}

/* The best message of a node that is queued and has no buffer, or TAKT_CAN_NO_MESSAGE. O(messages). */
static uint32_t best_waiting(const struct takt_can_traffic *traffic, uint32_t node)
{
    for (uint32_t index = 0; index < traffic->message_count; index++) {
        const struct takt_can_message *message = &traffic->messages[index];
        if (message->node == node && message->held == 0 && queued(message) > 0) {
            return index;
        }
    }
    return TAKT_CAN_NO_MESSAGE;
}

static void queue_buffered(struct takt_can_traffic *traffic, struct takt_can_sender *sender, uint32_t index)
{
    if (sender->held_count == sender->buffers || traffic->messages[index].held > 0) {
        sender->waiting++;
    } else {
        hold(traffic, sender, index);
    }
}

static void queue_fifo(struct takt_can_traffic *traffic, struct takt_can_sender *sender, uint32_t index,
                       uint64_t number)
{
    if (sender->fifo_count == sender->fifo_size) {
        traffic->messages[index].lost++;
        return;
    }
    uint32_t slot = (sender->fifo_first + sender->fifo_count) % sender->fifo_size;
    sender->fifo[slot] = (struct takt_can_entry){number, index};
    if (sender->fifo_count++ == 0) {
        offer(traffic, index);
    }
}

void taktc_sender_queue(struct takt_can_traffic *traffic, uint32_t index, uint64_t number)
{
    struct takt_can_sender *sender = &traffic->senders[traffic->messages[index].node];
    if (sender->order == TAKT_CAN_FIFO) {
        queue_fifo(traffic, sender, index, number);
    } else if (sender->order == TAKT_CAN_BUFFERED) {
        queue_buffered(traffic, sender, index);
    } else {
        offer(traffic, index);
    }
}

static void done_buffered(struct takt_can_traffic *traffic, struct takt_can_sender *sender, uint32_t index)
{
    uint32_t slot = 0;
    while (sender->held[slot] != index) {
        slot++; /* it has one: a frame that is being sent is not aborted */
    }
    drop(traffic, sender, slot);
    uint32_t next = sender->waiting > 0 ? best_waiting(traffic, traffic->messages[index].node) : TAKT_CAN_NO_MESSAGE;
    if (next != TAKT_CAN_NO_MESSAGE) {
        sender->waiting--;
        hold(traffic, sender, next);
    }
}

static void done_fifo(struct takt_can_traffic *traffic, struct takt_can_sender *sender, uint32_t index)
{
    withdraw(traffic, index);
    sender->fifo_first = (sender->fifo_first + 1) % sender->fifo_size;
    if (--sender->fifo_count > 0) {
        offer(traffic, sender->fifo[sender->fifo_first].message);
    }
}

void taktc_sender_done(struct takt_can_traffic *traffic, uint32_t node)
{
    struct takt_can_sender *sender = &traffic->senders[node];
    uint32_t index = sender->sending - 1;
    struct takt_can_message *message = &traffic->messages[index];
    sender->sending = 0;
    message->sent++;
    message->taken++;
    traffic->stale = true;
    if (sender->order == TAKT_CAN_FIFO) {
        done_fifo(traffic, sender, index);
    } else if (sender->order == TAKT_CAN_BUFFERED) {
        done_buffered(traffic, sender, index);
    } else if (queued(message) == 0) {
        withdraw(traffic, index);
    }
}

uint64_t taktc_sender_number(const struct takt_can_traffic *traffic, uint32_t index)
{
    const struct takt_can_message *message = &traffic->messages[index];
    const struct takt_can_sender *sender = &traffic->senders[message->node];
    return sender->order == TAKT_CAN_FIFO ? sender->fifo[sender->fifo_first].number : message->taken;
}

void taktc_sender_clear(struct takt_can_traffic *traffic, uint32_t node)
{
    struct takt_can_sender *sender = &traffic->senders[node];
    for (uint32_t index = 0; index < traffic->message_count; index++) {
        struct takt_can_message *message = &traffic->messages[index];
        if (message->node == node) {
            message->lost = message->released - message->sent;
            message->taken = message->released;
            message->held = 0;
            withdraw(traffic, index);
        }
    }
    sender->fifo_count = sender->held_count = sender->waiting = sender->sending = 0;
}
