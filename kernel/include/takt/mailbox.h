/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MAILBOX_H
#define TAKT_MAILBOX_H

#include "takt/task.h"

/*
 * A queue of messages of one size, copied in and out, FIFO; waiting senders and receivers by key, FIFO among equals.
 * A message sent while a task waits is written into that task's buffer; one that is stored releases a job of `trigger`,
 * if there is one. Seed 000, 3.4.1.
 */
struct takt_mailbox {
    struct takt_node *receivers; /* private: kernel lock */
    struct takt_node *senders;   /* private: tasks that wait for room */
    uint8_t *storage;            /* private: capacity * message_size bytes, the caller's */
    struct takt_task *trigger;   /* sporadic task released by a stored message, or NULL; set before the first use */
    uint16_t message_size;       /* bytes, > 0 */
    uint16_t capacity;           /* messages, > 0 */
    uint16_t first;              /* private: index of the oldest */
    uint16_t count;              /* private */
    uint16_t id;                 /* private: names it in the trace */
};

/* `storage`: capacity * message_size bytes, of any alignment. No trigger. Context: any, while nobody uses it. */
void takt_mailbox_init(struct takt_mailbox *mailbox, uint16_t trace_id, void *storage, uint16_t message_size,
                       uint16_t capacity);

/*
 * Copies `message_size` bytes from `message`, locked; waits while the mailbox is full. TAKT_DELETED: it was deleted
 * meanwhile; TAKT_TIMEOUT: `until_ns` (absolute) came first; then nothing was sent. Context: task, not cooperative.
 * O(message_size + waiters).
 */
TAKT_MUST_USE enum takt_status takt_mailbox_send(struct takt_mailbox *mailbox, const void *message);
TAKT_MUST_USE enum takt_status takt_mailbox_send_until(struct takt_mailbox *mailbox, const void *message,
                                                       uint64_t until_ns);
/* TAKT_BUSY when full. Context: any. O(message_size). */
TAKT_MUST_USE enum takt_status takt_mailbox_try_send(struct takt_mailbox *mailbox, const void *message);

/*
 * Copies the oldest message to `message`, locked; waits while there is none. Statuses, context and bound as for send.
 */
TAKT_MUST_USE enum takt_status takt_mailbox_receive(struct takt_mailbox *mailbox, void *message);
TAKT_MUST_USE enum takt_status takt_mailbox_receive_until(struct takt_mailbox *mailbox, void *message,
                                                          uint64_t until_ns);
/* TAKT_BUSY when empty. Context: any. O(message_size). */
TAKT_MUST_USE enum takt_status takt_mailbox_try_receive(struct takt_mailbox *mailbox, void *message);

/* Every waiter returns TAKT_DELETED; messages in it are gone. The storage is the caller's again. O(waiters), locked.
 * Context: task. */
void takt_mailbox_delete(struct takt_mailbox *mailbox);

#endif
