/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MESSAGE_BUFFERS_H
#define TAKT_MESSAGE_BUFFERS_H

#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/* Buffers for messages in order of priority: a header and a message each. Private. */
struct takt_message_buffer {
    struct takt_message_buffer *next;
    uint32_t priority; /* 0 is the first */
};

/* Private; kernel lock. */
struct takt_message_buffers {
    struct takt_message_buffer *first; /* the messages, sorted */
    struct takt_message_buffer *last;  /* valid while there is a first */
    struct takt_message_buffer *free;  /* released buffers */
    uint8_t *fresh;                    /* end of the buffers ever used */
    uint16_t left;                     /* number of buffers in `free` and from `fresh` on */
    uint16_t bytes;                    /* size of a buffer */
};

/* Bytes of one buffer for messages of `size` bytes, aligned to 8. */
#define TAKT_MESSAGE_BUFFER_BYTES(size) (sizeof(struct takt_message_buffer) + (((size_t)(size) + 7u) & ~(size_t)7u))

#define TAKTI_MESSAGE_BUFFERS(memory, size, max)                                               \
    {                                                                                          \
        .fresh = (memory), .left = (max), .bytes = (uint16_t)(TAKT_MESSAGE_BUFFER_BYTES(size)) \
    }

TAKT_C_END

#endif
