/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RING_H
#define TAKT_RING_H

#include <stdbool.h>
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
 * Lock-free ring buffer of seed 003, chapter IV: items of one size, FIFO, one producer and one consumer, neither of
 * which ever waits for the other. Each is one task, one interrupt, or one thread of the host. Several producers or
 * consumers need a ring each (takt_ring_group) or a lock of their own.
 *
 * The state of a slot precedes its item, in the same cache line when both fit in one (items up to 56 bytes), so an item
 * moves between cores with one line; producer and consumer share nothing else. Neither writes what the other owns: the
 * producer owns a free slot, the consumer a full one. Rationale: docs/decisions/0011-lock-free.md.
 *
 * `size`, everywhere: bytes of an item, > 0, the same in every call for a ring; a constant, so that the copy is inline.
 * Items of the caller are aligned to 4 when that is a multiple of 4. Context of every call: any. Blocks: never. Bounds
 * are O(size) where none is given.
 */

/* A slot in the storage: its item follows at offset TAKTI_RING_ITEM(size). */
struct takt_ring_slot {
    uintptr_t state; /* enum takti_ring_state, written by the owner that it implies */
};

/* State of a slot: below FULL the producer owns it, from FULL on the consumer. */
enum takti_ring_state { TAKTI_RING_FREE, TAKTI_RING_WRITING, TAKTI_RING_FULL, TAKTI_RING_READING };

/* Bytes from the beginning of a slot to its item, which is aligned to 8 when its size is a multiple of 8, to 4
 * otherwise. */
#define TAKTI_RING_ITEM(size) ((size) % 8 == 0 ? (size_t)8 : TAKT_WORD_SIZE)

/*
 * Bytes of a slot. With cache lines a small slot lies within one line, so its size is a quarter, a half or all of it.
 */
#define TAKTI_RING_PACKED(size) \
    ((TAKTI_RING_ITEM(size) + (size) + TAKTI_RING_ITEM(size) - 1) / TAKTI_RING_ITEM(size) * TAKTI_RING_ITEM(size))
#define TAKTI_RING_STRIDE(size)                                                      \
    ((size_t)(TAKTI_RING_PACKED(size) <= TAKT_CACHE_LINE / 4   ? TAKT_CACHE_LINE / 4 \
              : TAKTI_RING_PACKED(size) <= TAKT_CACHE_LINE / 2 ? TAKT_CACHE_LINE / 2 \
                                                               : TAKT_LINES(TAKTI_RING_PACKED(size))))

#if TAKT_PROCESSES
/*
 * Between processes this structure is constant, and no process can write it. The variables of both sides are in the
 * storage, before the slots. A malicious process can write any value there: a number that is no slot's is taken for 0,
 * and every value of a state implies an owner of the slot.
 */
struct takt_ring {
    struct takt_ring_ends *ends; /* private, as all fields: at the beginning of the storage */
    size_t capacity;
    size_t size;
};
struct takt_ring_ends {
    uintptr_t in[TAKTB_WORDS_APART];  /* [0], the producer's: number of the slot of the next item */
    uintptr_t out[TAKTB_WORDS_APART]; /* [0], the consumer's: number of the slot of the oldest item */
};

/* Bytes of storage of a ring. */
#define TAKT_RING_BYTES(size, capacity) (sizeof(struct takt_ring_ends) + TAKTI_RING_STRIDE(size) * (capacity))

#define TAKTI_RING_OF(slots, item_size, item_capacity)                                             \
    {                                                                                              \
        .ends = (struct takt_ring_ends *)(slots), .capacity = (item_capacity), .size = (item_size) \
    }

static inline uintptr_t takti_ring_number(const struct takt_ring *ring, const uintptr_t *end)
{
    uintptr_t number = takt_word_load(end);
    return number < ring->capacity ? number : 0;
}

static inline struct takt_ring_slot *takti_ring_at(const struct takt_ring *ring, const uintptr_t *end, size_t size)
{
    char *slots = (char *)(ring->ends + 1);
    return (struct takt_ring_slot *)(slots + takti_ring_number(ring, end) * TAKTI_RING_STRIDE(size));
}

static inline void takti_ring_advance(const struct takt_ring *ring, uintptr_t *end)
{
    uintptr_t next = takti_ring_number(ring, end) + 1;
    takt_word_store(end, next == ring->capacity ? 0 : next);
}

#define TAKTI_RING_IN(ring, size) takti_ring_at(ring, (ring)->ends->in, size)
#define TAKTI_RING_OUT(ring, size) takti_ring_at(ring, (ring)->ends->out, size)
#define TAKTI_RING_ADVANCE(ring, end, slot, size) ((void)(size), takti_ring_advance(ring, (ring)->ends->end))
#define TAKTI_RING_STATE_IS(slot, expected) true /* the other side may write anything: not the caller's mistake */
#else
struct takt_ring {
    TAKT_OWN_LINE struct takt_ring_slot *in;    /* private: the producer's; slot of the next item */
    TAKT_OWN_LINE struct takt_ring_slot *out;   /* private: the consumer's; slot of the oldest item */
    TAKT_OWN_LINE struct takt_ring_slot *first; /* private: constant, as the fields after it */
    struct takt_ring_slot *end;
    size_t size;
};

/* Bytes of storage of a ring. */
#define TAKT_RING_BYTES(size, capacity) (TAKTI_RING_STRIDE(size) * (capacity))

#define TAKTI_RING_OF(slots, item_size, capacity)                                                                  \
    {                                                                                                              \
        .in = (slots), .out = (slots), .first = (slots),                                                           \
        .end = (slots) + TAKT_RING_BYTES(item_size, capacity) / sizeof(struct takt_ring_slot), .size = (item_size) \
    }

static inline struct takt_ring_slot *takti_ring_next(const struct takt_ring *ring, struct takt_ring_slot *slot,
                                                     size_t size)
{
    struct takt_ring_slot *next = (struct takt_ring_slot *)((char *)slot + TAKTI_RING_STRIDE(size));
    return next == ring->end ? ring->first : next;
}

#define TAKTI_RING_IN(ring, size) ((ring)->in)
#define TAKTI_RING_OUT(ring, size) ((ring)->out)
#define TAKTI_RING_ADVANCE(ring, end, slot, size) ((void)((ring)->end = takti_ring_next(ring, slot, size)))
#define TAKTI_RING_STATE_IS(slot, expected) (takt_word_load(&(slot)->state) == (expected))
#endif

/* Defines an empty ring for `capacity` > 0 items, with its storage. */
#define TAKTI_RING_STORAGE(name, item_size, capacity) \
    TAKT_ALIGNAS(8)                                   \
    TAKT_OWN_LINE struct takt_ring_slot               \
        name##_storage[TAKT_RING_BYTES(item_size, capacity) / sizeof(struct takt_ring_slot)]
#define TAKT_RING_DEFINE(name, item_size, capacity)       \
    static TAKTI_RING_STORAGE(name, item_size, capacity); \
    struct takt_ring name = TAKTI_RING_OF(name##_storage, item_size, capacity)

/*
 * Initializes an empty ring. `storage`: TAKT_RING_BYTES(size, capacity) bytes, aligned to 8, better to TAKT_CACHE_LINE;
 * the caller's again when the ring is no longer used. Context: any, while it is not in use. Blocks: never. O(capacity).
 */
static inline void takt_ring_init(struct takt_ring *ring, void *storage, size_t size, size_t capacity)
{
    struct takt_ring_slot *slots = (struct takt_ring_slot *)storage;
    TAKT_ASSERT(size > 0 && capacity > 0 && (uintptr_t)storage % 8 == 0);
    memset(storage, 0, TAKT_RING_BYTES(size, capacity)); /* TAKTI_RING_FREE */
    *ring = (struct takt_ring)TAKTI_RING_OF(slots, size, capacity);
}

/* Status for the producer at a slot that is not free, and for the consumer at one that is not full. */
static inline enum takt_status takti_ring_full(uintptr_t state)
{
    return state == TAKTI_RING_FULL ? TAKT_FULL : TAKT_FULL_BUT_READING;
}

static inline enum takt_status takti_ring_empty(uintptr_t state)
{
    return state == TAKTI_RING_FREE ? TAKT_EMPTY : TAKT_EMPTY_BUT_WRITING;
}

/* Marks a slot as being written or read by its owner. Returns the item. */
static inline void *takti_ring_begin(struct takt_ring_slot *slot, enum takti_ring_state state, size_t size)
{
    takt_word_store(&slot->state, state);
    return (char *)slot + TAKTI_RING_ITEM(size);
}

/* Commits a complete item. Release; partner: the consumer's acquire of the state. */
static inline void takti_ring_commit(struct takt_ring *ring, struct takt_ring_slot *slot, size_t size)
{
    takt_word_release(&slot->state, TAKTI_RING_FULL);
    TAKTI_RING_ADVANCE(ring, in, slot, size);
}

/* Frees the slot. Release, after the reads of the item; partner: the producer's acquire of the state, before its
 * writes. */
static inline void takti_ring_release(struct takt_ring *ring, struct takt_ring_slot *slot, size_t size)
{
    takt_word_release(&slot->state, TAKTI_RING_FREE);
    TAKTI_RING_ADVANCE(ring, out, slot, size);
}

/*
 * Producer: reserves a slot, to write an item in place at *item; the consumer does not see it before the commit.
 * TAKT_FULL; TAKT_FULL_BUT_READING: the consumer is about to free the slot. A second reserve returns the same slot.
 * O(1).
 */
TAKT_MUST_USE static inline enum takt_status takt_ring_reserve(struct takt_ring *ring, size_t size, void **item)
{
    struct takt_ring_slot *slot = TAKTI_RING_IN(ring, size);
    uintptr_t state = takt_word_acquire(&slot->state);
    TAKT_ASSERT(size == ring->size);
    if (state >= TAKTI_RING_FULL) {
        return takti_ring_full(state);
    }
    *item = takti_ring_begin(slot, TAKTI_RING_WRITING, size);
    return TAKT_OK;
}

/* Producer: commits the reserved slot as the newest item. Only after a reserve that returned TAKT_OK. O(1). */
static inline void takt_ring_commit(struct takt_ring *ring, size_t size)
{
    struct takt_ring_slot *slot = TAKTI_RING_IN(ring, size);
    TAKT_ASSERT(size == ring->size && TAKTI_RING_STATE_IS(slot, TAKTI_RING_WRITING));
    takti_ring_commit(ring, slot, size);
}

/*
 * Consumer: takes the oldest item, to read it in place at *item until the release. TAKT_EMPTY; TAKT_EMPTY_BUT_WRITING:
 * the producer is about to commit an item. A second take returns the same item. O(1).
 */
TAKT_MUST_USE static inline enum takt_status takt_ring_take(struct takt_ring *ring, size_t size, void **item)
{
    struct takt_ring_slot *slot = TAKTI_RING_OUT(ring, size);
    uintptr_t state = takt_word_acquire(&slot->state);
    TAKT_ASSERT(size == ring->size);
    if (state < TAKTI_RING_FULL) {
        return takti_ring_empty(state);
    }
    *item = takti_ring_begin(slot, TAKTI_RING_READING, size);
    return TAKT_OK;
}

/* Consumer: removes the taken item and frees its slot. Only after a take that returned TAKT_OK. O(1). */
static inline void takt_ring_release(struct takt_ring *ring, size_t size)
{
    struct takt_ring_slot *slot = TAKTI_RING_OUT(ring, size);
    TAKT_ASSERT(size == ring->size && TAKTI_RING_STATE_IS(slot, TAKTI_RING_READING));
    takti_ring_release(ring, slot, size);
}

/* Producer: copies `item` into the ring. Statuses as for reserve; then nothing was stored. */
TAKT_MUST_USE static inline enum takt_status takt_ring_put(struct takt_ring *ring, const void *item, size_t size)
{
    struct takt_ring_slot *slot = TAKTI_RING_IN(ring, size);
    uintptr_t state = takt_word_acquire(&slot->state);
    TAKT_ASSERT(size == ring->size);
    if (state >= TAKTI_RING_FULL) {
        return takti_ring_full(state);
    }
    takt_copy(takti_ring_begin(slot, TAKTI_RING_WRITING, size), item, size);
    takti_ring_commit(ring, slot, size);
    return TAKT_OK;
}

/* Consumer: moves the oldest item to `item`. Statuses as for take; then `item` is unchanged. */
TAKT_MUST_USE static inline enum takt_status takt_ring_get(struct takt_ring *ring, void *item, size_t size)
{
    struct takt_ring_slot *slot = TAKTI_RING_OUT(ring, size);
    uintptr_t state = takt_word_acquire(&slot->state);
    TAKT_ASSERT(size == ring->size);
    if (state < TAKTI_RING_FULL) {
        return takti_ring_empty(state);
    }
    takt_copy(item, takti_ring_begin(slot, TAKTI_RING_READING, size), size);
    takti_ring_release(ring, slot, size);
    return TAKT_OK;
}

/* Producer: stores as many of `count` items as there are free slots. Returns their number. O(size * count). */
TAKT_MUST_USE static inline size_t takt_ring_put_many(struct takt_ring *ring, const void *items, size_t size,
                                                      size_t count)
{
    size_t done = 0;
    while (done < count && takt_ring_put(ring, (const char *)items + done * size, size) == TAKT_OK) {
        done++;
    }
    return done;
}

/* Consumer: moves up to `count` of the oldest items, in order. Returns their number. O(size * count). */
TAKT_MUST_USE static inline size_t takt_ring_get_many(struct takt_ring *ring, void *items, size_t size, size_t count)
{
    size_t done = 0;
    while (done < count && takt_ring_get(ring, (char *)items + done * size, size) == TAKT_OK) {
        done++;
    }
    return done;
}

/*
 * Retry policy of a caller after a refusal, by its status (seed 003, 4.3): up to `tries` retries, each after a call of
 * `again`, which may spin, yield or delay, and ends them by returning false. Without `again` the caller spins, which
 * helps only if the other side runs on another core: a preempted task makes no progress.
 */
struct takt_ring_retry {
    uint32_t tries;                      /* largest number of retries; 0: none */
    bool (*again)(enum takt_status why); /* NULL: spin */
};

/* Whether to retry after `tries` retries. */
static inline bool takti_ring_again(const struct takt_ring_retry *retry, uint32_t tries, enum takt_status why)
{
    return tries < retry->tries && (retry->again == NULL || retry->again(why));
}

/* As takt_ring_put, with retries. Returns the last status. Context: any, if retry->again may. Blocks: as retry->again
 * does. O((size + again) * tries). */
TAKT_MUST_USE static inline enum takt_status takt_ring_put_retry(struct takt_ring *ring, const void *item, size_t size,
                                                                 const struct takt_ring_retry *retry)
{
    enum takt_status status = takt_ring_put(ring, item, size);
    for (uint32_t tries = 0; status != TAKT_OK && takti_ring_again(retry, tries, status); tries++) {
        status = takt_ring_put(ring, item, size);
    }
    return status;
}

/* As takt_ring_get, with retries as in put_retry. Context: any, if retry->again may. Blocks: as retry->again does. */
TAKT_MUST_USE static inline enum takt_status takt_ring_get_retry(struct takt_ring *ring, void *item, size_t size,
                                                                 const struct takt_ring_retry *retry)
{
    enum takt_status status = takt_ring_get(ring, item, size);
    for (uint32_t tries = 0; status != TAKT_OK && takti_ring_again(retry, tries, status); tries++) {
        status = takt_ring_get(ring, item, size);
    }
    return status;
}

/*
 * Many producers, one consumer: a ring for each producer, read round robin. FIFO per producer; no order among
 * producers, but the next item of one waits for at most one item of each other.
 */
struct takt_ring_group {
    struct takt_ring *const *rings; /* `count` rings, of one item size */
    uint16_t count;                 /* > 0 */
    uint16_t next;                  /* private: the consumer's; the ring to try first */
};

#define TAKT_RING_GROUP_DEFINE(name, ring_table, ring_count) \
    struct takt_ring_group name = {.rings = (ring_table), .count = (ring_count)}

/*
 * takt_ring_get from the next ring that has an item; writes its index to *from, if not NULL. TAKT_EMPTY: all are empty;
 * TAKT_EMPTY_BUT_WRITING: all are empty, and a producer is about to commit an item. O(count + size).
 */
TAKT_MUST_USE static inline enum takt_status takt_ring_group_get(struct takt_ring_group *group, void *item, size_t size,
                                                                 unsigned *from)
{
    enum takt_status status = TAKT_EMPTY;
    for (unsigned tried = 0; tried < group->count; tried++) {
        unsigned number = group->next;
        enum takt_status said = takt_ring_get(group->rings[number], item, size);
        group->next = (uint16_t)(number + 1u == group->count ? 0 : number + 1u);
        if (said == TAKT_OK) {
            if (from != NULL) {
                *from = number;
            }
            return TAKT_OK;
        }
        status = said > status ? said : status;
    }
    return status;
}

TAKT_C_END

#endif
