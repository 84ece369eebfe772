/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_AREA_H
#define TAKT_AREA_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/word.h"

/*
 * A reflective memory area (seed 002, 5): values of one size in memory that one writer and any number of readers share,
 * tasks, threads or processes. The last `depth` values stand in places in turn. A reader takes the newest one, or each
 * in its order; neither side ever waits for the other.
 *
 * A reader needs no right to write, and trusts nothing: whatever the memory holds, or comes to hold meanwhile, every
 * call ends after a bounded number of steps, touches nothing outside of the memory, and what it gives is a status. A
 * value from a writer that keeps the protocol is never torn or mixed; of another one it may be any bytes.
 *
 * Values are numbered from 1. The number stands with its place and says whose value is there; while a place is written
 * it has none. Where a word is 32 bits the numbers come round after 2^32 values, and then readers in order lose some.
 *
 * Context of every call: any. Blocks: never.
 */

enum {
    TAKT_AREA_VERSION = 1,
    TAKT_AREA_DEPTH_MAX = 4096,
    TAKT_AREA_SIZE_MAX = 1 << 26, /* bytes of a value */
    TAKT_AREA_TRIES = 8           /* of a read that is overtaken */
};

/* What an area is made of; the same for all who share it. */
struct takt_area_shape {
    uint32_t size;  /* bytes of a value, 1 .. TAKT_AREA_SIZE_MAX */
    uint32_t depth; /* places: a power of two, 2 .. TAKT_AREA_DEPTH_MAX */
};

/* How the memory begins. */
struct takt_area_memory {
    uintptr_t magic; /* constant, as the next three */
    uintptr_t version;
    uintptr_t size;
    uintptr_t depth;
    TAKT_OWN_LINE uintptr_t
        newest[TAKTB_WORDS_APART]; /* [0] is the writer's: the number of the newest value; 0: none */
};

/* What stands with each value. */
struct takt_area_stamp {
    uint64_t time_ns; /* when it was written, by the writer's clock */
    uint32_t source;  /* whose it is, where several may write into an area of a reader; else 0 */
    uint32_t length;  /* bytes of it that count, at most the size of a value */
};

/* A place; its value follows. */
struct takt_area_place {
    uintptr_t number; /* of the value; 0: it is being written */
    uintptr_t stamp[(sizeof(struct takt_area_stamp) + TAKT_WORD_SIZE - 1) / TAKT_WORD_SIZE];
};

#define TAKTR_AREA_STRIDE(size) \
    TAKT_LINES(sizeof(struct takt_area_place) + ((size_t)(size) + TAKT_WORD_SIZE - 1) / TAKT_WORD_SIZE * TAKT_WORD_SIZE)

/* Bytes of the memory of an area of that shape. */
#define TAKT_AREA_BYTES(size, depth) (sizeof(struct takt_area_memory) + TAKTR_AREA_STRIDE(size) * (size_t)(depth))

/* The writer's side. */
struct takt_area {
    struct takt_area_memory *memory; /* private, as the rest */
    struct takt_area_shape shape;
    uintptr_t number; /* of the newest value: never read from the memory */
};

/* A reader's side. */
struct takt_area_reader {
    const struct takt_area_memory *memory; /* private, but for `lost` */
    struct takt_area_shape shape;          /* as it was when it was checked */
    uintptr_t taken;                       /* number of the value that was taken last */
    uint64_t lost;                         /* values that were overwritten before they were taken */
};

/* A value that was read. */
struct takt_area_value {
    uintptr_t number;
    struct takt_area_stamp stamp; /* length is at most the size of a value */
};

/*
 * The writer begins an area with no values. `memory`: TAKT_AREA_BYTES(size, depth) bytes, aligned to TAKT_CACHE_LINE,
 * or to a word where that is 0. TAKT_LIMIT: there is no such shape, and nothing happened. O(bytes).
 */
TAKT_MUST_USE enum takt_status takt_area_init(struct takt_area *area, void *memory, struct takt_area_shape shape);

/*
 * The writer: `value` is the newest from now on. `stamp`: its length is that of the value, at most the size, or
 * TAKT_LIMIT, and nothing happened; what is behind it in the place is as it was. O(length).
 */
TAKT_MUST_USE enum takt_status takt_area_write(struct takt_area *area, const void *value,
                                               const struct takt_area_stamp *stamp);

/*
 * A reader takes memory of `bytes` bytes for an area, from its next value on: what was written before is not taken in
 * order. TAKT_STATE: it is none of this version, is not aligned, or is longer than the memory. O(1).
 */
TAKT_MUST_USE enum takt_status takt_area_attach(struct takt_area_reader *reader, const void *memory, size_t bytes);

/* Values that are there already are taken too, from the oldest on. O(1). */
static inline void takt_area_from_first(struct takt_area_reader *reader)
{
    reader->taken = 0;
}

/* The number of the newest value; 0: there is none. O(1). */
static inline uintptr_t takt_area_newest(const struct takt_area_reader *reader)
{
    return takt_word_acquire(reader->memory->newest);
}

/*
 * Copies the newest value: `to` has room for a whole one. TAKT_EMPTY: there is none. TAKT_OVERTAKEN: the writer came
 * round to its place, TAKT_AREA_TRIES times, so the depth is too small for how often it writes. Then, and only then,
 * `to` and `value` hold anything. O(size * tries).
 */
TAKT_MUST_USE enum takt_status takt_area_read(const struct takt_area_reader *reader, void *to,
                                              struct takt_area_value *value);

/*
 * The same for the oldest value that was not taken yet and is still there; it is taken then. reader->lost counts those
 * between, a value that is written while it is copied among them. TAKT_EMPTY: all were taken. O(size * tries).
 */
TAKT_MUST_USE enum takt_status takt_area_take(struct takt_area_reader *reader, void *to, struct takt_area_value *value);

#endif
