/* SPDX-License-Identifier: Apache-2.0 */
#include "base/heap.h"

#include <stdbool.h>

#include "base/bitmap.h"

/*
 * Classes: sizes below SMALL are 8 bytes apart, and each power of two above is divided into CLASSES. A block of a class
 * may be smaller than a request that belongs there, so a request looks from the next class on, and last at the first
 * block of its own.
 *
 * Memory: struct control; then blocks without gaps, each with its size and the offset of the one before; at the end the
 * head of a block of no size that is never free.
 */
enum { CLASSES = 8, CLASSES_LOG2 = 3, SMALL = 64, SMALL_LOG2 = 6, LEVELS_MAX = 24, USED = 1, LEAST = 16 };

#define READY UINT32_C(0x544B4850)

struct control {
    uint32_t ready;      /* READY, once it was set up */
    uint32_t free;       /* bytes of free blocks */
    uint32_t free_least; /* so far */
    uint32_t levels;     /* bit n: a class of level n has a block */
    uint8_t classes[LEVELS_MAX];
    uint32_t first[][CLASSES]; /* of the list of each class; 0: it is empty */
};

struct block {
    uint32_t size;     /* with its head, a multiple of 8; USED */
    uint32_t previous; /* the block before it; 0: it is the first */
    uint32_t next;     /* in the list of its class, as the next: of a free block alone */
    uint32_t back;
};

struct class
{
    unsigned level;
    unsigned index;
};

static inline struct control *control(const struct taktb_heap *heap)
{
    return (struct control *)(void *)heap->memory;
}

static inline struct block *at(const struct taktb_heap *heap, uint32_t block)
{
    return (struct block *)(void *)(heap->memory + block);
}

/* The highest set bit of a word that is not 0. */
static inline unsigned highest(uint32_t word)
{
    if (!TAKT_BITMAP_UPWARDS) {
        return 31u - (unsigned)__builtin_clz(word);
    }
    unsigned found = (unsigned)(word > UINT16_MAX) << 4; /* without a branch: all words take the same time */
    word >>= found;
    unsigned step = (unsigned)(word > UINT8_MAX) << 3;
    word >>= step;
    found |= step;
    step = (unsigned)(word > 15u) << 2;
    word >>= step;
    found |= step;
    step = (unsigned)(word > 3u) << 1;
    word >>= step;
    return found | step | word >> 1;
}

static inline struct class class_of(uint32_t size)
{
    if (size < SMALL) {
        return (struct class){0, size / TAKTB_HEAP_ALIGNMENT};
    }
    unsigned log2 = highest(size);
    return (struct class){log2 - SMALL_LOG2 + 1, size >> (log2 - CLASSES_LOG2) & (CLASSES - 1u)};
}

static inline unsigned levels_of(const struct taktb_heap *heap)
{
    return class_of(heap->size).level + 1;
}

static inline uint32_t first_block(const struct taktb_heap *heap)
{
    return (uint32_t)(sizeof(struct control) + levels_of(heap) * CLASSES * sizeof(uint32_t));
}

/* Behind the last block. */
static inline uint32_t end_of(const struct taktb_heap *heap)
{
    return (heap->size & ~(TAKTB_HEAP_ALIGNMENT - 1u)) - TAKTB_HEAP_HEAD;
}

/* Whether the head and the links of a block could be there. */
static inline bool is_inside(const struct taktb_heap *heap, uint32_t block)
{
    return block % TAKTB_HEAP_ALIGNMENT == 0 && block >= first_block(heap) && block <= end_of(heap) - LEAST;
}

/* Whether `size` may be that of a block, which the next one agrees with. */
static inline bool is_whole(const struct taktb_heap *heap, uint32_t block, uint32_t size)
{
    return size % TAKTB_HEAP_ALIGNMENT == 0 && size >= LEAST && size <= end_of(heap) - block &&
           at(heap, block + size)->previous == block;
}

/* Adds a free block to the list of its class. */
static bool insert(const struct taktb_heap *heap, uint32_t block, uint32_t size)
{
    struct control *all = control(heap);
    struct class class = class_of(size);
    uint32_t *first = &all->first[class.level][class.index];
    if (*first != 0) {
        if (!is_inside(heap, *first)) {
            return false;
        }
        at(heap, *first)->back = block;
    }
    at(heap, block)->size = size;
    at(heap, block)->next = *first;
    at(heap, block)->back = 0;
    *first = block;
    all->classes[class.level] |= (uint8_t)(1u << class.index);
    all->levels |= UINT32_C(1) << class.level;
    return true;
}

/* Takes a free block, which is whole, from its list. */
static bool detach(const struct taktb_heap *heap, uint32_t block, uint32_t size)
{
    struct control *all = control(heap);
    struct class class = class_of(size);
    uint32_t *first = &all->first[class.level][class.index];
    uint32_t next = at(heap, block)->next;
    uint32_t back = at(heap, block)->back;
    if (next != 0 && (!is_inside(heap, next) || at(heap, next)->back != block)) {
        return false;
    }
    if (back != 0 ? !is_inside(heap, back) || at(heap, back)->next != block : *first != block) {
        return false;
    }
    if (next != 0) {
        at(heap, next)->back = back;
    }
    if (back != 0) {
        at(heap, back)->next = next;
    } else {
        *first = next;
    }
    if (*first == 0) {
        all->classes[class.level] &= (uint8_t) ~(1u << class.index);
        if (all->classes[class.level] == 0) {
            all->levels &= ~(UINT32_C(1) << class.level);
        }
    }
    return true;
}

/* At the first call. False: something else is there than a heap. */
static bool set_up(const struct taktb_heap *heap)
{
    if (control(heap)->ready != 0) {
        return control(heap)->ready == READY;
    }
    uint32_t first = first_block(heap);
    uint32_t size = end_of(heap) - first;
    *control(heap) = (struct control){.ready = READY, .free = size, .free_least = size};
    at(heap, first)->previous = 0;
    at(heap, first + size)->size = USED;
    at(heap, first + size)->previous = first;
    struct class class = class_of(size);
    control(heap)->first[class.level][class.index] = 0;
    return insert(heap, first, size);
}

/* A free block of at least `size` bytes; 0: there is none, or what was found is no block. */
static uint32_t find(const struct taktb_heap *heap, uint32_t size)
{
    const struct control *all = control(heap);
    struct class own = class_of(size);
    uint32_t beyond = own.level == 0 ? 0 : (UINT32_C(1) << (own.level + SMALL_LOG2 - 1 - CLASSES_LOG2)) - 8;
    struct class class = class_of(size + beyond);
    if (class.level < levels_of(heap)) {
        uint32_t classes = all->classes[class.level] & (UINT32_MAX << class.index);
        if (classes == 0) {
            uint32_t levels = all->levels & (UINT32_MAX << class.level << 1);
            class.level = levels == 0 ? LEVELS_MAX : takt_bitmap_lowest(levels);
            classes = class.level < levels_of(heap) ? all->classes[class.level] : 0;
        }
        if (classes != 0) {
            return all->first[class.level][takt_bitmap_lowest(classes)];
        }
    }
    uint32_t first = all->first[own.level][own.index];
    return is_inside(heap, first) && at(heap, first)->size >= size ? first : 0;
}

/* Bytes of a block for `size` of the caller's, with its head; 0: more than any heap has. */
static inline uint32_t block_bytes(uint32_t size)
{
    if (size > TAKTB_HEAP_SIZE_MAX) {
        return 0;
    }
    uint32_t bytes = (size + TAKTB_HEAP_HEAD + TAKTB_HEAP_ALIGNMENT - 1u) & ~(TAKTB_HEAP_ALIGNMENT - 1u);
    return bytes < LEAST ? LEAST : bytes;
}

static inline void count(const struct taktb_heap *heap, uint32_t taken, uint32_t given)
{
    struct control *all = control(heap);
    all->free += given - taken;
    if (all->free < all->free_least) {
        all->free_least = all->free;
    }
}

/* Of a block that is in no list: what is beyond `bytes` is a free block, if it is large enough. */
static bool cut(const struct taktb_heap *heap, uint32_t block, uint32_t size, uint32_t bytes)
{
    uint32_t rest = size - bytes;
    if (rest < LEAST) {
        at(heap, block)->size = size | USED;
        at(heap, block + size)->previous = block;
        count(heap, size, 0);
        return true;
    }
    at(heap, block)->size = bytes | USED;
    at(heap, block + bytes)->previous = block;
    at(heap, block + size)->previous = block + bytes;
    count(heap, bytes, 0);
    return insert(heap, block + bytes, rest);
}

enum taktb_heap_result taktb_heap_take(const struct taktb_heap *heap, uint32_t size, uint32_t alignment,
                                       uint32_t *block)
{
    uint32_t bytes = block_bytes(size);
    if (!set_up(heap)) {
        return TAKTB_HEAP_DAMAGED;
    }
    bool aligned = alignment > TAKTB_HEAP_ALIGNMENT; /* what is before the block must be none, or a block */
    uint32_t wanted = aligned ? bytes + alignment + TAKTB_HEAP_ALIGNMENT : bytes;
    if (bytes == 0 || alignment > TAKTB_HEAP_SIZE_MAX || wanted > heap->size) {
        return TAKTB_HEAP_FULL;
    }
    uint32_t found = find(heap, wanted);
    if (found == 0) {
        return TAKTB_HEAP_FULL;
    }
    uint32_t whole = is_inside(heap, found) ? at(heap, found)->size : 0;
    if (whole < wanted || !is_whole(heap, found, whole) || !detach(heap, found, whole)) {
        return TAKTB_HEAP_DAMAGED;
    }
    if (aligned) {
        uintptr_t address = (uintptr_t)at(heap, found) + TAKTB_HEAP_HEAD;
        uint32_t gap = (uint32_t)(0u - address) & (alignment - 1u);
        gap += gap == TAKTB_HEAP_ALIGNMENT ? alignment : 0;
        if (gap != 0) {
            at(heap, found + gap)->previous = found;
            if (!insert(heap, found, gap)) {
                return TAKTB_HEAP_DAMAGED;
            }
            found += gap;
            whole -= gap;
        }
    }
    *block = found + TAKTB_HEAP_HEAD;
    return cut(heap, found, whole, bytes) ? TAKTB_HEAP_OK : TAKTB_HEAP_DAMAGED;
}

/* The size of the block that the caller names, if it is one in use; otherwise 0. */
static uint32_t used_size(const struct taktb_heap *heap, uint32_t block)
{
    if (!is_inside(heap, block) || control(heap)->ready != READY) {
        return 0;
    }
    uint32_t size = at(heap, block)->size ^ USED;
    uint32_t previous = at(heap, block)->previous;
    if (!is_whole(heap, block, size)) {
        return 0;
    }
    if (block == first_block(heap)) {
        return previous == 0 ? size : 0;
    }
    bool agree = is_inside(heap, previous) && previous + (at(heap, previous)->size & ~(uint32_t)USED) == block;
    return agree ? size : 0;
}

/* The size of the block at `block` if it is free, and then leaves its list; 0: it is in use. False: it is no block that
 * could be, as after a write beyond the end of the one before it. */
static bool join(const struct taktb_heap *heap, uint32_t block, uint32_t *size)
{
    uint32_t stored = at(heap, block)->size;
    *size = 0;
    if (stored == USED) {
        return block == end_of(heap);
    }
    if (!is_whole(heap, block, stored & ~(uint32_t)USED)) {
        return false;
    }
    if ((stored & USED) != 0) {
        return true;
    }
    *size = stored;
    return detach(heap, block, stored);
}

enum taktb_heap_result taktb_heap_give(const struct taktb_heap *heap, uint32_t block)
{
    block -= TAKTB_HEAP_HEAD;
    uint32_t size = used_size(heap, block);
    uint32_t behind;
    uint32_t before = 0;
    if (size == 0 || !join(heap, block + size, &behind)) {
        return TAKTB_HEAP_DAMAGED;
    }
    uint32_t previous = at(heap, block)->previous;
    if (previous != 0 && !join(heap, previous, &before)) {
        return TAKTB_HEAP_DAMAGED;
    }
    count(heap, 0, size);
    if (before != 0) {
        block = previous;
    }
    size += before + behind;
    at(heap, block + size)->previous = block;
    return insert(heap, block, size) ? TAKTB_HEAP_OK : TAKTB_HEAP_DAMAGED;
}

enum taktb_heap_result taktb_heap_resize(const struct taktb_heap *heap, uint32_t block, uint32_t size)
{
    block -= TAKTB_HEAP_HEAD;
    uint32_t old = used_size(heap, block);
    uint32_t bytes = block_bytes(size);
    uint32_t behind = old == 0 ? USED : at(heap, block + old)->size;
    if (old == 0) {
        return TAKTB_HEAP_DAMAGED;
    }
    bool grows = (behind & USED) == 0 && behind <= heap->size && old + behind >= bytes;
    if (bytes == 0 || (bytes > old && !grows)) {
        return TAKTB_HEAP_FULL;
    }
    if (!join(heap, block + old, &behind)) {
        return TAKTB_HEAP_DAMAGED;
    }
    control(heap)->free += old;
    return cut(heap, block, old + behind, bytes) ? TAKTB_HEAP_OK : TAKTB_HEAP_DAMAGED;
}

uint32_t taktb_heap_block_size(const struct taktb_heap *heap, uint32_t block)
{
    uint32_t size = used_size(heap, block - TAKTB_HEAP_HEAD);
    return size == 0 ? 0 : size - TAKTB_HEAP_HEAD;
}

struct taktb_heap_room taktb_heap_room(const struct taktb_heap *heap)
{
    (void)set_up(heap);
    return (struct taktb_heap_room){control(heap)->free, control(heap)->free_least};
}
