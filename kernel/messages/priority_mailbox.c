/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"
#include "kernel/messages/message_buffers.h"

#include <string.h>

/* The arguments of a send; TAKTI_KEPT by the sender, whose `wait_buffer` points to it while it waits for space. */
struct letter {
    const void *message;
    uint32_t priority;
    bool urgent;
};

void takt_priority_mailbox_init(struct takt_priority_mailbox *mailbox, uint16_t trace_id, void *storage,
                                uint16_t message_size, uint16_t capacity, void (*arrival)(const void *message))
{
    TAKT_ASSERT(storage != NULL && ((uintptr_t)storage & 7u) == 0 && message_size > 0 && capacity > 0);
    *mailbox = (struct takt_priority_mailbox){
        TAKTI_PRIORITY_MAILBOX(trace_id, storage, message_size, capacity, arrival, NULL)};
}

void takti_letter_no_handler(const void *message)
{
    (void)message;
}

unsigned takti_priority_mailbox_stored(const struct takt_priority_mailbox *mailbox)
{
    return (unsigned)mailbox->capacity - mailbox->buffers.left;
}

/* A message is accepted. */
static void letter_arrive(const struct takt_priority_mailbox *mailbox, const void *message,
                          const struct takt_task *sender)
{
    takti_trace(TAKT_EVENT_SEND, sender, mailbox->id, 0);
    if (mailbox->arrival != NULL) {
        mailbox->arrival(message);
    }
}

/* ... and stored in `buffer`. */
static inline TAKTI_INLINE_ALWAYS void letter_store(struct takt_priority_mailbox *mailbox,
                                                    struct takt_message_buffer *entry, const struct letter *letter,
                                                    const struct takt_task *sender)
{
    (void)memcpy(takti_message_buffer_message(entry), letter->message, mailbox->message_size);
    entry->priority = letter->priority;
    if (letter->urgent) {
        takti_message_buffer_prepend(&mailbox->buffers, entry);
    } else {
        takti_message_buffer_sort_in(&mailbox->buffers, entry);
    }
    letter_arrive(mailbox, letter->message, sender);
}

/* ... and copied to the first receiver, which leaves the queue. */
static struct takt_task *letter_hand(struct takt_priority_mailbox *mailbox, const void *message)
{
    struct takt_task *receiver = mailbox->receivers;
    takti_copy_message(receiver->wait_buffer, message, mailbox->message_size);
    takti_trace(TAKT_EVENT_RECEIVE, receiver, mailbox->id, 0);
    mailbox->receivers = receiver->next;
    return receiver;
}

static enum takt_status letter_send(struct takt_priority_mailbox *mailbox, const struct letter *letter,
                                    const uint64_t *until_ns)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0);
    if (mailbox->receivers != NULL) {
        letter_arrive(mailbox, letter->message, takti_caller(lock));
        return takti_wake_last(letter_hand(mailbox, letter->message), lock);
    }
    if (mailbox->buffers.left == 0) {
        if (until_ns == NULL) {
            return takti_refuse(lock, mailbox->id);
        }
        return takti_wait_in_order(mailbox->in_turn, letter, &mailbox->senders, mailbox->id, until_ns);
    }
    letter_store(mailbox, takti_message_buffer_take(&mailbox->buffers), letter, takti_caller(lock));
    if (TAKT_JOBS && (TAKTI_OPTIMIZE_SIZE || mailbox->arrival != NULL)) {
        return takti_trigger_last(mailbox->trigger, lock);
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_priority_mailbox_send_until(struct takt_priority_mailbox *mailbox, const void *message,
                                                  uint32_t priority, uint64_t until_ns)
{
    TAKTI_KEPT(struct letter, letter);
    *letter = (struct letter){message, priority, false};
    return letter_send(mailbox, letter, &until_ns);
}

enum takt_status takt_priority_mailbox_send(struct takt_priority_mailbox *mailbox, const void *message,
                                            uint32_t priority)
{
    return takt_priority_mailbox_send_until(mailbox, message, priority, TAKT_FOREVER);
}

enum takt_status takt_priority_mailbox_try_send(struct takt_priority_mailbox *mailbox, const void *message,
                                                uint32_t priority)
{
    const struct letter letter = {message, priority, false};
    return letter_send(mailbox, &letter, NULL);
}

enum takt_status takt_priority_mailbox_send_urgent_until(struct takt_priority_mailbox *mailbox, const void *message,
                                                         uint64_t until_ns)
{
    TAKTI_KEPT(struct letter, letter);
    *letter = (struct letter){message, 0, true};
    return letter_send(mailbox, letter, &until_ns);
}

enum takt_status takt_priority_mailbox_send_urgent(struct takt_priority_mailbox *mailbox, const void *message)
{
    return takt_priority_mailbox_send_urgent_until(mailbox, message, TAKT_FOREVER);
}

enum takt_status takt_priority_mailbox_try_send_urgent(struct takt_priority_mailbox *mailbox, const void *message)
{
    const struct letter letter = {message, 0, true};
    return letter_send(mailbox, &letter, NULL);
}

unsigned takt_priority_mailbox_broadcast(struct takt_priority_mailbox *mailbox, const void *message)
{
    unsigned receivers = 0;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    if (mailbox->receivers != NULL) {
        letter_arrive(mailbox, message, takti_caller(lock));
    }
    while (mailbox->receivers != NULL) { /* at most the declared users */
        (void)takti_wake(letter_hand(mailbox, message), TAKT_OK);
        receivers++;
    }
    (void)takti_reschedule(lock);
    return receivers;
}

/* To the next receiver, or before all stored messages; lost if the mailbox has been filled since. */
void takti_priority_mailbox_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_priority_mailbox *mailbox = (struct takt_priority_mailbox *)queue;
    if (!takti_may_give_back(task, mailbox) || (mailbox->receivers == NULL && mailbox->buffers.left == 0)) {
        return;
    }
    takti_trace(TAKT_EVENT_SEND, task, mailbox->id, 0);
    if (mailbox->receivers != NULL) {
        (void)takti_hand(letter_hand(mailbox, task->wait_buffer));
        return;
    }
    struct takt_message_buffer *entry = takti_message_buffer_take(&mailbox->buffers);
    (void)memcpy(takti_message_buffer_message(entry), task->wait_buffer, mailbox->message_size);
    entry->priority = 0;
    takti_message_buffer_prepend(&mailbox->buffers, entry);
    (void)takti_trigger(mailbox->trigger);
}

/* The freed buffer goes to the first waiting sender. */
static enum takt_status letter_refill(struct takt_priority_mailbox *mailbox, struct takt_message_buffer *entry,
                                      struct takt_task *sender, uint32_t lock)
{
    letter_store(mailbox, entry, sender->wait_buffer, sender);
    mailbox->senders = sender->next;
    sender->wait_queue = NULL; /* it was handed nothing */
    if (TAKT_JOBS && (TAKTI_OPTIMIZE_SIZE || mailbox->trigger != NULL)) {
        (void)takti_wake(sender, TAKT_OK);
        (void)takti_trigger(mailbox->trigger);
        return takti_reschedule(lock);
    }
    return takti_wake_last(sender, lock);
}

static enum takt_status letter_receive(struct takt_priority_mailbox *mailbox, void *message, const uint64_t *until_ns)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *sender = mailbox->senders;
    TAKT_ASSERT(until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0);
    if (mailbox->buffers.first == NULL) {
        if (until_ns == NULL) {
            takt_port_leave(lock);
            return TAKT_BUSY;
        }
        return takti_wait_in_order(mailbox->in_turn, message, &mailbox->receivers, mailbox->id, until_ns);
    }
    struct takt_message_buffer *entry = takti_message_buffer_leave(&mailbox->buffers);
    (void)memcpy(message, takti_message_buffer_message(entry), mailbox->message_size);
    takti_trace_call(TAKT_EVENT_RECEIVE, lock, mailbox->id, 0);
    if (sender != NULL) {
        return letter_refill(mailbox, entry, sender, lock);
    }
    takti_message_buffer_free(&mailbox->buffers, entry);
    takt_port_leave(lock);
    return TAKT_OK;
}

TAKTI_NOINLINE_SIZE enum takt_status takt_priority_mailbox_receive_until(struct takt_priority_mailbox *mailbox,
                                                                         void *message, uint64_t until_ns)
{
    return letter_receive(mailbox, message, &until_ns);
}

enum takt_status takt_priority_mailbox_receive(struct takt_priority_mailbox *mailbox, void *message)
{
    return takt_priority_mailbox_receive_until(mailbox, message, TAKT_FOREVER);
}

enum takt_status takt_priority_mailbox_try_receive(struct takt_priority_mailbox *mailbox, void *message)
{
    return letter_receive(mailbox, message, NULL);
}

void takt_priority_mailbox_delete(struct takt_priority_mailbox *mailbox)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_message_buffers_init(&mailbox->buffers, mailbox->storage, mailbox->message_size, mailbox->capacity);
    takti_object_deleted(mailbox);
    takti_delete(&mailbox->receivers, &mailbox->senders, mailbox->id, lock);
}
