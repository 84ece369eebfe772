/* SPDX-License-Identifier: Apache-2.0 */
/* Fragmentation on purpose, and random calls with a model. The console has the longest call, in nanoseconds, and what
 * was wrong. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "benchmarks/print.h"
#include "takt_app.h"

enum { SMALL = 16, BLOCKS = 160, KEPT = 24 };

static uint64_t once_ns; /* the longest call of an attack */

static void *timed_malloc(size_t size)
{
    uint64_t begin_ns = takt_now();
    void *block = malloc(size);
    uint64_t took_ns = takt_now() - begin_ns;
    once_ns = took_ns > once_ns ? took_ns : once_ns;
    return block;
}

static void timed_free(void *block)
{
    uint64_t begin_ns = takt_now();
    free(block);
    uint64_t took_ns = takt_now() - begin_ns;
    once_ns = took_ns > once_ns ? took_ns : once_ns;
}

static void check(unsigned line, bool right)
{
    if (!right) {
        print_number("wrong: line ", line);
        print("\n");
    }
}
#define HOLDS(condition) check(__LINE__, (condition))

/* Bytes of the largest block that there is room for. */
static size_t largest(void)
{
    size_t size = 0;
    for (size_t step = 2048; step >= 8; step /= 2) {
        void *block = malloc(size + step);
        size += block != NULL ? step : 0;
        free(block);
    }
    return size;
}

static unsigned fill(void **blocks, size_t size)
{
    unsigned count = 0;
    while (count < BLOCKS && (blocks[count] = timed_malloc(size)) != NULL) {
        count++;
    }
    HOLDS(count > 1 && count < BLOCKS);
    return count;
}

/* Every other block is freed, but the last: half of the heap is free, in holes that take nothing larger, although
 * together they are large enough. Below 64 bytes each hole is as good as it was. */
static void attack_with(size_t size)
{
    static void *blocks[BLOCKS];
    unsigned count = fill(blocks, size);
    unsigned last = count - 1;
    for (unsigned index = 1; index < last; index += 2) {
        timed_free(blocks[index]);
        blocks[index] = NULL;
    }
    if (last / 2 * size >= 2 * size + 64) {
        errno = 0;
        HOLDS(timed_malloc(2 * size + 64) == NULL && errno == ENOMEM);
    }
    for (unsigned index = 1; index < last && size < 64; index += 2) {
        blocks[index] = timed_malloc(size);
        HOLDS(blocks[index] != NULL);
    }
    for (unsigned first = 0; first < 2; first++) { /* the second time, the block is between two that are free */
        for (unsigned index = first; index < count; index += 2) {
            timed_free(blocks[index]);
        }
    }
}

static void attack(void)
{
    size_t whole = largest();
    for (size_t size = SMALL; size < whole / 2; size = 2 * size + 8) {
        attack_with(size);
        HOLDS(largest() == whole);
    }
}

void attack_job(void *argument)
{
    (void)argument;
    attack();
    uint64_t first_ns = once_ns;
    once_ns = 0;
    attack(); /* what was longer once only, the interrupt of a clock lengthened */
    print_number("longest ", first_ns < once_ns ? first_ns : once_ns);
    print("\n");
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

static bool is_filled(const uint8_t *block, uint8_t byte, size_t size)
{
    size_t index = 0;
    while (index < size && block[index] == byte) {
        index++;
    }
    return index == size;
}

void random_job(void *argument)
{
    static uint8_t *blocks[KEPT];
    static uint16_t sizes[KEPT];
    (void)argument;
    size_t whole = largest();
    uint32_t full = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        unsigned one = draw(KEPT);
        size_t size = draw(1u << (3 + draw(7)));
        if (blocks[one] != NULL) {
            HOLDS(is_filled(blocks[one], (uint8_t)one, sizes[one]));
        }
        if (blocks[one] == NULL || draw(3) == 0) {
            uint8_t *block = realloc(blocks[one], size + 1);
            full += block == NULL ? 1 : 0;
            sizes[one] = block == NULL ? sizes[one] : (uint16_t)(size + 1);
            blocks[one] = block == NULL ? blocks[one] : block;
            if (blocks[one] != NULL) {
                memset(blocks[one], (int)one, sizes[one]);
            }
        } else {
            free(blocks[one]);
            blocks[one] = NULL;
        }
    }
    for (unsigned one = 0; one < KEPT; one++) {
        free(blocks[one]);
    }
    HOLDS(largest() == whole);
    HOLDS(full > 0); /* it was so small that some found no room */
    print_number("rounds ", ROUNDS);
    print("\n");
}
