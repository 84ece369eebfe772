/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CoreMark, unmodified: lists, matrices and a state machine. A frame is the first iteration of a run on 2000 bytes,
 * with the seeds of its performance run or of its validation run, and puts out the checksums that CoreMark knows of it.
 * CoreMark's main is not used, and no score is given.
 */
#include <string.h>

#include "codec.h"
#include "coremark.h"

#define CONTEXTS 31u /* of channels, and one that makes inputs */
#define PARTS 3u     /* of the memory: lists, matrices, the state machine */
#define PART_BYTES (TOTAL_DATA_SIZE / PARTS)
#define SEED_3 0x66

static struct context {
    core_results results;
    _Alignas(8) uint8_t memory[TOTAL_DATA_SIZE];
} contexts[CONTEXTS] __attribute__((section(".noinit"))); /* start writes what is read */
static unsigned used;

/* The inputs of one of its runs, in a context of the channel's own. */
static void start(struct codec_state *state, ee_s16 seed)
{
    struct context *own = &contexts[used++ % CONTEXTS];
    core_results *results = &own->results;
    memset(results, 0, sizeof *results);
    results->seed1 = seed;
    results->seed2 = seed;
    results->seed3 = SEED_3;
    results->size = PART_BYTES;
    results->execs = ALL_ALGORITHMS_MASK;
    for (unsigned part = 0; part <= PARTS; part++) {
        results->memblock[part] = own->memory + (part > 0 ? part - 1u : 0) * PART_BYTES;
    }
    results->list = core_list_init(PART_BYTES, results->memblock[1], seed);
    (void)core_init_matrix(PART_BYTES, results->memblock[2], (ee_s32)seed | (ee_s32)((ee_u32)seed << 16),
                           &results->mat);
    core_init_state(PART_BYTES, seed, results->memblock[3]);
    memcpy(state->bytes, &own, sizeof own);
}

static void start_performance(struct codec_state *state)
{
    start(state, 0);
}

static void start_validation(struct codec_state *state)
{
    start(state, 0x3415);
}

static void first_iteration(struct codec_state *state, uint32_t number, const void *in, void *out)
{
    struct context *own;
    (void)number;
    (void)in;
    memcpy(&own, state->bytes, sizeof own);
    core_results *results = &own->results;
    results->crc = results->crclist = results->crcmatrix = results->crcstate = 0;
    ee_u16 crc = core_bench_list(results, 1); /* which changes results->crc */
    results->crc = crcu16(crc, results->crc);
    crc = core_bench_list(results, -1);
    results->crc = crcu16(crc, results->crc);
    const uint32_t words[] = {results->crc, results->crcmatrix, results->crcstate};
    memcpy(out, words, sizeof words);
}

const struct codec codec_coremark[2] = {
    {"coremark performance", 0, 3 * sizeof(uint32_t), start_performance, first_iteration},
    {"coremark validation", 0, 3 * sizeof(uint32_t), start_validation, first_iteration},
};
