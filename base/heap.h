/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_HEAP_H
#define TAKT_BASE_HEAP_H

/*
 * A heap: blocks of any size in one piece of memory, each call in bounded time, without a loop. Two-level segregated
 * fit (Masmano, Ripoll, Crespo and Real, "TLSF: a New Dynamic Memory Allocator for Real-Time Systems", ECRTS 2004):
 * free blocks are in a list for each class of sizes, a bit says which lists have one, and neighbours that are free are
 * joined at once.
 *
 * All of it is in that memory, which may be damaged, or belong to a process that wants to lead the kernel astray: links
 * are offsets, and each is checked before it is followed. So a call reads and writes nothing outside of the memory,
 * whatever it finds there. Memory that is zero is an empty heap.
 */
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/* `memory`: aligned to TAKTB_HEAP_ALIGNMENT. `size`: TAKTB_HEAP_SIZE_MIN to TAKTB_HEAP_SIZE_MAX. */
struct taktb_heap {
    uint8_t *memory;
    uint32_t size;
};

enum {
    TAKTB_HEAP_ALIGNMENT = 8,
    TAKTB_HEAP_HEAD = 8, /* bytes of a block that the caller does not have */
    TAKTB_HEAP_SIZE_MIN = 512,
    TAKTB_HEAP_SIZE_MAX = 1 << 28
};

/* DAMAGED: a block that is no block of the heap or is free already, or a header or a link that was overwritten. */
enum taktb_heap_result { TAKTB_HEAP_OK, TAKTB_HEAP_FULL, TAKTB_HEAP_DAMAGED };

/* Takes a block of `size` bytes at a multiple of `alignment`, a power of two, and writes its offset. O(1). */
enum taktb_heap_result taktb_heap_take(const struct taktb_heap *heap, uint32_t size, uint32_t alignment,
                                       uint32_t *block);

/* Gives a block back. O(1). */
enum taktb_heap_result taktb_heap_give(const struct taktb_heap *heap, uint32_t block);

/* Makes a block smaller, or larger where the memory behind it is free; FULL: it is as it was. O(1). */
enum taktb_heap_result taktb_heap_resize(const struct taktb_heap *heap, uint32_t block, uint32_t size);

/* Bytes of a block, which may be more than were asked for; 0: it is none. O(1). */
uint32_t taktb_heap_block_size(const struct taktb_heap *heap, uint32_t block);

/* The same of a block that is known to be one, by its address. */
static inline uint32_t taktb_heap_usable(const void *block)
{
    const uint32_t *head = (const uint32_t *)block - TAKTB_HEAP_HEAD / sizeof(uint32_t);
    return *head / TAKTB_HEAP_ALIGNMENT * TAKTB_HEAP_ALIGNMENT - TAKTB_HEAP_HEAD;
}

/* Bytes that are in no block, with the heads that they would need, now and at the least so far. O(1). */
struct taktb_heap_room {
    uint32_t now;
    uint32_t least;
};
struct taktb_heap_room taktb_heap_room(const struct taktb_heap *heap);

TAKT_C_END

#endif
