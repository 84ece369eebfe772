/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_MESSAGE_BUFFERS_H
#define TAKTI_MESSAGE_BUFFERS_H

/* Message buffers: allocated, queued by priority, freed. Called with the kernel locked. */
#include "kernel/core/kernel.h"
#include "takt/message_buffers.h"

/* Initializes all buffers as free. */
static TAKT_INLINE void takti_message_buffers_init(struct takt_message_buffers *buffers, void *storage, uint16_t size,
                                                   uint16_t capacity)
{
    *buffers = (struct takt_message_buffers)TAKTI_MESSAGE_BUFFERS(storage, size, capacity);
}

static inline void *takti_message_buffer_message(struct takt_message_buffer *entry)
{
    return entry + 1;
}

/* Allocates one of the buffers that are left. */
static inline struct takt_message_buffer *takti_message_buffer_take(struct takt_message_buffers *buffers)
{
    struct takt_message_buffer *entry = buffers->free;
    buffers->left--;
    if (entry != NULL) {
        buffers->free = entry->next;
        return entry;
    }
    entry = (struct takt_message_buffer *)(void *)buffers->fresh;
    buffers->fresh += buffers->bytes;
    return entry;
}

static inline void takti_message_buffer_free(struct takt_message_buffers *buffers, struct takt_message_buffer *entry)
{
    entry->next = buffers->free;
    buffers->free = entry;
    buffers->left++;
}

static inline void takti_message_buffer_append(struct takt_message_buffers *buffers, struct takt_message_buffer *entry)
{
    entry->next = NULL;
    if (buffers->first == NULL) {
        buffers->first = entry;
    } else {
        buffers->last->next = entry;
    }
    buffers->last = entry;
}

static inline void takti_message_buffer_prepend(struct takt_message_buffers *buffers, struct takt_message_buffer *entry)
{
    if (buffers->first == NULL) {
        buffers->last = entry;
    }
    entry->next = buffers->first;
    buffers->first = entry;
}

/* Queues a message behind its equals. O(1) at the end; otherwise O(buffers). */
static inline void takti_message_buffer_sort_in(struct takt_message_buffers *buffers, struct takt_message_buffer *entry)
{
    if (buffers->first == NULL || buffers->last->priority <= entry->priority) {
        takti_message_buffer_append(buffers, entry);
        return;
    }
    struct takt_message_buffer **link = &buffers->first;
    while ((*link)->priority <= entry->priority) { /* ends before the last */
        link = &(*link)->next;
    }
    entry->next = *link;
    *link = entry;
}

/* Removes the first message, which must exist. */
static inline struct takt_message_buffer *takti_message_buffer_leave(struct takt_message_buffers *buffers)
{
    struct takt_message_buffer *entry = buffers->first;
    buffers->first = entry->next;
    return entry;
}

#endif
