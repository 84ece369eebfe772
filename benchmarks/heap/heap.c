/* SPDX-License-Identifier: Apache-2.0 */
/* The longest call of each kind among random ones, in nanoseconds: the board's clock counts instructions. Each sequence
 * is made twice on an empty heap; what was longer once only, the interrupt of a clock lengthened. */
#include <stdlib.h>

#include "benchmarks/print.h"
#include "takt_app.h"

enum { BLOCKS = 96, ROUNDS = 4000, SEQUENCES = 4 };

enum call { ALLOCATE, ALIGNED, FREE, RESIZE, CALLS };
static const char *const names[CALLS] = {"malloc", "aligned_alloc", "free", "realloc"};
static uint64_t longest_ns[CALLS];
static uint64_t once_ns[CALLS]; /* of a sequence */
static uint64_t between_ns;     /* two calls of takt_now with nothing between */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

static size_t draw_size(void)
{
    return draw(1u << (3 + draw(9)));
}

static void note(enum call call, uint64_t begin_ns, uint64_t end_ns)
{
    uint64_t took_ns = end_ns - begin_ns - between_ns;
    once_ns[call] = took_ns > once_ns[call] ? took_ns : once_ns[call];
}

/* One call on a block, which is allocated or not. */
static void *step(void *block)
{
    size_t size = draw_size();
    bool second = draw(3) == 0;
    uint64_t begin_ns = takt_now();
    if (block == NULL && !second) {
        block = malloc(size);
        note(ALLOCATE, begin_ns, takt_now());
    } else if (block == NULL) {
        size_t alignment = (size_t)16 << draw(4);
        begin_ns = takt_now();
        block = aligned_alloc(alignment, size);
        note(ALIGNED, begin_ns, takt_now());
    } else if (!second) {
        free(block);
        note(FREE, begin_ns, takt_now());
        block = NULL;
    } else {
        void *resized = realloc(block, size + 1);
        uint64_t end_ns = takt_now();
        if (resized == block) { /* otherwise it is malloc, a copy, and free; or malloc that finds nothing */
            note(RESIZE, begin_ns, end_ns);
        }
        block = resized == NULL ? block : resized;
    }
    return block;
}

static void make_sequence(uint64_t seed)
{
    static void *blocks[BLOCKS];
    memset(once_ns, 0, sizeof once_ns);
    state = seed;
    for (unsigned round = 0; round < ROUNDS; round++) {
        void **block = &blocks[draw(BLOCKS)];
        *block = step(*block);
    }
    for (unsigned index = 0; index < BLOCKS; index++) {
        free(blocks[index]);
        blocks[index] = NULL;
    }
}

void measure_job(void *argument)
{
    uint64_t first_ns[CALLS];
    (void)argument;
    uint64_t begin_ns = takt_now();
    between_ns = takt_now() - begin_ns;
    for (unsigned seed = 0; seed < SEQUENCES; seed++) {
        make_sequence(seed);
        memcpy(first_ns, once_ns, sizeof first_ns);
        make_sequence(seed);
        for (unsigned call = 0; call < CALLS; call++) {
            uint64_t took_ns = first_ns[call] < once_ns[call] ? first_ns[call] : once_ns[call];
            longest_ns[call] = took_ns > longest_ns[call] ? took_ns : longest_ns[call];
        }
    }
    for (unsigned call = 0; call < CALLS; call++) {
        print("HEAP ");
        print(names[call]);
        print_number(" ", longest_ns[call]);
        print("\n");
    }
}
