/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PLACES_H
#define TAKT_PLACES_H

#include <stdint.h>

/* Room for messages that are kept in the order of their priorities: a header and a message each. Private. */
struct takt_place {
    struct takt_place *next;
    uint32_t priority; /* 0 goes first */
};

/* Private; kernel lock. */
struct takt_places {
    struct takt_place *first; /* the messages, sorted */
    struct takt_place *last;  /* valid while there is a first */
    struct takt_place *free;  /* places given back */
    uint8_t *fresh;           /* from here on none was ever used */
    uint16_t left;            /* free and fresh ones */
    uint16_t bytes;           /* of a place */
};

/* Bytes of one place for messages of `size` bytes, which lie on addresses that are aligned to 8. */
#define TAKT_PLACE_BYTES(size) (sizeof(struct takt_place) + (((size_t)(size) + 7u) & ~(size_t)7u))

#define TAKTI_PLACES(memory, size, max)                                               \
    {                                                                                 \
        .fresh = (memory), .left = (max), .bytes = (uint16_t)(TAKT_PLACE_BYTES(size)) \
    }

#endif
