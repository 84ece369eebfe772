/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that store bytes: their positions and number, and their waiters. */
#include "kernel/observe/invariants.h"
#include "takt/message_buffers.h"

/* The positions of its messages imply their number, except none and all. */
void takti_walk_mailbox(struct takti_walk *walk, const struct takt_mailbox *mailbox)
{
    uint32_t messages = TAKTI_OPTIMIZE_SIZE ? mailbox->hidden : mailbox->count + mailbox->hidden;
    uint32_t room = mailbox->capacity;
    uint32_t size = mailbox->message_size;
    if (!takti_must(walk, room != 0 && size != 0, "a mailbox has buffers", mailbox)) {
        return;
    }
    uint32_t used = (uint32_t)(mailbox->in - mailbox->out + (ptrdiff_t)(size * room)) / size % room;
    (void)takti_walk_queue(walk, &mailbox->receivers, NULL, NULL);
    (void)takti_walk_queue(walk, &mailbox->senders, NULL, NULL);
    takti_must(walk, messages <= room, "a mailbox has no more messages than room", mailbox);
    takti_must(walk, messages % room == used, "the count of a mailbox is the number of its messages", mailbox);
    takti_must(walk, mailbox->receivers == NULL || messages == 0, "no receiver waits while there is a message",
               mailbox);
    takti_must(walk, mailbox->senders == NULL || messages == room, "no sender waits while there is room", mailbox);
    if (!TAKTI_OPTIMIZE_SIZE) {
        bool waits = mailbox->receivers != NULL || mailbox->senders != NULL;
        takti_must(walk, mailbox->count == 0 || mailbox->hidden == 0, "a mailbox counts its messages once", mailbox);
        takti_must(walk, mailbox->room == 0 || mailbox->room + mailbox->count == room,
                   "the room of a mailbox is its capacity less its messages", mailbox);
        takti_must(walk, !waits || mailbox->room == 0, "a send with waiting receivers takes the slow path", mailbox);
        takti_must(walk, mailbox->senders == NULL || mailbox->count == 0,
                   "a receive with waiting senders takes the slow path", mailbox);
    }
}

/* Follows a list of buffers, in the first `used` bytes of the storage. Returns the last one, or NULL. */
static const struct takt_message_buffer *walk_buffers(struct takti_walk *walk,
                                                      const struct takt_priority_mailbox *mailbox,
                                                      const struct takt_message_buffer *first, uintptr_t used,
                                                      unsigned *count)
{
    const struct takt_message_buffer *last = NULL;
    *count = 0;
    for (const struct takt_message_buffer *buffer = first; buffer != NULL; buffer = buffer->next) {
        uintptr_t offset = (uintptr_t)buffer - (uintptr_t)mailbox->storage;
        if (!takti_must(walk, offset < used && offset % mailbox->buffers.bytes == 0,
                        "messages are in buffers that were used", mailbox) ||
            !takti_must(walk, ++*count <= mailbox->capacity, "a list of buffers is finite", mailbox)) {
            return NULL;
        }
        last = buffer;
    }
    return last;
}

void takti_walk_priority_mailbox(struct takti_walk *walk, const struct takt_priority_mailbox *mailbox)
{
    const struct takt_message_buffers *buffers = &mailbox->buffers;
    uint32_t bytes = buffers->bytes;
    uintptr_t used = (uintptr_t)buffers->fresh - (uintptr_t)mailbox->storage;
    unsigned messages, given_back;
    (void)takti_walk_queue(walk, &mailbox->receivers, NULL, NULL);
    (void)takti_walk_queue(walk, &mailbox->senders, NULL, NULL);
    if (!takti_must(walk, bytes == TAKT_MESSAGE_BUFFER_BYTES(mailbox->message_size),
                    "a buffer has the size of one message", mailbox) ||
        !takti_must(walk, used % bytes == 0 && used <= (uintptr_t)bytes * mailbox->capacity,
                    "the unused buffers are at the end of the storage", mailbox)) {
        return;
    }
    const struct takt_message_buffer *last = walk_buffers(walk, mailbox, buffers->first, used, &messages);
    (void)walk_buffers(walk, mailbox, buffers->free, used, &given_back);
    if (walk->found.what != NULL) {
        return;
    }
    for (const struct takt_message_buffer *buffer = buffers->first; buffer != last; buffer = buffer->next) {
        takti_must(walk, buffer->priority <= buffer->next->priority, "messages are sorted", mailbox);
    }
    takti_must(walk, messages == 0 || buffers->last == last, "the pointer to the last message is right", mailbox);
    takti_must(walk, buffers->left == given_back + mailbox->capacity - used / bytes, "the remaining buffers are free",
               mailbox);
    takti_must(walk, messages + buffers->left == mailbox->capacity, "a buffer has a message or is free", mailbox);
    takti_must(walk, mailbox->receivers == NULL || messages == 0, "no receiver waits while there is a message",
               mailbox);
    takti_must(walk, mailbox->senders == NULL || buffers->left == 0, "no sender waits while there is room", mailbox);
}

/* The positions of its bytes imply their number, except none and all. */
void takti_walk_pipe(struct takti_walk *walk, const struct takt_pipe *pipe)
{
    uint32_t capacity = pipe->capacity;
    uint32_t bytes = pipe->possible[false];
    if (!takti_must(walk, capacity != 0, "a pipe has room", pipe)) {
        return;
    }
    uint64_t apart = (uint64_t)pipe->offsets[true] + capacity - pipe->offsets[false];
    (void)takti_walk_queue(walk, &pipe->waiters[false], NULL, NULL);
    (void)takti_walk_queue(walk, &pipe->waiters[true], NULL, NULL);
    takti_must(walk, pipe->offsets[false] <= capacity && pipe->offsets[true] <= capacity,
               "a pipe's offsets are within it", pipe);
    takti_must(walk, bytes <= capacity && bytes + pipe->possible[true] == capacity,
               "the room of a pipe is its capacity less its bytes", pipe);
    takti_must(walk, apart % capacity == bytes % capacity, "the count of a pipe is the number of its bytes", pipe);
    takti_must(walk, pipe->waiters[false] == NULL || bytes == 0, "no reader waits while there are bytes", pipe);
    takti_must(walk, pipe->waiters[true] == NULL || bytes == capacity, "no sender waits while there is room", pipe);
}
