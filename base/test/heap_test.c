/* SPDX-License-Identifier: Apache-2.0 */
/* The heap: results worked out by hand, random calls against a model, and calls on damaged memory. */
#include "base/heap.h"

#include <stdbool.h>

#include "base/test/check.h"

enum { BLOCKS = 64, MEMORY_MAX = 1 << 15 };

static struct taktb_heap heap;

/* A heap in memory of exactly that size, so that the sanitizer sees an access outside of it. */
static void begin(uint32_t size)
{
    free(heap.memory);
    heap = (struct taktb_heap){calloc(1, size), size};
}

static uint32_t take(uint32_t size)
{
    uint32_t block = 0;
    enum taktb_heap_result result = taktb_heap_take(&heap, size, TAKTB_HEAP_ALIGNMENT, &block);
    CHECK(result == (block == 0 ? TAKTB_HEAP_FULL : TAKTB_HEAP_OK));
    CHECK(block == 0 || taktb_heap_block_size(&heap, block) >= size);
    return block;
}

static void give(uint32_t block)
{
    CHECK_EQUAL(taktb_heap_give(&heap, block), TAKTB_HEAP_OK);
}

static void test_by_hand(void)
{
    begin(1024);
    uint32_t whole = taktb_heap_room(&heap).now;
    CHECK(whole > 1024 - 280 && whole % TAKTB_HEAP_ALIGNMENT == 0);
    uint32_t all = take(whole - TAKTB_HEAP_HEAD); /* all of it, although its class has smaller ones */
    CHECK(all != 0 && take(1) == 0);
    CHECK_EQUAL(taktb_heap_room(&heap).now, 0);
    give(all);
    CHECK_EQUAL(taktb_heap_room(&heap).now, whole);
    CHECK_EQUAL(taktb_heap_room(&heap).least, 0);
    CHECK(take(whole) == 0 && take(UINT32_MAX) == 0 && take(UINT32_MAX - 8) == 0);

    uint32_t a = take(0);
    uint32_t b = take(9);
    uint32_t c = take(100);
    CHECK_EQUAL(b - a, 16);
    CHECK_EQUAL(c - b, 24);
    give(a); /* and neighbours on each side, in each order */
    give(c);
    give(b);
    CHECK_EQUAL(take(whole - TAKTB_HEAP_HEAD), all);
    give(all);
}

static void test_resize(void)
{
    begin(1024);
    uint32_t a = take(32);
    uint32_t b = take(32);
    uint32_t c = take(32);
    CHECK_EQUAL(taktb_heap_resize(&heap, a, 33), TAKTB_HEAP_FULL);
    give(b);
    CHECK_EQUAL(taktb_heap_resize(&heap, a, 72), TAKTB_HEAP_OK); /* all of what b was */
    CHECK_EQUAL(taktb_heap_block_size(&heap, a), 72);
    CHECK_EQUAL(taktb_heap_resize(&heap, a, 73), TAKTB_HEAP_FULL);
    CHECK_EQUAL(taktb_heap_resize(&heap, a, UINT32_MAX), TAKTB_HEAP_FULL);
    CHECK_EQUAL(taktb_heap_resize(&heap, a, 32), TAKTB_HEAP_OK);
    CHECK_EQUAL(take(32), b);
    CHECK_EQUAL(taktb_heap_resize(&heap, c, 8), TAKTB_HEAP_OK); /* what it leaves joins what is free behind */
    CHECK_EQUAL(taktb_heap_resize(&heap, c, 200), TAKTB_HEAP_OK);
    give(a);
    give(b);
    give(c);
    CHECK(take(taktb_heap_room(&heap).now - TAKTB_HEAP_HEAD) != 0);
}

static void test_damaged(void)
{
    begin(1024);
    uint32_t a = take(32);
    uint32_t b = take(32);
    uint32_t c = take(32);
    give(b);
    CHECK_EQUAL(taktb_heap_give(&heap, b), TAKTB_HEAP_DAMAGED); /* twice */
    CHECK_EQUAL(taktb_heap_resize(&heap, b, 1), TAKTB_HEAP_DAMAGED);
    give(a);
    CHECK_EQUAL(taktb_heap_give(&heap, b), TAKTB_HEAP_DAMAGED); /* in the middle of what is free */
    CHECK_EQUAL(taktb_heap_give(&heap, c + 8), TAKTB_HEAP_DAMAGED);
    CHECK_EQUAL(taktb_heap_give(&heap, c + 1), TAKTB_HEAP_DAMAGED);
    CHECK_EQUAL(taktb_heap_give(&heap, 0), TAKTB_HEAP_DAMAGED);
    CHECK_EQUAL(taktb_heap_give(&heap, 8), TAKTB_HEAP_DAMAGED);
    CHECK_EQUAL(taktb_heap_give(&heap, 1024), TAKTB_HEAP_DAMAGED);
    CHECK_EQUAL(taktb_heap_give(&heap, UINT32_MAX), TAKTB_HEAP_DAMAGED);
    a = take(32);
    b = take(32);
    memset(heap.memory + a, 0xFF, 40); /* over the end of a, into the head of b */
    CHECK_EQUAL(taktb_heap_give(&heap, b), TAKTB_HEAP_DAMAGED);
    CHECK_EQUAL(taktb_heap_give(&heap, a), TAKTB_HEAP_DAMAGED);

    begin(1024);
    a = take(32);
    b = take(32);
    give(a);
    memset(heap.memory + a, 0xFF, 4); /* a link of a free block */
    uint32_t block;
    CHECK_EQUAL(taktb_heap_take(&heap, 32, TAKTB_HEAP_ALIGNMENT, &block), TAKTB_HEAP_DAMAGED);
    heap.memory[0] ^= 1;
    CHECK_EQUAL(taktb_heap_take(&heap, 32, TAKTB_HEAP_ALIGNMENT, &block), TAKTB_HEAP_DAMAGED);
}

/* What looks like a head in the caller's data, and a link back that is wrong. */
static void test_forged(void)
{
    begin(1024);
    uint32_t a = take(64);
    uint32_t *words = (uint32_t *)(void *)(heap.memory + a);
    words[2] = 16 | 1;
    words[3] = a - TAKTB_HEAP_HEAD;
    words[6] = 16 | 1;
    words[7] = a + TAKTB_HEAP_HEAD;
    words[11] = a + 24;
    CHECK_EQUAL(taktb_heap_give(&heap, a + 2 * TAKTB_HEAP_HEAD), TAKTB_HEAP_DAMAGED);
    uint32_t b = take(32);
    (void)take(32);
    uint32_t c = take(32);
    (void)take(32);
    give(b);
    give(c);
    heap.memory[b + 4] ^= 8; /* b is behind c in their list */
    uint32_t block;
    CHECK_EQUAL(taktb_heap_take(&heap, 32, TAKTB_HEAP_ALIGNMENT, &block), TAKTB_HEAP_DAMAGED);
}

/* A byte beyond the end of a block is noticed when that block is freed or resized, whatever is behind it. */
static void test_overflow(void)
{
    for (unsigned run = 0; run < 2 * 256; run++) {
        uint8_t byte = (uint8_t)run;
        begin(1024);
        uint32_t a = take(40);
        uint32_t b = take(40);
        uint32_t c = take(40);
        if (run < 256) {
            give(b);
        }
        uint8_t was = heap.memory[a + 40];
        heap.memory[a + 40] = byte;
        if (byte != was && (byte ^ was) != 1) { /* the bit that says whether it is free tells nothing */
            CHECK_EQUAL(taktb_heap_resize(&heap, a, 8), TAKTB_HEAP_DAMAGED);
            CHECK_EQUAL(taktb_heap_give(&heap, a), TAKTB_HEAP_DAMAGED);
        }
        heap.memory[a + 40] = was;
        heap.memory[c + 40] ^= byte; /* free memory, or the end */
        CHECK(byte <= 1 || taktb_heap_give(&heap, c) == TAKTB_HEAP_DAMAGED);
    }
}

struct model {
    uint32_t block; /* 0: none */
    uint32_t size;
    uint8_t fill;
};

/* Contents are as they were written, blocks are aligned and do not overlap. */
static void compare(const struct model *blocks)
{
    static uint8_t covered[MEMORY_MAX];
    memset(covered, 0, heap.size);
    for (unsigned index = 0; index < BLOCKS; index++) {
        const struct model *one = &blocks[index];
        for (uint32_t byte = 0; one->block != 0 && byte < one->size; byte++) {
            CHECK(one->block + byte < heap.size && covered[one->block + byte] == 0);
            covered[one->block + byte] = 1;
            CHECK_EQUAL(heap.memory[one->block + byte], one->fill);
        }
    }
}

static uint32_t draw_size(uint64_t *state)
{
    unsigned bits = (unsigned)(check_random(state) % 12);
    return (uint32_t)(check_random(state) & ((1u << bits) - 1));
}

static void fill(struct model *one, uint64_t *state)
{
    one->fill = (uint8_t)check_random(state);
    memset(heap.memory + one->block, one->fill, one->size);
}

/* One random call on an entry of the model. */
static void step(struct model *one, uint64_t *state)
{
    uint32_t size = draw_size(state);
    if (one->block == 0) {
        uint32_t alignment = check_random(state) % 4 == 0 ? UINT32_C(1) << check_random(state) % 9 : 8;
        one->size = size;
        if (taktb_heap_take(&heap, size, alignment, &one->block) == TAKTB_HEAP_OK) {
            uintptr_t address = (uintptr_t)(heap.memory + one->block);
            CHECK(address % 8 == 0 && address % alignment == 0);
            CHECK(taktb_heap_block_size(&heap, one->block) >= size);
            fill(one, state);
        } else {
            CHECK(one->block == 0);
        }
    } else if (check_random(state) % 3 == 0) {
        enum taktb_heap_result result = taktb_heap_resize(&heap, one->block, size);
        CHECK(result == TAKTB_HEAP_OK || (result == TAKTB_HEAP_FULL && size > one->size));
        if (result == TAKTB_HEAP_OK) {
            for (uint32_t byte = 0; byte < one->size && byte < size; byte++) {
                CHECK_EQUAL(heap.memory[one->block + byte], one->fill);
            }
            one->size = size;
            fill(one, state);
        }
    } else {
        give(one->block);
        one->block = 0;
    }
}

static void test_random(void)
{
    uint64_t state = check_seed();
    for (unsigned long run = 0; run < check_cases(40); run++) {
        struct model blocks[BLOCKS] = {0};
        begin(TAKTB_HEAP_SIZE_MIN + (uint32_t)(check_random(&state) % (MEMORY_MAX - TAKTB_HEAP_SIZE_MIN)));
        uint32_t whole = taktb_heap_room(&heap).now;
        for (unsigned number = 0; number < 400; number++) {
            step(&blocks[check_random(&state) % BLOCKS], &state);
            if (number % 8 == 0) {
                compare(blocks);
            }
        }
        compare(blocks);
        for (unsigned index = 0; index < BLOCKS; index++) {
            if (blocks[index].block != 0) {
                give(blocks[index].block);
            }
        }
        CHECK_EQUAL(taktb_heap_room(&heap).now, whole); /* all of it is one block again */
        CHECK(take(whole - TAKTB_HEAP_HEAD) != 0);
    }
}

/* A process may write anything there: no call leaves the memory, which the sanitizer watches. */
static void test_hostile(void)
{
    uint64_t state = check_seed();
    for (unsigned long run = 0; run < check_cases(400); run++) {
        uint32_t blocks[8] = {0};
        begin(TAKTB_HEAP_SIZE_MIN + (uint32_t)(check_random(&state) % 64));
        for (unsigned number = 0; number < 200; number++) {
            uint32_t *block = &blocks[check_random(&state) % 8];
            if (check_random(&state) % 8 == 0) {
                uint32_t *word = (uint32_t *)(void *)heap.memory + check_random(&state) % (heap.size / 4);
                uint32_t values[] = {
                    0, 1, *word ^ 1, heap.size, heap.size - 8, *word + 8, (uint32_t)check_random(&state)};
                *word = values[check_random(&state) % 7];
            }
            if (check_random(&state) % 16 == 0) {
                *block = (uint32_t)check_random(&state) % (heap.size + 16);
            }
            switch (check_random(&state) % 4) {
            case 0:
                (void)taktb_heap_give(&heap, *block);
                break;
            case 1:
                (void)taktb_heap_resize(&heap, *block, draw_size(&state));
                break;
            case 2:
                (void)taktb_heap_block_size(&heap, *block);
                break;
            default:
                (void)taktb_heap_take(&heap, draw_size(&state), UINT32_C(1) << check_random(&state) % 9, block);
            }
        }
    }
}

int main(void)
{
    test_by_hand();
    test_resize();
    test_damaged();
    test_forged();
    test_overflow();
    test_random();
    test_hostile();
    free(heap.memory);
    return 0;
}
