/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of processes: checks of what a process names, and what becomes of its buffers at its end. */
#include "kernel/messages/slot_copies.h"

#if TAKT_PROCESSES
bool takti_slot_is_owner(const struct takt_slot *slot, const struct takt_task *task)
{
    return slot->state != TAKT_SLOT_FREE && slot->owner == task;
}

/* The buffer of which a task has the copy at `message`; NULL: there is none. */
static struct takt_message_buffer *slot_buffer_of(const struct takt_slot *slot, const void *message,
                                                  const struct takt_task *task)
{
    uint8_t *storage = slot->config->storage;
    const uint8_t *copies = slot_copies_of(slot, task);
    uintptr_t offset = (uintptr_t)message - (uintptr_t)copies - sizeof(struct takt_message_buffer);
    bool used = slot->state != TAKT_SLOT_FREE && copies != NULL &&
                offset < (uintptr_t)(slot->buffers.fresh - storage) && offset % slot->buffers.bytes == 0;
    return used ? (struct takt_message_buffer *)(void *)(storage + offset) : NULL;
}

void *takti_slot_reserved(struct takt_slot *slot, const void *message, const struct takt_task *task)
{
    struct takt_message_buffer *entry = slot_buffer_of(slot, message, task);
    if (entry == NULL || slot->in_process->holders[slot_index_of(slot, entry)] != takti_process_index(task) + 1u) {
        return NULL;
    }
    void *buffer = takti_message_buffer_message(entry);
    slot_message_copy(slot, buffer, message);
    return buffer;
}

void *takti_slot_taken(const struct takt_slot *slot, const void *message, const struct takt_task *task)
{
    struct takt_message_buffer *entry = slot_buffer_of(slot, message, task);
    const struct takt_message_buffer *taken = slot->taken;
    while (taken != NULL && taken != entry) { /* at most `capacity` */
        taken = taken->next;
    }
    return taken == NULL ? NULL : takti_message_buffer_message(entry);
}

unsigned takti_slot_stored(const struct takt_slot *slot)
{
    return slot->in_process->stored;
}

struct takt_task *takti_slot_trigger(const struct takt_slot *slot)
{
    return slot->config->inheritance == NULL ? NULL : slot->config->inheritance->trigger;
}

struct takt_message_buffer *takti_slot_buffer_at(const struct takt_slot *slot, unsigned index)
{
    uint8_t *entry = (uint8_t *)slot->config->storage + (uintptr_t)index * slot->buffers.bytes;
    bool used = slot->state != TAKT_SLOT_FREE && entry < slot->buffers.fresh;
    return used ? (struct takt_message_buffer *)(void *)entry : NULL;
}

bool takti_slot_reserved_by(const struct takt_slot *slot, const struct takt_message_buffer *entry, unsigned process)
{
    return slot->in_process->holders[slot_index_of(slot, entry)] == process + 1u;
}

bool takti_slot_owned_by(const struct takt_slot *slot, unsigned process)
{
    return slot->state != TAKT_SLOT_FREE && slot->owner != NULL && takti_process_index(slot->owner) == process;
}

bool takti_slot_drop(struct takt_slot *slot, bool committed)
{
    struct takt_message_buffer *entry = slot->taken;
    if (entry != NULL) {
        slot->taken = entry->next;
    } else if (committed && slot->buffers.first != NULL) {
        entry = takti_message_buffer_leave(&slot->buffers);
        slot_stored_count(slot, -1);
    } else {
        return false;
    }
    takti_slot_return(slot, entry);
    return true;
}

void takti_slot_end(struct takt_slot *slot, bool shared)
{
    if (takti_slot_trigger(slot) != NULL) {
        return;
    }
    slot->state = shared ? TAKT_SLOT_CLOSED : TAKT_SLOT_FREE;
    slot->owner = NULL;
    takti_wake_all(&slot->senders, TAKT_STATE);
}
#endif
