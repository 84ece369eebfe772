/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `room` decreases as `count` increases, as in a semaphore, so that the fast path tests one word. Both are 0 if the
 * slow path is needed: while tasks wait, with a trigger, or if messages are not pairs of words; `hidden` is then the
 * number of stored messages. They stay 0 after the last waiter, until the next call corrects them.
 */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"
#include "kernel/messages/copy.h"

#include <string.h>

/* Pairs of words in a message; 0: its size or the alignment of the storage does not permit them. */
static uint16_t pairs_of(const void *storage, uint32_t size)
{
    return (uint16_t)(!TAKTI_OPTIMIZE_SIZE && (((uintptr_t)storage & 3u) | (size & 7u)) == 0 ? size / 8u : 0);
}

/* Copies a message; `outside` is the caller's address. Advances both. */
static inline void copy(const struct takt_mailbox *mailbox, uint8_t **to, const uint8_t **from, const void *outside)
{
    uint32_t pairs = mailbox->pairs;
    uint8_t *out = *to;
    const uint8_t *in = *from;
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(pairs == 0) || TAKTI_UNLIKELY(((uintptr_t)outside & 3u) != 0)) {
        uint32_t size = mailbox->message_size;
        takti_copy_message(out, in, size);
        out += size;
        in += size;
    } else {
        TAKT_PORT_COPY_PAIRS(out, in, pairs);
    }
    *to = out;
    *from = in;
}

/* Sets `count` and `room` for the stored messages, when no task waits to receive. */
static void settle(struct takt_mailbox *mailbox, uint32_t messages)
{
    if (TAKTI_OPTIMIZE_SIZE) { /* every call takes the slow path */
        mailbox->hidden = (uint16_t)messages;
        return;
    }
    bool hide = (TAKT_JOBS && mailbox->trigger != NULL) || mailbox->senders != NULL || mailbox->pairs == 0;
    mailbox->hidden = (uint16_t)(hide ? messages : 0);
    mailbox->count = hide ? 0 : messages;
    mailbox->room = hide ? 0 : mailbox->capacity - messages;
}

void takt_mailbox_init(struct takt_mailbox *mailbox, uint16_t trace_id, void *storage, uint16_t message_size,
                       uint16_t capacity, struct takt_task *trigger)
{
    TAKT_ASSERT(storage != NULL && message_size > 0 && capacity > 0);
    uint8_t *bytes = storage;
    *mailbox = (struct takt_mailbox){TAKTI_MAILBOX(trace_id, bytes, message_size, capacity, 0, trigger)};
    mailbox->pairs = pairs_of(storage, message_size);
    settle(mailbox, 0);
}

static inline void store(struct takt_mailbox *mailbox, const void *message)
{
    uint8_t *in = mailbox->in;
    const uint8_t *from = message;
    copy(mailbox, &in, &from, message);
    mailbox->in = in == mailbox->end ? mailbox->storage : in;
}

static inline void fetch(struct takt_mailbox *mailbox, void *message)
{
    const uint8_t *out = mailbox->out;
    uint8_t *to = message;
    copy(mailbox, &to, &out, message);
    mailbox->out = out == mailbox->end ? mailbox->storage : out;
}

/* An address with the smaller alignment of two. */
static inline const void *either(const void *a, const void *b)
{
    return (const void *)((uintptr_t)a | (uintptr_t)b);
}

static inline uint32_t stored(const struct takt_mailbox *mailbox)
{
    return TAKTI_OPTIMIZE_SIZE ? mailbox->hidden : mailbox->count + mailbox->hidden;
}

unsigned takti_mailbox_stored(const struct takt_mailbox *mailbox)
{
    return stored(mailbox);
}

enum outcome { DONE, PREEMPTS, NO_ROOM, NOTHING };

/* A send without waiting receivers. */
static inline enum outcome deliver(struct takt_mailbox *mailbox, const void *message, uint32_t lock)
{
    uint32_t messages = stored(mailbox);
    bool preempts = false;
    if (messages == mailbox->capacity) {
        return NO_ROOM;
    }
    store(mailbox, message);
    settle(mailbox, messages + 1);
    takti_trace_call(TAKT_EVENT_SEND, lock, mailbox->id, 0);
    preempts = takti_trigger(mailbox->trigger);
    return TAKTI_OPTIMIZE_SIZE || preempts ? PREEMPTS : DONE;
}

/* The slow path of a receive: the freed buffer goes to the best waiting sender. */
static inline enum outcome collect(struct takt_mailbox *mailbox, void *message, uint32_t lock)
{
    struct takt_task *sender = mailbox->senders;
    uint32_t messages = stored(mailbox);
    bool preempts = false;
    if (messages == 0) {
        return NOTHING;
    }
    fetch(mailbox, message);
    takti_trace_call(TAKT_EVENT_RECEIVE, lock, mailbox->id, 0);
    if (sender == NULL) {
        settle(mailbox, messages - 1);
        return DONE;
    }
    store(mailbox, sender->wait_buffer);
    takti_trace(TAKT_EVENT_SEND, sender, mailbox->id, 0);
    preempts = takti_wake_first(&mailbox->senders);
    settle(mailbox, messages);
    if (takti_trigger(mailbox->trigger)) {
        preempts = true;
    }
    return TAKTI_OPTIMIZE_SIZE || preempts ? PREEMPTS : DONE;
}

/* The end of a call that did not have to wait. */
static inline enum takt_status leave(enum outcome outcome, uint32_t lock)
{
    if (outcome == PREEMPTS) {
        return takti_switch(lock);
    }
    takt_port_leave(lock);
    return outcome == DONE ? TAKT_OK : TAKT_BUSY;
}

/* Copies the message to the best receiver's buffer, and switches to it if it is better. */
static inline enum takt_status send_to(struct takt_task *receiver, struct takt_mailbox *mailbox, const void *message,
                                       uint32_t lock)
{
    uint8_t *to = receiver->wait_buffer;
    const uint8_t *from = message;
    copy(mailbox, &to, &from, either(to, from));
    takti_trace_call(TAKT_EVENT_SEND, lock, mailbox->id, 0);
    takti_trace(TAKT_EVENT_RECEIVE, receiver, mailbox->id, 0);
    mailbox->receivers = receiver->next;
    return takti_wake_last(receiver, lock);
}

/* To the next receiver, or before all stored messages; lost if the mailbox has been filled since. */
void takti_mailbox_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_mailbox *mailbox = (struct takt_mailbox *)queue;
    uint32_t messages = stored(mailbox);
    if (!takti_may_give_back(task, mailbox) || (mailbox->receivers == NULL && messages == mailbox->capacity)) {
        return;
    }
    takti_trace(TAKT_EVENT_SEND, task, mailbox->id, 0);
    if (mailbox->receivers != NULL) {
        takti_trace(TAKT_EVENT_RECEIVE, mailbox->receivers, mailbox->id, 0);
        takti_copy_message(mailbox->receivers->wait_buffer, task->wait_buffer, mailbox->message_size);
        (void)takti_hand_first(&mailbox->receivers);
        return;
    }
    const uint8_t *end = mailbox->out == mailbox->storage ? mailbox->end : mailbox->out;
    mailbox->out = end - mailbox->message_size;
    (void)memcpy((uint8_t *)(uintptr_t)mailbox->out, task->wait_buffer, mailbox->message_size);
    settle(mailbox, messages + 1);
    (void)takti_trigger(mailbox->trigger);
}

/* The slow path of a send. */
static TAKTI_NOINLINE_HOT enum takt_status send_slow(struct takt_mailbox *mailbox, const void *message,
                                                     const uint64_t *until_ns, uint32_t lock)
{
    struct takt_task *receiver = mailbox->receivers;
    if (receiver != NULL) {
        return send_to(receiver, mailbox, message, lock);
    }
    enum outcome outcome = deliver(mailbox, message, lock);
    if (outcome != NO_ROOM) {
        return leave(outcome, lock);
    }
    if (until_ns == NULL) {
        return takti_refuse(lock, mailbox->id);
    }
    if (!TAKTI_OPTIMIZE_SIZE) {
        mailbox->hidden = mailbox->capacity;
        mailbox->count = 0;
    }
    return takti_wait_in_order(mailbox->in_turn, message, &mailbox->senders, mailbox->id, until_ns);
}

/* Whether a message may be copied by pairs of words. */
static inline bool aligned(const void *message)
{
    return ((uintptr_t)message & 3u) == 0;
}

static inline enum takt_status send(struct takt_mailbox *mailbox, const void *message, const uint64_t *until_ns)
{
    uint32_t lock = takt_port_enter();
    uint32_t count = mailbox->count;
    uint32_t room = mailbox->room;
    TAKT_ASSERT(until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0);
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(room == 0) || TAKTI_UNLIKELY(!aligned(message))) {
        return send_slow(mailbox, message, until_ns, lock);
    }
    count++;
    room--;
    TAKTI_PAIR_STORES(count, room);
    mailbox->count = count;
    mailbox->room = room;
    uint8_t *in = mailbox->in;
    const uint8_t *from = message;
    uint32_t pairs = mailbox->pairs;
    TAKT_PORT_COPY_PAIRS(in, from, pairs);
    mailbox->in = in == mailbox->end ? mailbox->storage : in;
    takti_trace_call(TAKT_EVENT_SEND, lock, mailbox->id, 0);
    takt_port_leave(lock);
    return TAKT_OK;
}

static const uint64_t forever_ns = TAKT_FOREVER;

enum takt_status takt_mailbox_send_until(struct takt_mailbox *mailbox, const void *message, uint64_t until_ns)
{
    return send(mailbox, message, &until_ns);
}

enum takt_status takt_mailbox_send(struct takt_mailbox *mailbox, const void *message)
{
    return send(mailbox, message, &forever_ns);
}

enum takt_status takt_mailbox_try_send(struct takt_mailbox *mailbox, const void *message)
{
    return send(mailbox, message, NULL);
}

static TAKTI_NOINLINE_HOT enum takt_status receive_slow(struct takt_mailbox *mailbox, void *message,
                                                        const uint64_t *until_ns, uint32_t lock)
{
    enum outcome outcome = collect(mailbox, message, lock);
    if (outcome != NOTHING || until_ns == NULL) {
        return leave(outcome, lock);
    }
    if (!TAKTI_OPTIMIZE_SIZE) {
        mailbox->room = 0;
    }
    return takti_wait_in_order(mailbox->in_turn, message, &mailbox->receivers, mailbox->id, until_ns);
}

static inline enum takt_status receive(struct takt_mailbox *mailbox, void *message, const uint64_t *until_ns)
{
    uint32_t lock = takt_port_enter();
    uint32_t count = mailbox->count;
    uint32_t room = mailbox->room;
    TAKT_ASSERT(until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0);
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(count == 0) || TAKTI_UNLIKELY(!aligned(message))) {
        return receive_slow(mailbox, message, until_ns, lock);
    }
    count--;
    room++;
    TAKTI_PAIR_STORES(count, room);
    mailbox->count = count;
    mailbox->room = room;
    uint8_t *to = message;
    const uint8_t *out = mailbox->out;
    uint32_t pairs = mailbox->pairs;
    TAKT_PORT_COPY_PAIRS(to, out, pairs);
    mailbox->out = out == mailbox->end ? mailbox->storage : out;
    takti_trace_call(TAKT_EVENT_RECEIVE, lock, mailbox->id, 0);
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_mailbox_receive_until(struct takt_mailbox *mailbox, void *message, uint64_t until_ns)
{
    return receive(mailbox, message, &until_ns);
}

enum takt_status takt_mailbox_receive(struct takt_mailbox *mailbox, void *message)
{
    return receive(mailbox, message, &forever_ns);
}

enum takt_status takt_mailbox_try_receive(struct takt_mailbox *mailbox, void *message)
{
    return receive(mailbox, message, NULL);
}

unsigned takt_mailbox_count(const struct takt_mailbox *mailbox)
{
    uint32_t lock = takt_port_lock();
    unsigned messages = stored(mailbox);
    takt_port_unlock(lock);
    return messages;
}

void takt_mailbox_delete(struct takt_mailbox *mailbox)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_object_deleted(mailbox);
    mailbox->in = mailbox->storage;
    mailbox->out = mailbox->storage;
    settle(mailbox, 0);
    takti_delete(&mailbox->receivers, &mailbox->senders, mailbox->id, lock);
}
