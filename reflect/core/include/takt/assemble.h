/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ASSEMBLE_H
#define TAKT_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/wire.h"

/*
 * Puts values together from their blocks, in whatever order these come. Blocks of a value are of one size, but for its
 * last. A block may be overtaken by blocks of the next value: so two values are put together at a time. With the first
 * block of a third one the oldest is dropped, and with a value that is whole what is there of those before it: values
 * are whole in order.
 *
 * Context of every call: any. Blocks: never.
 */

enum { TAKT_ASSEMBLE_BLOCK_MIN = 256, TAKT_ASSEMBLE_ROOMS = 2 };

/* Bytes of `bytes`, and words of `came`, for values of that size. */
#define TAKT_ASSEMBLE_BYTES(size) (TAKT_ASSEMBLE_ROOMS * (size_t)(size))
#define TAKT_ASSEMBLE_WORDS(size) \
    (TAKT_ASSEMBLE_ROOMS * (((size_t)(size) + TAKT_ASSEMBLE_BLOCK_MIN * 64 - 1) / (TAKT_ASSEMBLE_BLOCK_MIN * 64)))

enum takt_assemble_result {
    TAKT_ASSEMBLE_MORE = 0, /* taken; others are missing */
    TAKT_ASSEMBLE_WHOLE,    /* taken, and the value is there: at `value` until the next call */
    TAKT_ASSEMBLE_OLD,      /* of a value that was whole, or is before one: nothing happened, as with the next ones */
    TAKT_ASSEMBLE_TWICE,    /* that block is there */
    TAKT_ASSEMBLE_UNFIT /* not such a block, or longer than values here are, or not of the value that others are of */
};

struct takt_assemble {
    uint8_t *bytes; /* rooms for values, one behind the other; the caller's, as `came` */
    uint64_t *came; /* of each room, bit n: block n is there */
    uint32_t size;  /* of values, at most */
    uint32_t block; /* bytes of a block, at least TAKT_ASSEMBLE_BLOCK_MIN */
    const uint8_t *value;
    uint64_t dropped; /* values of which blocks came, and not all in time */
    uint64_t unseen;  /* values between two of a session of which no block came in time */

    uint64_t done; /* private: up to this number values are whole or given up; 0: none of this session is */
    struct {
        uint64_t number, time_ns;
        uint32_t source, total;
        uint32_t missing; /* blocks; 0: the room is free */
    } rooms[TAKT_ASSEMBLE_ROOMS];
};

/* From a session's begin on, when any number may come. Sizes stay, and both counts. O(1). */
void takt_assemble_restart(struct takt_assemble *assemble);

/* A block came: a packet of kind DATA from takt_wire_decode. O(size / block). */
enum takt_assemble_result takt_assemble_add(struct takt_assemble *assemble, const struct takt_wire_packet *packet);

#endif
