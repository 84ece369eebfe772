/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ASSEMBLE_H
#define TAKT_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/wire.h"

/*
 * Puts values together from their blocks, in whatever order these come. Blocks of a value are of one size, but for its
 * last. One value at a time: with the first block of a newer one what is there of an older one is dropped.
 *
 * Context of every call: any. Blocks: never.
 */

enum { TAKT_ASSEMBLE_BLOCK_MIN = 256 };

/* Words of `came` for values of that size. */
#define TAKT_ASSEMBLE_WORDS(size) (((size_t)(size) + TAKT_ASSEMBLE_BLOCK_MIN * 64 - 1) / (TAKT_ASSEMBLE_BLOCK_MIN * 64))

enum takt_assemble_result {
    TAKT_ASSEMBLE_MORE = 0, /* taken; others are missing */
    TAKT_ASSEMBLE_WHOLE,    /* taken, and the value is there: its bytes are from now until the next call */
    TAKT_ASSEMBLE_OLD,      /* of a value before: nothing happened, as with the next ones */
    TAKT_ASSEMBLE_TWICE,    /* that block is there */
    TAKT_ASSEMBLE_UNFIT /* not such a block, or longer than values here are, or not of the value that others are of */
};

struct takt_assemble {
    uint8_t *bytes;  /* room for a value; the caller's, as `came` */
    uint64_t *came;  /* bit n: block n is there */
    uint32_t size;   /* of values, at most */
    uint32_t block;  /* bytes of a block, at least TAKT_ASSEMBLE_BLOCK_MIN */
    uint64_t number; /* private: of the value; `missing` 0: it was whole */
    uint64_t time_ns;
    uint32_t source;
    uint32_t total;
    uint32_t missing; /* blocks */
    uint64_t dropped; /* values that were not whole when the next one came */
    uint64_t unseen;  /* values between two of a session of which no block came */
};

/* From a session's begin on, when any number may come. Sizes stay, and both counts. O(1). */
void takt_assemble_restart(struct takt_assemble *assemble);

/* A block came: a packet of kind DATA from takt_wire_decode. O(size / block). */
enum takt_assemble_result takt_assemble_add(struct takt_assemble *assemble, const struct takt_wire_packet *packet);

#endif
