/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_AREA_H
#define TAKT_AREA_H

#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"
#include "base/word.h"

TAKT_C_BEGIN

/*
 * A reflective memory area (seed 002, 5): values of one size in memory shared by one writer and any number of readers,
 * which are tasks, threads or processes. The last `depth` values are in slots in turn. A reader reads the newest value,
 * or takes each in order; neither side ever waits for the other.
 *
 * A reader needs no write access and does not trust the memory: for any contents, also changing ones, every call ends
 * after a bounded number of steps with a status and accesses nothing outside the memory. A value from a writer that
 * follows the protocol is never torn or mixed; from another writer it may be any bytes.
 *
 * Values are numbered from 1. Each slot has the number of its value, or none while it is written. With words of 32 bits
 * the numbers wrap after 2^32 values, and readers in order then lose some.
 *
 * Context of every call: any. Blocks: never.
 */

enum {
    TAKT_AREA_VERSION = 1,
    TAKT_AREA_DEPTH_MAX = 4096,
    TAKT_AREA_SIZE_MAX = 1 << 26, /* bytes of a value */
    TAKT_AREA_TRIES = 8           /* attempts of a read that is overtaken */
};

/* Layout of an area; the same for all its users. */
struct takt_area_shape {
    uint32_t size;  /* bytes of a value, 1 .. TAKT_AREA_SIZE_MAX */
    uint32_t depth; /* slots: a power of two, 2 .. TAKT_AREA_DEPTH_MAX */
};

/* Head of the memory. */
struct takt_area_memory {
    uintptr_t magic; /* constant, as the next three */
    uintptr_t version;
    uintptr_t size;
    uintptr_t depth;
    TAKT_OWN_LINE uintptr_t newest[TAKTB_WORDS_APART]; /* [0], the writer's: number of the newest value; 0: none */
};

/* Attributes of each value. */
struct takt_area_stamp {
    uint64_t time_ns; /* time of the write, by the writer's clock */
    uint32_t source;  /* its writer, where several may write into an area of a reader; otherwise 0 */
    uint32_t length;  /* valid bytes, at most the size of a value */
};

/* A slot; its value follows. */
struct takt_area_slot {
    uintptr_t number; /* number of the value; 0: it is being written */
    uintptr_t stamp[(sizeof(struct takt_area_stamp) + TAKT_WORD_SIZE - 1) / TAKT_WORD_SIZE];
};

#define TAKTR_AREA_STRIDE(size) \
    TAKT_LINES(sizeof(struct takt_area_slot) + ((size_t)(size) + TAKT_WORD_SIZE - 1) / TAKT_WORD_SIZE * TAKT_WORD_SIZE)

/* Bytes of the memory of an area of that shape. */
#define TAKT_AREA_BYTES(size, depth) (sizeof(struct takt_area_memory) + TAKTR_AREA_STRIDE(size) * (size_t)(depth))

/* The writer's side. */
struct takt_area {
    struct takt_area_memory *memory; /* private, as all fields */
    struct takt_area_shape shape;
    uintptr_t number; /* number of the newest value; never read from the memory */
};

/* A reader's side. */
struct takt_area_reader {
    const struct takt_area_memory *memory; /* private, except `lost` */
    struct takt_area_shape shape;          /* as it was when checked */
    uintptr_t taken;                       /* number of the value that was taken last */
    uint64_t lost;                         /* values that were overwritten before they were taken */
};

/* A value that was read. */
struct takt_area_value {
    uintptr_t number;
    struct takt_area_stamp stamp; /* length is at most the size of a value */
};

/*
 * Writer: initializes an area without values. `memory`: TAKT_AREA_BYTES(size, depth) bytes, aligned to TAKT_CACHE_LINE,
 * or to a word where that is 0. TAKT_LIMIT: the shape is invalid; nothing was written. O(bytes).
 */
TAKT_MUST_USE enum takt_status takt_area_init(struct takt_area *area, void *memory, struct takt_area_shape shape);

/*
 * Writer: writes the newest value. `stamp`: its length is that of the value, at most the size, otherwise TAKT_LIMIT and
 * nothing is written; bytes after it in the slot are unchanged. O(length).
 */
TAKT_MUST_USE enum takt_status takt_area_write(struct takt_area *area, const void *value,
                                               const struct takt_area_stamp *stamp);

/*
 * Reader: attaches to an area in memory of `bytes` bytes, from its next value on: earlier values are not taken.
 * TAKT_STATE: not an area of this version, not aligned, or longer than the memory. O(1).
 */
TAKT_MUST_USE enum takt_status takt_area_attach(struct takt_area_reader *reader, const void *memory, size_t bytes);

/* Reader: also takes the values that exist already, from the oldest on. O(1). */
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
 * Reader: copies the newest value to `to`, of the size of a value. TAKT_EMPTY: there is none. TAKT_OVERTAKEN: the
 * writer reused its slot in each of TAKT_AREA_TRIES attempts, so the depth is too small for the rate of writes. Only
 * then are `to` and `value` undefined. O(size * tries).
 */
TAKT_MUST_USE enum takt_status takt_area_read(const struct takt_area_reader *reader, void *to,
                                              struct takt_area_value *value);

/*
 * Reader: takes the oldest value that was not taken yet and is still stored. reader->lost counts the overwritten ones
 * before it, including a value that is overwritten during the copy. TAKT_EMPTY: all were taken. O(size * tries).
 */
TAKT_MUST_USE enum takt_status takt_area_take(struct takt_area_reader *reader, void *to, struct takt_area_value *value);

TAKT_C_END

#endif
