/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MESSAGE_BUFFERS_H
#define TAKT_MESSAGE_BUFFERS_H

#include <stdint.h>

/* Room for messages that are kept in the order of their priorities: a header and a message each. Private. */
struct takt_message_buffer {
    struct takt_message_buffer *next;
    uint32_t priority; /* 0 goes first */
};

/* Private; kernel lock. */
struct takt_message_buffers {
    struct takt_message_buffer *first; /* the messages, sorted */
    struct takt_message_buffer *last;  /* valid while there is a first */
    struct takt_message_buffer *free;  /* buffers given back */
    uint8_t *fresh;                    /* from here on none was ever used */
    uint16_t left;                     /* free and fresh ones */
    uint16_t bytes;                    /* of a buffer */
};

/* Bytes of one buffer for messages of `size` bytes, which lie on addresses that are aligned to 8. */
#define TAKT_MESSAGE_BUFFER_BYTES(size) (sizeof(struct takt_message_buffer) + (((size_t)(size) + 7u) & ~(size_t)7u))

#define TAKTI_MESSAGE_BUFFERS(memory, size, max)                                               \
    {                                                                                          \
        .fresh = (memory), .left = (max), .bytes = (uint16_t)(TAKT_MESSAGE_BUFFER_BYTES(size)) \
    }

#endif
