/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PRIORITY_MAILBOX_H
#define TAKT_PRIORITY_MAILBOX_H

#include "base/dialect.h"
#include "takt/message_buffers.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * A mailbox whose messages have priorities of 32 bits: 0 is received first, equal priorities FIFO. Messages are copied
 * in and out; waiting senders and receivers by key, FIFO among equals, or all FIFO. Seed 000, 3.4.1. takt/mailbox.h,
 * without priorities, is faster.
 */
struct takt_priority_mailbox {
    struct takt_task *receivers;          /* private: kernel lock, as all fields */
    struct takt_task *senders;            /* private: tasks that wait for space */
    uint16_t id;                          /* private: names it in the trace */
    uint8_t hands;                        /* private: LETTER */
    struct takt_message_buffers buffers;  /* private */
    uint8_t *storage;                     /* private: caller-owned */
    void (*arrival)(const void *message); /* with a trigger not NULL, so that a send tests one word */
    struct takt_task *trigger;            /* private: sporadic task released by a stored message, or NULL */
    uint16_t message_size;                /* private: bytes, > 0 */
    uint16_t capacity;                    /* private: messages, > 0 */
    bool in_turn[TAKT_FIFO_WAITERS];      /* private: waiting senders and receivers are in the order of their calls */
};

/* Bytes of storage for `max` messages of `size` bytes. */
#define TAKT_PRIORITY_MAILBOX_BYTES(size, max) (TAKT_MESSAGE_BUFFER_BYTES(size) * (max))

/*
 * `memory`: uint8_t[TAKT_PRIORITY_MAILBOX_BYTES(size, max)], aligned to 8. `handler`, or NULL, is called once for every
 * accepted message, before it is received, in order of acceptance, with the kernel locked: by the send or, if the
 * sender had to wait, by the receive that frees a buffer. It must not call the kernel, and its time adds to the locked
 * time of those calls.
 */
#define TAKT_PRIORITY_MAILBOX_DEFINE(name, trace_id, memory, size, max, handler) \
    struct takt_priority_mailbox name = {TAKTI_PRIORITY_MAILBOX(trace_id, memory, size, max, handler, NULL)}

/*
 * Defines one with a trigger in place of a handler: a stored message, urgent or not, releases a job of `task`. That job
 * receives the first message by a try, in its own priority and with the kernel unlocked. A message sent while a task
 * waits is copied into that task's buffer, as is a broadcast one; neither releases a job.
 */
#define TAKT_PRIORITY_MAILBOX_TRIGGER_DEFINE(name, trace_id, memory, size, max, task) \
    struct takt_priority_mailbox name = {                                             \
        TAKTI_PRIORITY_MAILBOX(trace_id, memory, size, max, takti_letter_no_handler, task)}

/* The same with waiting senders and receivers in the order of their calls, whatever their keys. */
#define TAKT_PRIORITY_MAILBOX_FIFO_DEFINE(name, trace_id, memory, size, max, handler) \
    TAKTI_FIFO(struct takt_priority_mailbox name = {                                  \
                   TAKTI_PRIORITY_MAILBOX(trace_id, memory, size, max, handler, NULL), .in_turn = {true}})
#define TAKT_PRIORITY_MAILBOX_FIFO_TRIGGER_DEFINE(name, trace_id, memory, size, max, task) \
    TAKTI_FIFO(                                                                            \
        struct takt_priority_mailbox name = {                                              \
            TAKTI_PRIORITY_MAILBOX(trace_id, memory, size, max, takti_letter_no_handler, task), .in_turn = {true}})

#define TAKTI_PRIORITY_MAILBOX(trace_id, memory, size, max, handler, task)                              \
    .id = (trace_id), .hands = TAKTI_HANDS_LETTER, .buffers = TAKTI_MESSAGE_BUFFERS(memory, size, max), \
    .storage = (memory), .arrival = (handler), .trigger = (task), .message_size = (size), .capacity = (max)

/* Private: does nothing; the `arrival` of a mailbox with a trigger. */
void takti_letter_no_handler(const void *message);

/* As TAKT_PRIORITY_MAILBOX_DEFINE. Context: any, while it is not in use. Blocks: never. */
void takt_priority_mailbox_init(struct takt_priority_mailbox *mailbox, uint16_t trace_id, void *storage,
                                uint16_t message_size, uint16_t capacity, void (*arrival)(const void *message));

/*
 * Copies `message_size` bytes from `message`, locked; waits while the mailbox is full. TAKT_DELETED: the mailbox was
 * deleted meanwhile; TAKT_TIMEOUT: `until_ns` (absolute) came first; nothing was sent in either case. Context: task,
 * not cooperative. Blocks: until there is space. O(message_size + capacity + waiters).
 */
TAKT_MUST_USE enum takt_status takt_priority_mailbox_send(struct takt_priority_mailbox *mailbox, const void *message,
                                                          uint32_t priority);
TAKT_MUST_USE enum takt_status takt_priority_mailbox_send_until(struct takt_priority_mailbox *mailbox,
                                                                const void *message, uint32_t priority,
                                                                uint64_t until_ns);
/* TAKT_BUSY when full. Context: any. Blocks: never. O(message_size + capacity). */
TAKT_MUST_USE enum takt_status takt_priority_mailbox_try_send(struct takt_priority_mailbox *mailbox,
                                                              const void *message, uint32_t priority);

/* As send, but the message goes before all stored ones, urgent ones included. Context: task, not cooperative. Blocks:
 * until there is space. O(message_size + waiters). */
TAKT_MUST_USE enum takt_status takt_priority_mailbox_send_urgent(struct takt_priority_mailbox *mailbox,
                                                                 const void *message);
TAKT_MUST_USE enum takt_status takt_priority_mailbox_send_urgent_until(struct takt_priority_mailbox *mailbox,
                                                                       const void *message, uint64_t until_ns);
/* TAKT_BUSY when full. Context: any. Blocks: never. O(message_size). */
TAKT_MUST_USE enum takt_status takt_priority_mailbox_try_send_urgent(struct takt_priority_mailbox *mailbox,
                                                                     const void *message);

/* Copies the message to every task that waits to receive; it is not stored. Returns their number. Context: any. Blocks:
 * never. O(message_size * waiters), locked. */
unsigned takt_priority_mailbox_broadcast(struct takt_priority_mailbox *mailbox, const void *message);

/* Moves the first message to `message`, locked; waits while there is none. The freed buffer goes to the best waiting
 * sender. Statuses and bound as for send. Context: task, not cooperative. Blocks: until there is a message. */
TAKT_MUST_USE enum takt_status takt_priority_mailbox_receive(struct takt_priority_mailbox *mailbox, void *message);
TAKT_MUST_USE enum takt_status takt_priority_mailbox_receive_until(struct takt_priority_mailbox *mailbox, void *message,
                                                                   uint64_t until_ns);
/* TAKT_BUSY when empty. Context: any. Blocks: never. O(message_size + capacity). */
TAKT_MUST_USE enum takt_status takt_priority_mailbox_try_receive(struct takt_priority_mailbox *mailbox, void *message);

/* Every waiter returns TAKT_DELETED; stored messages are lost. The storage is the caller's again. O(waiters), locked.
 * Context: task. Blocks: never. */
void takt_priority_mailbox_delete(struct takt_priority_mailbox *mailbox);

TAKT_C_END

#endif
