/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_POOL_H
#define TAKT_POOL_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * A pool of memory blocks of one size. A freed block goes to the first waiter, if any; waiters by key, FIFO among
 * equals, or all FIFO. Presets with assertions detect a double free and a pointer that is not a block.
 *
 * A process gets each block in its own memory, and the kernel has a token for it: processes that use the same pool
 * share the number of blocks, not their contents. To hand data over use signals (docs/decisions/0028).
 */

/* Private; constant. The blocks of a pool in the memory of processes. */
struct takti_pool_blocks {
    uint8_t *const *blocks; /* by index of a process; NULL: it may not use the pool */
    uint32_t block_size;
};

/* Private; kernel lock. What stands for a block of processes in the kernel: `block_size` of the pool is its size. */
struct takti_pool_token {
    void *next;       /* while it is free */
    uintptr_t holder; /* index of the process that has the block, plus one; 0: free */
};

struct takt_pool {
    void *free;                /* private: first freed block; each begins with a pointer to the next */
    struct takt_task *waiters; /* private: kernel lock, as all fields; none while a block is free */
    uint8_t *fresh;            /* private: end of the memory ever allocated */
    uint16_t id;               /* private: names it in the trace */
    uint8_t hands;             /* private: BLOCK */
    uint8_t *end;              /* private: end of the blocks; with assertions a bit per block follows */
    uint8_t *storage;          /* private */
    uint32_t block_size;       /* private */
    struct takti_pool_blocks in_process[TAKT_PROCESSES];
    bool in_turn[TAKT_FIFO_WAITERS]; /* private: the waiters are in the order of their calls */
};

/* Bytes of storage for `count` blocks of `size` bytes, a multiple of a pointer's size. */
#define TAKT_POOL_BYTES(size, count) \
    ((size_t)(size) * (count) + (TAKT_ASSERTIONS ? sizeof(uint32_t) * (((count) + 31u) / 32u) : 0u))

/* `memory`: uint8_t[TAKT_POOL_BYTES(size, count)], zero, with the alignment required of the blocks, at least that of a
 * pointer. */
#define TAKT_POOL_DEFINE(name, trace_id, memory, size, count) \
    struct takt_pool name = {TAKTI_POOL(trace_id, memory, size, count)}

/* The same with the waiters in the order of their calls, whatever their keys. */
#define TAKT_POOL_FIFO_DEFINE(name, trace_id, memory, size, count) \
    TAKTI_FIFO(struct takt_pool name = {TAKTI_POOL(trace_id, memory, size, count), .in_turn = {true}})

#define TAKTI_POOL(trace_id, memory, size, count)                                                                \
    .fresh = (memory), .id = (trace_id), .hands = TAKTI_HANDS_BLOCK, .end = (memory) + (size_t)(size) * (count), \
    .storage = (memory), .block_size = (size)

/* With protection: for processes. `memory`: uint8_t[TAKT_POOL_BYTES(sizeof(struct takti_pool_token), count)];
 * `tables`: their memory, `count` blocks of `size` bytes each. */
#define TAKT_POOL_IN_PROCESSES_DEFINE(name, trace_id, memory, size, count, tables)                 \
    struct takt_pool name = {TAKTI_POOL(trace_id, memory, sizeof(struct takti_pool_token), count), \
                             .in_process = {{(tables), (size)}}}

/* The same with the waiters in the order of their calls. */
#define TAKT_POOL_FIFO_IN_PROCESSES_DEFINE(name, trace_id, memory, size, count, tables)                       \
    TAKTI_FIFO(struct takt_pool name = {TAKTI_POOL(trace_id, memory, sizeof(struct takti_pool_token), count), \
                                        .in_process = {{(tables), (size)}}, .in_turn = {true}})

/* As TAKT_POOL_DEFINE; the storage need not be zero. O(blocks / 32) with assertions. Context: any, while it is not in
 * use. Blocks: never. */
void takt_pool_init(struct takt_pool *pool, uint16_t trace_id, void *storage, uint32_t block_size, uint32_t count);

/*
 * Allocates a block, with undefined contents, to `*block`; waits while none is free. TAKT_DELETED: the pool was deleted
 * meanwhile; TAKT_TIMEOUT: `until_ns` (absolute) came first; `*block` is unchanged in both cases. Context: task, not
 * cooperative. Blocks: until a block is free. O(waiters) insertion.
 */
TAKT_MUST_USE enum takt_status takt_pool_allocate(struct takt_pool *pool, void **block);
TAKT_MUST_USE enum takt_status takt_pool_allocate_until(struct takt_pool *pool, void **block, uint64_t until_ns);
/* Allocates a block; NULL: none is free. Context: any. Blocks: never. O(1). */
TAKT_MUST_USE void *takt_pool_try_allocate(struct takt_pool *pool);

/* Frees a block of this pool. O(1) and one insertion into the ready queue. Context: any. Blocks: never. */
void takt_pool_free(struct takt_pool *pool, void *block);

/* Every waiter returns TAKT_DELETED; allocated blocks become invalid. The storage is the caller's again. O(waiters),
 * locked. Context: task. Blocks: never. */
void takt_pool_delete(struct takt_pool *pool);

TAKT_C_END

#endif
