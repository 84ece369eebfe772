/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SLOT_COPIES_H
#define TAKTI_SLOT_COPIES_H

/* Copies of the buffers of a slot in the memory of processes. Called with the kernel locked. */
#include "kernel/core/processes.h"
#include "kernel/messages/copy.h"
#include "kernel/messages/message_buffers.h"

#if TAKT_PROCESSES
/* The copies of the buffers for a task; NULL: it works in the kernel's. */
static inline uint8_t *slot_copies_of(const struct takt_slot *slot, const struct takt_task *task)
{
    uint8_t process = task == NULL ? UINT8_MAX : takti_process_index(task);
    bool copied = process != UINT8_MAX && slot->in_process->copies != NULL;
    return copied ? slot->in_process->copies[process] : NULL;
}

static inline unsigned slot_index_of(const struct takt_slot *slot, const struct takt_message_buffer *entry)
{
    return (unsigned)(((uintptr_t)entry - (uintptr_t)slot->config->storage) / slot->buffers.bytes);
}

/* The message of a buffer, as the task has it. */
static inline void *slot_message_for(const struct takt_slot *slot, struct takt_message_buffer *entry,
                                     const struct takt_task *task)
{
    uint8_t *copies = slot_copies_of(slot, task);
    uintptr_t offset = (uintptr_t)takti_message_buffer_message(entry) - (uintptr_t)slot->config->storage;
    return copies == NULL ? takti_message_buffer_message(entry) : copies + offset;
}

/* Copies a message between the kernel's buffer and a copy, if there is one. O(size). */
static inline void slot_message_copy(const struct takt_slot *slot, void *to, const void *from)
{
    uint8_t *out = to;
    const uint8_t *in = from;
    uint32_t pairs = (slot->buffers.bytes - (uint32_t)sizeof(struct takt_message_buffer)) / 8u;
    if (to != from && pairs > 0) {
        TAKT_PORT_COPY_PAIRS(out, in, pairs);
    }
}

/* The owner takes a message: returns where it has it. */
static inline void *slot_message_take(const struct takt_slot *slot, struct takt_message_buffer *entry)
{
    void *message = slot_message_for(slot, entry, slot->owner);
    slot_message_copy(slot, message, takti_message_buffer_message(entry));
    return message;
}

static inline void slot_holder_set(struct takt_slot *slot, const struct takt_message_buffer *entry,
                                   const struct takt_task *task)
{
    if (slot->in_process->holders != NULL) {
        uint8_t process = task == NULL ? UINT8_MAX : takti_process_index(task);
        slot->in_process->holders[slot_index_of(slot, entry)] = (uint8_t)(process + 1u);
    }
}

static inline void slot_stored_count(struct takt_slot *slot, int change)
{
    slot->in_process->stored = (uint16_t)(slot->in_process->stored + change);
}
#else
#define slot_message_for(slot, entry, task) ((void)(slot), (void)(task), takti_message_buffer_message(entry))
#define slot_message_take(slot, entry) takti_message_buffer_message(entry)
#define slot_holder_set(slot, entry, task) ((void)(slot), (void)(entry), (void)(task))
#define slot_stored_count(slot, change) ((void)(slot))
#endif

#endif
