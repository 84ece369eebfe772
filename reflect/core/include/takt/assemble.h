/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ASSEMBLE_H
#define TAKT_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/wire.h"

TAKT_C_BEGIN

/*
 * Assembles values from their blocks, which may arrive in any order. Blocks of a value have one size, except the last.
 * A block may be overtaken by blocks of the next value, so two values are assembled at a time. The first block of a
 * third value drops the oldest, and a complete value drops older incomplete ones: values are completed in order.
 *
 * Context of every call: any. Blocks: never.
 */

enum { TAKT_ASSEMBLE_BLOCK_MIN = 256, TAKT_ASSEMBLE_ROOMS = 2 };

/* Length of `bytes`, and words of `came`, for values of that size. */
#define TAKT_ASSEMBLE_BYTES(size) (TAKT_ASSEMBLE_ROOMS * (size_t)(size))
#define TAKT_ASSEMBLE_WORDS(size) \
    (TAKT_ASSEMBLE_ROOMS * (((size_t)(size) + TAKT_ASSEMBLE_BLOCK_MIN * 64 - 1) / (TAKT_ASSEMBLE_BLOCK_MIN * 64)))

enum takt_assemble_result {
    TAKT_ASSEMBLE_MORE = 0, /* accepted; others are missing */
    TAKT_ASSEMBLE_WHOLE,    /* accepted, and the value is complete: at `value` until the next call */
    TAKT_ASSEMBLE_OLD,      /* of a complete value or an older one: ignored, as the next two */
    TAKT_ASSEMBLE_TWICE,    /* duplicate of a block */
    TAKT_ASSEMBLE_UNFIT /* wrong block size, longer than values are, or inconsistent with other blocks of the value */
};

struct takt_assemble {
    uint8_t *bytes; /* buffers for values, one after another; caller-owned, as `came` */
    uint64_t *came; /* per buffer, bit n: block n has arrived */
    uint32_t size;  /* of values, at most */
    uint32_t block; /* bytes of a block, at least TAKT_ASSEMBLE_BLOCK_MIN */
    const uint8_t *value;
    uint64_t dropped; /* values of which some blocks came, but not all in time */
    uint64_t unseen;  /* values between two of a session of which no block came in time */

    uint64_t done; /* private: values up to this number are complete or dropped; 0: none of this session */
    struct {
        uint64_t number, time_ns;
        uint32_t source, total;
        uint32_t missing; /* blocks; 0: the buffer is free */
    } rooms[TAKT_ASSEMBLE_ROOMS];
};

/* Restarts for a new session, in which any number may come. Sizes and both counters are kept. O(1). */
void takt_assemble_restart(struct takt_assemble *assemble);

/* Adds a block: a packet of kind DATA from takt_wire_decode. O(size / block). */
enum takt_assemble_result takt_assemble_add(struct takt_assemble *assemble, const struct takt_wire_packet *packet);

TAKT_C_END

#endif
