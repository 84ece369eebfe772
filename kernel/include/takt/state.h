/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_STATE_H
#define TAKT_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/dialect.h"
#include "base/status.h"
#include "base/word.h"
#include "takt/fault.h"
#include "takt/protection.h"

TAKT_C_BEGIN

/*
 * State message: the latest value of a variable, with one writer and any number of readers, none of which ever waits or
 * retries. A write replaces the message, a read does not consume it. Seed 000, 3.4.2.
 *
 * A message that fits a machine word is stored in one. A longer message is written into the next of `depth` copies in
 * turn, which then becomes the newest; a read copies the newest. No read is overtaken if depth >= max(2, x + 1), where
 * x is the largest number of writes that overlap one read (docs/decisions/0011-lock-free.md derives x from periods and
 * deadlines). If the declared timing is violated, the mark of each copy reveals it: TAKT_OVERTAKEN instead of a torn
 * message.
 *
 * `size`, everywhere: bytes of a message, > 0, the same in every call for a state message; a constant, so that the copy
 * is inline. Messages of the caller are aligned to 4 when that is a multiple of 4. Context of every call: any. Blocks:
 * never. O(size). Before the first write a message is all zeros.
 */

/*
 * A copy in the storage: its message follows. The low 8 bits of a mark are the number of the copy, the others count the
 * writer's rounds. A write marks its copy before it changes it; so a copy was read whole if its mark after the read is
 * the newest mark from before it. On 32 bits that fails only if the writer makes a multiple of 2^24 rounds during one
 * read.
 */
struct takt_state_copy {
    uintptr_t mark;
};

enum { TAKTI_STATE_DEPTH_MAX = 256 };

/* Whether a message is stored in one word. */
#define TAKTI_STATE_FITS(size) ((size) <= TAKT_WORD_SIZE)

/* Bytes of a copy. Copies share no cache line. */
#define TAKTI_STATE_STRIDE(size) \
    TAKT_LINES(TAKT_WORD_SIZE + ((size) + TAKT_WORD_SIZE - 1) / TAKT_WORD_SIZE * TAKT_WORD_SIZE)

#if TAKT_PROCESSES
/*
 * Between processes this structure is constant, and no process can write it. The writer's variable is in the storage,
 * before the copies, and a faulty writer may store anything there: a reader treats a number that is no copy's as an
 * overtaken message.
 */
struct takt_state {
    struct takt_state_newest *storage; /* private, as all fields */
    size_t depth;
    size_t size;
};
struct takt_state_newest {
    uintptr_t newest[TAKTB_WORDS_APART]; /* [0], the writer's: the message, if it fits a word, or its mark */
};

/* Bytes of storage of a state message. */
#define TAKT_STATE_BYTES(size, depth) \
    (sizeof(struct takt_state_newest) + (TAKTI_STATE_FITS(size) ? 0 : TAKTI_STATE_STRIDE(size) * (depth)))

#define TAKTI_STATE_OF(copies, message_size, message_depth)                                               \
    {                                                                                                     \
        .storage = (struct takt_state_newest *)(copies), .depth = (message_depth), .size = (message_size) \
    }

#define TAKTI_STATE_NEWEST(state) ((state)->storage->newest[0])
#define TAKTI_STATE_FIRST(state) ((struct takt_state_copy *)((state)->storage + 1))
#define TAKTI_STATE_DEPTH(state) ((state)->depth)

/* The copy after the newest one. */
static inline struct takt_state_copy *takti_state_in(const struct takt_state *state, size_t size)
{
    uintptr_t next = takt_word_load(state->storage->newest) % TAKTI_STATE_DEPTH_MAX + 1;
    return TAKTI_STATE_FIRST(state) + (next < state->depth ? next * (TAKTI_STATE_STRIDE(size) / TAKT_WORD_SIZE) : 0);
}

#define TAKTI_STATE_IN_SET(state, copy, size) ((void)(copy))
#define TAKTI_STATE_HAS(state, number) ((number) < (state)->depth)
#else
struct takt_state {
    TAKT_OWN_LINE uintptr_t newest;           /* private: the writer's. The message, if it fits a word, or its mark */
    TAKT_OWN_LINE struct takt_state_copy *in; /* private: the writer's; the copy for the next message */
    struct takt_state_copy *first;            /* private: constant, as the fields after it */
    struct takt_state_copy *end;
    size_t size;
};

/* Bytes of storage of a state message. */
#define TAKT_STATE_BYTES(size, depth) (TAKTI_STATE_FITS(size) ? TAKT_WORD_SIZE : TAKTI_STATE_STRIDE(size) * (depth))

#define TAKTI_STATE_OF(copies, message_size, depth)                                                                 \
    {                                                                                                               \
        .in = (copies) + (TAKTI_STATE_FITS(message_size) ? 0 : TAKT_STATE_BYTES(message_size, 1) / TAKT_WORD_SIZE), \
        .first = (copies), .end = (copies) + TAKT_STATE_BYTES(message_size, depth) / TAKT_WORD_SIZE,                \
        .size = (message_size)                                                                                      \
    }

#define TAKTI_STATE_NEWEST(state) ((state)->newest)
#define TAKTI_STATE_FIRST(state) ((state)->first)
#define TAKTI_STATE_DEPTH(state) \
    ((size_t)((state)->end - (state)->first) * TAKT_WORD_SIZE / TAKTI_STATE_STRIDE((state)->size))

static inline struct takt_state_copy *takti_state_in(const struct takt_state *state, size_t size)
{
    (void)size;
    return state->in;
}

static inline void takti_state_in_set(struct takt_state *state, struct takt_state_copy *copy, size_t size)
{
    struct takt_state_copy *next = copy + TAKTI_STATE_STRIDE(size) / TAKT_WORD_SIZE;
    state->in = next == state->end ? state->first : next;
}

#define TAKTI_STATE_IN_SET(state, copy, size) takti_state_in_set(state, copy, size)
#define TAKTI_STATE_HAS(state, number) 1 /* only the writer writes it */
#endif

/* Defines a state message with its storage. 2 <= `depth` <= 256; not used when a message fits a word. */
#define TAKTI_STATE_STORAGE(name, message_size, depth) \
    TAKT_OWN_LINE struct takt_state_copy               \
        name##_storage[TAKT_STATE_BYTES(message_size, depth) / sizeof(struct takt_state_copy)]
#define TAKT_STATE_DEFINE(name, message_size, depth)       \
    static TAKTI_STATE_STORAGE(name, message_size, depth); \
    struct takt_state name = TAKTI_STATE_OF(name##_storage, message_size, depth)

/*
 * Initializes a state message. `storage`: TAKT_STATE_BYTES(size, depth) bytes, aligned to a word, better to
 * TAKT_CACHE_LINE; the caller's again when the message is no longer used. Context: any, while it is not in use. Blocks:
 * never. O(size * depth).
 */
static inline void takt_state_init(struct takt_state *state, void *storage, size_t size, size_t depth)
{
    struct takt_state_copy *copies = (struct takt_state_copy *)storage;
    TAKT_ASSERT(size > 0 && depth >= 2 && depth <= TAKTI_STATE_DEPTH_MAX && (uintptr_t)storage % TAKT_WORD_SIZE == 0);
    memset(storage, 0, TAKT_STATE_BYTES(size, depth));
    *state = (struct takt_state)TAKTI_STATE_OF(copies, size, depth); /* the newest is all zeros, or the first copy */
}

/* Writer: replaces the message. */
static inline void takt_state_write(struct takt_state *state, const void *message, size_t size)
{
    TAKT_ASSERT(size == state->size);
    if (TAKTI_STATE_FITS(size)) {
        uintptr_t word = 0;
        takt_copy(&word, message, size);
        takt_word_store(&TAKTI_STATE_NEWEST(state), word);
        return;
    }
    struct takt_state_copy *copy = takti_state_in(state, size);
    uintptr_t newest = TAKTI_STATE_NEWEST(state);
    uintptr_t mark = (copy == TAKTI_STATE_FIRST(state) ? newest | (TAKTI_STATE_DEPTH_MAX - 1) : newest) + 1;
    takt_word_store(&copy->mark, mark);
    takt_word_fence_release(); /* a reader that reads any of this message also reads the mark. Partner: fence in
                                  takt_state_read */
    takt_words_write((uintptr_t *)(copy + 1), message, size);
    takt_word_release(&TAKTI_STATE_NEWEST(state), mark); /* partner: the acquire in takt_state_read */
    TAKTI_STATE_IN_SET(state, copy, size);
}

/*
 * Any reader: copies the newest message. TAKT_OVERTAKEN: the writer reused the copy during the read, so the depth is
 * too small for the actual timing; the contents of `message` are then undefined. Another read may succeed.
 */
TAKT_MUST_USE static inline enum takt_status takt_state_read(const struct takt_state *state, void *message, size_t size)
{
    TAKT_ASSERT(size == state->size);
    uintptr_t newest = takt_word_acquire(&TAKTI_STATE_NEWEST(state));
    if (TAKTI_STATE_FITS(size)) {
        takt_copy(message, &newest, size);
        return TAKT_OK;
    }
    if (!TAKTI_STATE_HAS(state, newest % TAKTI_STATE_DEPTH_MAX)) {
        return TAKT_OVERTAKEN;
    }
    const struct takt_state_copy *copy =
        TAKTI_STATE_FIRST(state) + newest % TAKTI_STATE_DEPTH_MAX * (TAKTI_STATE_STRIDE(size) / TAKT_WORD_SIZE);
    takt_words_read(message, (const uintptr_t *)(copy + 1), size);
    takt_word_fence_acquire(); /* partner: fence in takt_state_write */
    return takt_word_load(&copy->mark) == newest ? TAKT_OK : TAKT_OVERTAKEN;
}

/*
 * As takt_state_read with the kernel locked, for a slow reader: the writer, a task or an interrupt that may call the
 * kernel, cannot run meanwhile, so a reader that is preempted for long needs no larger depth. TAKT_OVERTAKEN: the
 * writer is neither. Context: any. Blocks: never. O(size), locked.
 */
TAKT_MUST_USE enum takt_status takt_state_read_locked(const struct takt_state *state, void *message, size_t size);

TAKT_C_END

#endif
