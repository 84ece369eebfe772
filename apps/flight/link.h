/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The board's end of the serial line: what arrives is sorted into a queue per type, what is sent waits in a ring.
 *
 * `struct link` is shared: whatever its contents, the interrupt's functions stay within it and within their bounds, as
 * they may run in the kernel's mode and tasks that write it need not. What they must rely on is in `struct link_input`.
 *
 * Two contexts share it without a lock, each index having one writer: the interrupt (link_accept, link_drain) fills the
 * queues and empties the ring; tasks do the opposite. One task per queue; a task that sends holds the `transmit` mutex.
 */
#ifndef FLIGHT_LINK_H
#define FLIGHT_LINK_H

#include <stdatomic.h>

#include "frame.h"

enum {
    LINK_QUEUE_DEPTH = 2, /* power of two; after line noise two frames of a kind may come in one exchange */
    LINK_RING_SIZE = 256, /* power of two; two exchanges' worth of everything that the tasks send is 150 bytes */
};

/* Queues, in the order of frame types 1 to 4. */
enum link_source { LINK_ATTITUDE, LINK_POSITION, LINK_FEEDBACK, LINK_COMMAND, LINK_SOURCES };

struct link_queue {
    struct frame frames[LINK_QUEUE_DEPTH];
    atomic_uint written; /* counts up; writer: interrupt */
    atomic_uint taken;   /* counts up; writer: the reading task */
};

/* What came last from a source. */
struct link_order {
    uint32_t time_us;
    uint8_t sequence_next;
    bool started; /* there was a first frame */
};

/* The interrupt's alone. All zeros: nothing has come. */
struct link_input {
    struct frame_parser parser;
    struct link_order orders[LINK_SOURCES];
};

struct link {
    struct frame_counts counts; /* interrupt's: of its parser, after each link_accept */
    struct link_queue queues[LINK_SOURCES];
    uint32_t late;       /* interrupt's: sensor frames older than their limit, or out of order; thrown away */
    uint32_t lost;       /* interrupt's: by gaps of the sequence */
    uint32_t overflow;   /* interrupt's: frames for which a queue was full */
    uint32_t unexpected; /* interrupt's: correct frames of a type that nobody sends to the board */
    uint8_t ring[LINK_RING_SIZE];
    atomic_uint ring_written;                          /* writer: the sender with the mutex */
    atomic_uint ring_taken;                            /* writer: interrupt */
    uint32_t ring_full;                                /* sender's: frames not sent */
    uint8_t sequence[FRAME_STATUS - FRAME_ROTORS + 1]; /* sender's: next of each type */
};

/* All zeros is a link on which nothing has come. Of one that was in use the counts go on. Context: the interrupt,
 * before its first of the others. */
void link_begin(struct link_input *input, const struct link *link);

/* Parses what arrived at `now_us` and queues the frames; arrivals[source] says how many, those that did not fit
 * included, but LINK_QUEUE_DEPTH at most. Context: the interrupt. */
void link_accept(struct link_input *input, struct link *link, const uint8_t *data, size_t length, uint32_t now_us,
                 unsigned arrivals[LINK_SOURCES]);

/* Copies what waits to be sent, at most `capacity` bytes, to `out`; returns how many. Context: the interrupt. Numbers
 * that its ends cannot have written are taken for an empty ring. */
size_t link_drain(struct link *link, uint8_t *out, size_t capacity);

/* Takes the oldest frame of a queue; false when it is empty, and likewise of numbers that its ends cannot have written:
 * true LINK_QUEUE_DEPTH times in a row at most. Context: the queue's task. */
bool link_take(struct link *link, enum link_source source, struct frame *frame);

/* Numbers and sends a frame; false when the ring has no room for it. Context: task that holds the transmit mutex. */
bool link_send(struct link *link, struct frame *frame);

#endif
