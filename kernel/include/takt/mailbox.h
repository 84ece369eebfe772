/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MAILBOX_H
#define TAKT_MAILBOX_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * A FIFO queue of messages of one size, copied in and out; waiting senders and receivers by key, FIFO among equals, or
 * all FIFO. A message sent while a task waits is copied into that task's buffer; a stored one releases a job of
 * `trigger`, if set. Seed 000, 3.4.1.
 */
struct takt_mailbox {
    struct takt_task *receivers;     /* private: kernel lock, like the rest */
    struct takt_task *senders;       /* private: tasks that wait for space */
    uint16_t id;                     /* private: names it in the trace */
    uint8_t hands;                   /* private: MESSAGE */
    uint32_t count;                  /* private: messages. 0: none, or the receive takes the slow path */
    uint32_t room;                   /* private: sends on the fast path. 0: full, or the send takes the slow path */
    uint8_t *storage;                /* private: capacity * message_size bytes, caller-owned */
    uint8_t *end;                    /* private: end of the storage */
    uint8_t *in;                     /* private: where the next message is stored */
    const uint8_t *out;              /* private: the oldest message */
    struct takt_task *trigger;       /* private: sporadic task released by a stored message, or NULL */
    uint16_t message_size;           /* private: bytes, > 0 */
    uint16_t capacity;               /* private: messages, > 0 */
    uint16_t hidden;                 /* private: messages while `count` is 0 */
    uint16_t pairs;                  /* private: pairs of words in a message; 0: it is copied by bytes */
    bool in_turn[TAKT_FIFO_WAITERS]; /* private: waiting senders and receivers are in the order of their calls */
};

/* `memory`: uint8_t[size * max], aligned to 4. */
#define TAKT_MAILBOX_DEFINE(name, trace_id, memory, size, max) \
    struct takt_mailbox name = {TAKTI_MAILBOX(trace_id, memory, size, max, max, NULL)}

/* Defines one with a trigger: a stored message releases a job of `task`. */
#define TAKT_MAILBOX_TRIGGER_DEFINE(name, trace_id, memory, size, max, task) \
    struct takt_mailbox name = {TAKTI_MAILBOX(trace_id, memory, size, max, 0, task)}

/* The same with waiting senders and receivers in the order of their calls, whatever their keys. */
#define TAKT_MAILBOX_FIFO_DEFINE(name, trace_id, memory, size, max) \
    TAKTI_FIFO(struct takt_mailbox name = {TAKTI_MAILBOX(trace_id, memory, size, max, max, NULL), .in_turn = {true}})
#define TAKT_MAILBOX_FIFO_TRIGGER_DEFINE(name, trace_id, memory, size, max, task) \
    TAKTI_FIFO(struct takt_mailbox name = {TAKTI_MAILBOX(trace_id, memory, size, max, 0, task), .in_turn = {true}})

#define TAKTI_MAILBOX(trace_id, memory, size, max, free, task)                                                 \
    .id = (trace_id), .hands = TAKTI_HANDS_MESSAGE, .room = (size) % 8 == 0 ? (free) : 0, .storage = (memory), \
    .end = (memory) + (size_t)(size) * (max), .in = (memory), .out = (memory), .trigger = (task),              \
    .message_size = (size), .capacity = (max), .pairs = (size) % 8 == 0 ? (size) / 8 : 0

/* Initializes an empty mailbox. `storage`: capacity * message_size bytes, of any alignment; `trigger`: or NULL.
 * Context: any, while it is not in use. Blocks: never. */
void takt_mailbox_init(struct takt_mailbox *mailbox, uint16_t trace_id, void *storage, uint16_t message_size,
                       uint16_t capacity, struct takt_task *trigger);

/*
 * Copies `message_size` bytes from `message`, locked; waits while the mailbox is full. TAKT_DELETED: the mailbox was
 * deleted meanwhile; TAKT_TIMEOUT: `until_ns` (absolute) came first; nothing was sent in either case. Context: task,
 * not cooperative. Blocks: until there is space. O(message_size + waiters).
 */
TAKT_MUST_USE enum takt_status takt_mailbox_send(struct takt_mailbox *mailbox, const void *message);
TAKT_MUST_USE enum takt_status takt_mailbox_send_until(struct takt_mailbox *mailbox, const void *message,
                                                       uint64_t until_ns);
/* TAKT_BUSY when full. Context: any. Blocks: never. O(message_size). */
TAKT_MUST_USE enum takt_status takt_mailbox_try_send(struct takt_mailbox *mailbox, const void *message);

/* Moves the oldest message to `message`, locked; waits while there is none. Statuses and bound as for send. Context:
 * task, not cooperative. Blocks: until there is a message. */
TAKT_MUST_USE enum takt_status takt_mailbox_receive(struct takt_mailbox *mailbox, void *message);
TAKT_MUST_USE enum takt_status takt_mailbox_receive_until(struct takt_mailbox *mailbox, void *message,
                                                          uint64_t until_ns);
/* TAKT_BUSY when empty. Context: any. Blocks: never. O(message_size). */
TAKT_MUST_USE enum takt_status takt_mailbox_try_receive(struct takt_mailbox *mailbox, void *message);

/* Stored messages: what waiting senders still have is not among them. Context: any. Blocks: never. */
unsigned takt_mailbox_count(const struct takt_mailbox *mailbox);

/* Every waiter returns TAKT_DELETED; stored messages are lost. The storage is the caller's again. O(waiters), locked.
 * Context: task. Blocks: never. */
void takt_mailbox_delete(struct takt_mailbox *mailbox);

TAKT_C_END

#endif
