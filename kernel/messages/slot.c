/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of a slot are free, reserved (`next` is the buffer itself), queued, or taken. The owner inherits as from a
 * contended mutex: `link` is in its list of those, with a waiter that only has a key. So takti_key_update has no code
 * for slots, and tasks without slots have no cost.
 *
 * With processes a task has a copy of the buffer that it reserved or took, in the memory of its process. What a waiting
 * task was handed is then in its `wait_buffer`, as its process could change the variable with the address.
 */
#include "kernel/messages/message_buffers.h"
#include "kernel/messages/slot_copies.h"
#include "kernel/sync/mutex.h"

/* The request of a waiting sender: on its stack; `wait_buffer` points to it. */
struct reservation {
    void **buffer;
    uint32_t priority;
};

enum { NO_LEVEL = TAKT_LEVELS };

void takt_slot_init(struct takt_slot *slot, const struct takt_slot_config *config)
{
    *slot = (struct takt_slot)TAKTI_SLOT(config);
}

static void check_owner(const struct takt_slot *slot, uint32_t lock)
{
    TAKT_ASSERT(takt_port_caller(lock) == 0 && slot->state != TAKT_SLOT_FREE &&
                slot->owner == takti_kernel.ready.running);
}

/* Number of buffers that are not free. */
static unsigned remaining(const struct takt_slot *slot)
{
    return slot->state == TAKT_SLOT_FREE ? 0 : (unsigned)slot->config->capacity - slot->buffers.left;
}

static TAKTI_NOINLINE_SIZE unsigned length_of(const struct takt_message_buffer *entry)
{
    unsigned length = 0;
    for (; entry != NULL; entry = entry->next) { /* at most `capacity` */
        length++;
    }
    return length;
}

/* The best of `level` and the levels of the messages of a list. */
static TAKTI_NOINLINE_SIZE unsigned level_of(const struct takt_slot_inheritance *inheritance,
                                             const struct takt_message_buffer *entry, unsigned level)
{
    for (; entry != NULL; entry = entry->next) { /* at most `capacity` */
        if (entry->priority < inheritance->count && inheritance->levels[entry->priority] < level) {
            level = inheritance->levels[entry->priority];
        }
    }
    return level;
}

/* Removes the link from the owner's list, if present: a restarted owner has an empty list. */
static void slot_unlink(struct takt_slot_inheritance *inheritance, struct takt_task *owner)
{
    struct takt_mutex **link = &owner->timer.contended;
    while (*link != NULL && *link != &inheritance->link) { /* at most the mutexes and slots of one task */
        link = &(*link)->next_contended;
    }
    if (*link != NULL) {
        *link = inheritance->link.next_contended;
    }
}

/* Updates the owner's inheritance from the messages. Another task may be the best afterwards. */
static void slot_inherit(const struct takt_slot *slot)
{
    struct takt_slot_inheritance *inheritance = slot->config->inheritance;
    struct takt_task *owner = slot->owner;
    if (inheritance == NULL || (TAKT_PROCESSES && owner == NULL) || owner->timer.state == TAKTI_DORMANT) {
        return;
    }
    unsigned level = level_of(inheritance, slot->buffers.first, level_of(inheritance, slot->taken, NO_LEVEL));
    slot_unlink(inheritance, owner);
    if (level != NO_LEVEL) {
        TAKT_ASSERT(level < TAKT_LEVELS - 1 && !takti_level_edf(&takti_kernel.ready, level));
        inheritance->stand_in.level = &takti_kernel.ready.levels[level];
        inheritance->stand_in.level_bit = TAKT_BITMAP_BIT(level);
        inheritance->link.waiters = &inheritance->stand_in;
        inheritance->link.owner = owner;
        takti_contend(&inheritance->link);
        takti_key_raise(owner, &inheritance->stand_in);
    }
    if (owner->level != &takti_kernel.ready.levels[owner->config->level]) { /* else it inherits nothing here */
        takti_key_update(owner);
    }
}

enum takt_status takt_slot_allocate(struct takt_slot *slot)
{
    enum takt_status status = TAKT_STATE;
    uint32_t lock = takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && task != &takti_kernel.idle);
    if (slot->state == TAKT_SLOT_FREE) {
        const struct takt_slot_config *config = slot->config;
        TAKT_ASSERT(config->storage != NULL && ((uintptr_t)config->storage & 7u) == 0 && config->message_size > 0 &&
                    config->capacity > 0);
        slot->owner = task;
        takti_message_buffers_init(&slot->buffers, config->storage, config->message_size, config->capacity);
        slot->taken = NULL;
        slot->state = TAKT_SLOT_CLOSED;
        status = TAKT_OK;
    } else if (TAKT_PROCESSES && slot->owner == NULL) { /* its process ended */
        slot->owner = task;
        status = TAKT_OK;
    }
    takt_port_leave(lock);
    return status;
}

void takt_slot_open(struct takt_slot *slot)
{
    uint32_t lock = takt_port_enter();
    check_owner(slot, lock);
    slot->state = TAKT_SLOT_OPEN;
    takt_port_leave(lock);
}

unsigned takt_slot_close(struct takt_slot *slot)
{
    uint32_t lock = takt_port_enter();
    check_owner(slot, lock);
    unsigned messages = remaining(slot);
    slot->state = TAKT_SLOT_CLOSED;
    takti_wake_all(&slot->senders, TAKT_STATE);
    (void)takti_reschedule(lock);
    return messages;
}

enum takt_status takt_slot_deallocate(struct takt_slot *slot)
{
    enum takt_status status = TAKT_STATE;
    uint32_t lock = takt_port_enter();
    check_owner(slot, lock);
    if (slot->state == TAKT_SLOT_CLOSED && remaining(slot) == 0) {
        slot->state = TAKT_SLOT_FREE;
        slot->owner = NULL;
        status = TAKT_OK;
    }
    takt_port_leave(lock);
    return status;
}

/* Whether there is a buffer for a message of that priority. */
static TAKTI_NOINLINE_SIZE bool has_place(const struct takt_slot *slot, uint32_t priority)
{
    return slot->buffers.left > 1 || (slot->buffers.left == 1 && priority <= slot->config->important);
}

/* `task`: NULL is an interrupt. */
static struct takt_message_buffer *grant(struct takt_slot *slot, const struct reservation *reservation,
                                         const struct takt_task *task)
{
    struct takt_message_buffer *entry = takti_message_buffer_take(&slot->buffers);
    entry->priority = reservation->priority;
    entry->next = entry;
    slot_holder_set(slot, entry, task);
    *reservation->buffer = slot_message_for(slot, entry, task);
    return entry;
}

/* Whether a waiting task may have a buffer. */
static bool may_reserve(const struct takt_slot *slot, const struct takt_task *sender)
{
    return !takti_is_ending(sender) && has_place(slot, ((const struct reservation *)sender->wait_buffer)->priority);
}

/* Removes the first waiter that may have a buffer from the queue; NULL: none. O(waiters). */
static struct takt_task *next_sender(struct takt_slot *slot)
{
    struct takt_task **link = &slot->senders;
    while (*link != NULL && !may_reserve(slot, *link)) {
        link = &(*link)->next;
    }
    struct takt_task *sender = *link;
    if (sender != NULL) {
        *link = sender->next;
    }
    return sender;
}

/* Takes a buffer from the list of those that were taken. */
static TAKTI_NOINLINE_SIZE void taken_leave(struct takt_slot *slot, const struct takt_message_buffer *entry)
{
    struct takt_message_buffer **link = &slot->taken;
    while (*link != entry) {        /* at most `capacity` */
        TAKT_ASSERT(*link != NULL); /* otherwise the buffer was not taken */
        link = &(*link)->next;
    }
    *link = entry->next;
}

/* Frees a buffer, perhaps for a waiter. */
static void vacate(struct takt_slot *slot, struct takt_message_buffer *entry)
{
    takti_message_buffer_free(&slot->buffers, entry);
    struct takt_task *sender = next_sender(slot);
    if (sender != NULL) {
        struct takt_message_buffer *given = grant(slot, sender->wait_buffer, sender);
        if (TAKT_PROCESSES) {
            sender->wait_buffer = given;
        }
        (void)takti_hand(sender);
    }
}

/* A buffer that was reserved for a task. */
void takti_slot_give_back_buffer(struct takt_task **queue, struct takt_task *task)
{
    struct takt_slot *slot = (struct takt_slot *)(void *)((uint8_t *)queue - offsetof(struct takt_slot, senders));
    struct takt_message_buffer *entry = task->wait_buffer;
    if (!TAKT_PROCESSES) {
        void **buffer = ((const struct reservation *)task->wait_buffer)->buffer;
        entry = (struct takt_message_buffer *)*buffer - 1;
        *buffer = NULL;
    }
    slot_holder_set(slot, entry, NULL);
    vacate(slot, entry);
}

/* Requeues a message handed over to the owner as the first of its priority, or of all. */
void takti_slot_give_back_taken(struct takt_task **queue, struct takt_task *task)
{
    struct takt_slot *slot = (struct takt_slot *)(void *)((uint8_t *)queue - offsetof(struct takt_slot, receivers));
    struct takt_message_buffer *entry = task->wait_buffer;
    if (!TAKT_PROCESSES) {
        entry = *(struct takt_message_buffer **)task->wait_buffer - 1;
        *(void **)task->wait_buffer = NULL;
    }
    takti_trace(TAKT_EVENT_SEND, task, slot->config->id, 0);
    taken_leave(slot, entry);
    slot_stored_count(slot, 1);
    struct takt_message_buffer **link = &slot->buffers.first;
    while (slot->config->by_priority && *link != NULL && (*link)->priority < entry->priority) {
        link = &(*link)->next;
    }
    entry->next = *link;
    *link = entry;
    if (entry->next == NULL) {
        slot->buffers.last = entry;
    }
}

static TAKTI_NOINLINE_SIZE enum takt_status slot_reserve(struct takt_slot *slot, const struct reservation *reservation,
                                                         const uint64_t *until_ns)
{
    enum takt_status status = TAKT_OK;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0);
    if (slot->state != TAKT_SLOT_OPEN) {
        status = TAKT_STATE;
    } else if (has_place(slot, reservation->priority)) {
        (void)grant(slot, reservation, TAKT_PROCESSES ? takti_caller(lock) : NULL);
    } else if (until_ns == NULL) {
        return takti_refuse(lock, slot->config->id);
    } else {
        if (TAKT_PROCESSES) { /* where a call, a trap, leaves its stack */
            TAKTI_KEPT(struct reservation, kept);
            *kept = *reservation;
            reservation = kept;
        }
        return takti_wait_in_order(slot->config->in_turn, reservation, &slot->senders, slot->config->id, until_ns);
    }
    takt_port_leave(lock);
    return status;
}

TAKTI_NOINLINE_SIZE enum takt_status takt_slot_reserve_until(struct takt_slot *slot, uint32_t priority, void **buffer,
                                                             uint64_t until_ns)
{
    const struct reservation reservation = {buffer, priority};
    return slot_reserve(slot, &reservation, &until_ns);
}

enum takt_status takt_slot_reserve(struct takt_slot *slot, uint32_t priority, void **buffer)
{
    return takt_slot_reserve_until(slot, priority, buffer, TAKT_FOREVER);
}

enum takt_status takt_slot_try_reserve(struct takt_slot *slot, uint32_t priority, void **buffer)
{
    const struct reservation reservation = {buffer, priority};
    return slot_reserve(slot, &reservation, NULL);
}

void takt_slot_commit(struct takt_slot *slot, void *buffer)
{
    uint32_t lock = takt_port_enter();
    struct takt_message_buffer *entry = (struct takt_message_buffer *)buffer - 1;
    struct takt_task *receiver = slot->receivers;
    TAKT_ASSERT(takti_allowed(lock) && slot->state != TAKT_SLOT_FREE && entry->next == entry); /* and of this slot */
    takti_trace_call(TAKT_EVENT_SEND, lock, slot->config->id, 0);
    slot_holder_set(slot, entry, NULL);
    if (receiver != NULL) {
        entry->next = slot->taken;
        slot->taken = entry;
        *(void **)receiver->wait_buffer = TAKT_PROCESSES ? slot_message_take(slot, entry) : buffer;
        if (TAKT_PROCESSES) {
            receiver->wait_buffer = entry;
        }
        takti_trace(TAKT_EVENT_RECEIVE, receiver, slot->config->id, 0);
        slot_inherit(slot);
        slot->receivers = NULL;
        (void)takti_wake_last(receiver, lock);
        return;
    }
    if (slot->config->by_priority) {
        takti_message_buffer_sort_in(&slot->buffers, entry);
    } else {
        takti_message_buffer_append(&slot->buffers, entry);
    }
    slot_stored_count(slot, 1);
    if (slot->config->inheritance == NULL) {
        takt_port_leave(lock);
        return;
    }
    slot_inherit(slot);
    (void)takti_trigger(slot->config->inheritance->trigger);
    (void)takti_reschedule(lock);
}

static enum takt_status slot_take(struct takt_slot *slot, void **buffer, const uint64_t *until_ns)
{
    enum takt_status status = TAKT_OK;
    uint32_t lock = takt_port_enter();
    check_owner(slot, lock);
    if (slot->buffers.first != NULL) {
        struct takt_message_buffer *entry = takti_message_buffer_leave(&slot->buffers);
        entry->next = slot->taken;
        slot->taken = entry;
        *buffer = slot_message_take(slot, entry);
        takti_trace(TAKT_EVENT_RECEIVE, slot->owner, slot->config->id, 0);
        slot_stored_count(slot, -1);
    } else if (slot->state == TAKT_SLOT_CLOSED && remaining(slot) == length_of(slot->taken)) {
        status = TAKT_STATE;
    } else if (until_ns == NULL) {
        status = TAKT_BUSY;
    } else {
        return takti_wait_with(buffer, &slot->receivers, slot->config->id, until_ns);
    }
    takt_port_leave(lock);
    return status;
}

TAKTI_NOINLINE_SIZE enum takt_status takt_slot_take_until(struct takt_slot *slot, void **buffer, uint64_t until_ns)
{
    return slot_take(slot, buffer, &until_ns);
}

enum takt_status takt_slot_take(struct takt_slot *slot, void **buffer)
{
    return takt_slot_take_until(slot, buffer, TAKT_FOREVER);
}

enum takt_status takt_slot_try_take(struct takt_slot *slot, void **buffer)
{
    return slot_take(slot, buffer, NULL);
}

unsigned takt_slot_release(struct takt_slot *slot, void *buffer)
{
    uint32_t lock = takt_port_enter();
    struct takt_message_buffer *entry = (struct takt_message_buffer *)buffer - 1;
    check_owner(slot, lock);
    taken_leave(slot, entry);
    vacate(slot, entry);
    slot_inherit(slot);
    unsigned messages = remaining(slot);
    (void)takti_reschedule(lock);
    return messages;
}

unsigned takt_slot_flush(struct takt_slot *slot)
{
    uint32_t lock = takt_port_enter();
    check_owner(slot, lock);
    while (slot->buffers.first != NULL) { /* at most `capacity` */
        takti_trace(TAKT_EVENT_RECEIVE, slot->owner, slot->config->id, 0);
        slot_stored_count(slot, -1);
        vacate(slot, takti_message_buffer_leave(&slot->buffers));
    }
    slot_inherit(slot);
    unsigned messages = remaining(slot);
    (void)takti_reschedule(lock);
    return messages;
}

struct takt_slot_info takt_slot_info(const struct takt_slot *slot)
{
    uint32_t lock = takt_port_lock();
    unsigned committed = slot->state == TAKT_SLOT_FREE ? 0 : length_of(slot->buffers.first);
    unsigned taken = slot->state == TAKT_SLOT_FREE ? 0 : length_of(slot->taken);
    const struct takt_slot_info info = {.config = slot->config,
                                        .owner = slot->owner,
                                        .state = (enum takt_slot_state)slot->state,
                                        .reserved = (uint16_t)(remaining(slot) - committed - taken),
                                        .committed = (uint16_t)committed,
                                        .taken = (uint16_t)taken};
    takt_port_unlock(lock);
    return info;
}

#if TAKT_PROCESSES
void takti_slot_return(struct takt_slot *slot, struct takt_message_buffer *entry)
{
    slot_holder_set(slot, entry, NULL);
    vacate(slot, entry);
}
#endif
