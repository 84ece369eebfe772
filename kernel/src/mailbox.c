/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/src/kernel.h"

#include <string.h>

void takt_mailbox_init(struct takt_mailbox *mailbox, uint16_t trace_id, void *storage, uint16_t message_size,
                       uint16_t capacity)
{
    TAKT_ASSERT(storage != NULL && message_size > 0 && capacity > 0);
    *mailbox =
        (struct takt_mailbox){.storage = storage, .message_size = message_size, .capacity = capacity, .id = trace_id};
}

static const struct takt_task *caller(void)
{
    return takt_port_in_interrupt() ? NULL : takti_kernel.running;
}

static void put(struct takt_mailbox *mailbox, const void *message)
{
    unsigned place = ((unsigned)mailbox->first + mailbox->count) % mailbox->capacity;
    memcpy(mailbox->storage + (size_t)place * mailbox->message_size, message, mailbox->message_size);
    mailbox->count++;
}

/* Gives a message to the best receiver or to the storage; false when there is no room. */
static bool deliver(struct takt_mailbox *mailbox, const void *message)
{
    struct takt_task *receiver = takti_wait_best(mailbox->receivers);
    if (receiver != NULL) {
        memcpy(receiver->wait_buffer, message, mailbox->message_size);
        takti_trace(TAKT_EVENT_SEND, caller(), mailbox->id, 0);
        takti_wake(receiver, TAKT_OK);
        takti_trace(TAKT_EVENT_RECEIVE, receiver, mailbox->id, 0);
        return true;
    }
    if (mailbox->count == mailbox->capacity) {
        return false;
    }
    put(mailbox, message);
    takti_trace(TAKT_EVENT_SEND, caller(), mailbox->id, 0);
    if (mailbox->trigger != NULL) {
        takti_job_arrive(mailbox->trigger);
    }
    return true;
}

/* Takes the oldest message; its place goes to the best waiting sender. False when there is none. */
static bool fetch(struct takt_mailbox *mailbox, void *message)
{
    if (mailbox->count == 0) {
        return false;
    }
    memcpy(message, mailbox->storage + (size_t)mailbox->first * mailbox->message_size, mailbox->message_size);
    mailbox->first = (uint16_t)((mailbox->first + 1u) % mailbox->capacity);
    mailbox->count--;
    takti_trace(TAKT_EVENT_RECEIVE, caller(), mailbox->id, 0);
    struct takt_task *sender = takti_wait_best(mailbox->senders);
    if (sender != NULL) {
        put(mailbox, sender->wait_buffer);
        takti_wake(sender, TAKT_OK);
        takti_trace(TAKT_EVENT_SEND, sender, mailbox->id, 0);
        if (mailbox->trigger != NULL) {
            takti_job_arrive(mailbox->trigger);
        }
    }
    return true;
}

enum takt_status takt_mailbox_send_until(struct takt_mailbox *mailbox, const void *message, uint64_t until_ns)
{
    enum takt_status status = TAKT_OK;
    uint32_t state = takt_port_lock();
    TAKT_ASSERT(!takt_port_in_interrupt());
    if (deliver(mailbox, message)) {
        takti_reschedule();
    } else {
        struct takti_wait wait = {.queue = &mailbox->senders,
                                  .buffer = (void *)(uintptr_t)message, /* only read */
                                  .until_ns = until_ns,
                                  .object = mailbox->id};
        status = takti_wait(&wait);
    }
    takt_port_unlock(state);
    return status;
}

enum takt_status takt_mailbox_send(struct takt_mailbox *mailbox, const void *message)
{
    return takt_mailbox_send_until(mailbox, message, TAKT_FOREVER);
}

enum takt_status takt_mailbox_try_send(struct takt_mailbox *mailbox, const void *message)
{
    uint32_t state = takt_port_lock();
    bool delivered = deliver(mailbox, message);
    takti_reschedule();
    takt_port_unlock(state);
    return delivered ? TAKT_OK : TAKT_BUSY;
}

enum takt_status takt_mailbox_receive_until(struct takt_mailbox *mailbox, void *message, uint64_t until_ns)
{
    enum takt_status status = TAKT_OK;
    uint32_t state = takt_port_lock();
    TAKT_ASSERT(!takt_port_in_interrupt());
    if (fetch(mailbox, message)) {
        takti_reschedule();
    } else {
        struct takti_wait wait = {
            .queue = &mailbox->receivers, .buffer = message, .until_ns = until_ns, .object = mailbox->id};
        status = takti_wait(&wait);
    }
    takt_port_unlock(state);
    return status;
}

enum takt_status takt_mailbox_receive(struct takt_mailbox *mailbox, void *message)
{
    return takt_mailbox_receive_until(mailbox, message, TAKT_FOREVER);
}

enum takt_status takt_mailbox_try_receive(struct takt_mailbox *mailbox, void *message)
{
    uint32_t state = takt_port_lock();
    bool fetched = fetch(mailbox, message);
    takti_reschedule();
    takt_port_unlock(state);
    return fetched ? TAKT_OK : TAKT_BUSY;
}

void takt_mailbox_delete(struct takt_mailbox *mailbox)
{
    uint32_t state = takt_port_lock();
    TAKT_ASSERT(!takt_port_in_interrupt());
    takti_wake_all(&mailbox->receivers, TAKT_DELETED);
    takti_wake_all(&mailbox->senders, TAKT_DELETED);
    mailbox->count = 0;
    takti_reschedule();
    takt_port_unlock(state);
}
