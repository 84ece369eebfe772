/* SPDX-License-Identifier: Apache-2.0 */
/* A free writes the block to the address in the waiter's `wait_buffer`. */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

/* Whether a block is allocated; then toggles that. For assertions only. */
static bool pool_turn(struct takt_pool *pool, const void *block)
{
    uintptr_t offset = (uintptr_t)block - (uintptr_t)pool->storage;
    TAKT_ASSERT(offset < (uintptr_t)(pool->end - pool->storage) && offset % pool->block_size == 0); /* not its block */
    uint32_t number = (uint32_t)(offset / pool->block_size);
    uint32_t *word = (uint32_t *)(void *)pool->end + number / 32u;
    uint32_t bit = UINT32_C(1) << number % 32u;
    *word ^= bit;
    return (*word & bit) == 0;
}

void takt_pool_init(struct takt_pool *pool, uint16_t trace_id, void *storage, uint32_t block_size, uint32_t count)
{
    uint8_t *bytes = storage;
    TAKT_ASSERT(bytes != NULL && count > 0 && block_size > 0);
    TAKT_ASSERT((block_size | (uintptr_t)storage) % sizeof(void *) == 0);
    *pool = (struct takt_pool){.fresh = bytes,
                               .end = bytes + (size_t)block_size * count,
                               .storage = bytes,
                               .block_size = block_size,
                               .id = trace_id,
                               .hands = TAKTI_HANDS_BLOCK};
    for (uint32_t word = 0; TAKT_ASSERTIONS && word < (count + 31u) / 32u; word++) {
        ((uint32_t *)(void *)pool->end)[word] = 0;
    }
}

/* The block freed last, or one never allocated; NULL: every block is in use. */
static TAKT_INLINE void *pool_take(struct takt_pool *pool, uint32_t lock)
{
    void *block = pool->free;
    if (block != NULL) {
        pool->free = *(void **)block;
    } else if (pool->fresh != pool->end) {
        block = pool->fresh;
        pool->fresh += pool->block_size;
    } else {
        return NULL;
    }
    (void)(TAKT_ASSERTIONS && pool_turn(pool, block));
    takti_trace_call(TAKT_EVENT_TAKE, lock, pool->id, 0);
    return block;
}

enum takt_status takt_pool_allocate_until(struct takt_pool *pool, void **block, uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    void *taken = pool_take(pool, lock);
    if (taken != NULL) {
        *block = TAKT_PROCESSES ? takti_pool_block(pool, taken, takti_kernel.ready.running) : taken;
        takt_port_leave(lock);
        return TAKT_OK;
    }
    takti_kernel.ready.running->wait_buffer = block;
    if (TAKT_FIFO_WAITERS && *pool->in_turn) {
        return takti_wait_as(TAKTI_BLOCKED_FIFO, &pool->waiters, TAKT_TRACE ? pool->id : 0, until_ns);
    }
    return takti_wait_until(&pool->waiters, TAKT_TRACE ? pool->id : 0, until_ns);
}

enum takt_status takt_pool_allocate(struct takt_pool *pool, void **block)
{
    return takt_pool_allocate_until(pool, block, TAKT_FOREVER);
}

/* No freed block is left. Not inlined, so that the common path saves no registers. */
static TAKTI_NOINLINE_HOT void *pool_take_fresh(struct takt_pool *pool, uint32_t lock)
{
    void *block = pool_take(pool, lock);
    takt_port_leave(lock);
    return block;
}

/* Frees a block: hands it over to the first waiter, which is returned; NULL: none. */
static inline TAKTI_INLINE_ALWAYS struct takt_task *pool_put(struct takt_pool *pool, void *block)
{
    struct takt_task *waiter = pool->waiters;
    if (waiter != NULL) {
        *(void **)waiter->wait_buffer = TAKT_PROCESSES ? takti_pool_block(pool, block, waiter) : block;
        if (TAKT_PROCESSES) {
            waiter->wait_buffer = block; /* for takti_pool_give_back: its process could change the other */
        }
        pool->waiters = waiter->next;
        (void)(TAKT_ASSERTIONS && pool_turn(pool, block));
        takti_trace(TAKT_EVENT_TAKE, waiter, pool->id, 0);
        return waiter;
    }
    *(void **)block = pool->free;
    pool->free = block;
    return NULL;
}

/* A free with waiters, perhaps. Not inlined, so that a free without waiters saves no registers. */
static TAKTI_NOINLINE_HOT void pool_give(struct takt_pool *pool, void *block, uint32_t lock)
{
    struct takt_task *waiter = pool_put(pool, block);
    if (waiter != NULL) {
        (void)takti_wake_last(waiter, lock);
        return;
    }
    takt_port_leave(lock);
}

void takti_pool_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_pool *pool = (struct takt_pool *)(void *)((uint8_t *)queue - offsetof(struct takt_pool, waiters));
    void *block = task->wait_buffer;
    if (!TAKT_PROCESSES) {
        block = *(void **)task->wait_buffer;
        *(void **)task->wait_buffer = NULL;
    } else {
        ((struct takti_pool_token *)block)->holder = 0;
    }
    (void)(TAKT_ASSERTIONS && pool_turn(pool, block));
    takti_trace(TAKT_EVENT_POST, task, pool->id, 0);
    struct takt_task *waiter = pool_put(pool, block);
    if (waiter != NULL) {
        (void)takti_hand(waiter);
    }
}

#if defined(TAKT_PORT_EXCLUSIVE) && !TAKT_ASSERTIONS && !TAKT_TRACE && !TAKTI_OPTIMIZE_SIZE
/* With a free block and no waiters: without the lock, retried only if an exception came in between. */
void *takt_pool_try_allocate(struct takt_pool *pool)
{
    void *block;
    do {
        block = takt_port_load_exclusive(&pool->free);
        if (TAKTI_UNLIKELY(block == NULL)) {
            return pool_take_fresh(pool, takt_port_enter());
        }
    } while (TAKTI_UNLIKELY(!takt_port_store_exclusive(&pool->free, *(void **)block)));
    return block;
}

void takt_pool_free(struct takt_pool *pool, void *block)
{
    do {
        void *next = takt_port_load_exclusive(&pool->free);
        if (TAKTI_UNLIKELY(pool->waiters != NULL)) {
            pool_give(pool, block, takt_port_enter());
            return;
        }
        *(void **)block = next;
    } while (TAKTI_UNLIKELY(!takt_port_store_exclusive(&pool->free, block)));
}
#else
void *takt_pool_try_allocate(struct takt_pool *pool)
{
    uint32_t lock = takt_port_enter();
    void *block = pool->free;
    TAKT_ASSERT(takti_allowed(lock));
    if (TAKT_ASSERTIONS || TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(block == NULL)) {
        return pool_take_fresh(pool, lock);
    }
    pool->free = *(void **)block;
    takti_trace_call(TAKT_EVENT_TAKE, lock, pool->id, 0);
    takt_port_leave(lock);
    return block;
}

void takt_pool_free(struct takt_pool *pool, void *block)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock) && pool_turn(pool, block)); /* otherwise it is free already */
    takti_trace_call(TAKT_EVENT_POST, lock, pool->id, 0);
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(pool->waiters != NULL)) {
        pool_give(pool, block, lock);
        return;
    }
    *(void **)block = pool->free;
    pool->free = block;
    takt_port_leave(lock);
}
#endif

void takt_pool_delete(struct takt_pool *pool)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_delete(&pool->waiters, &pool->waiters, pool->id, lock);
}

#if TAKT_PROCESSES
static uint8_t *blocks_of(const struct takt_pool *pool, unsigned process)
{
    return pool->in_process->blocks[process];
}

void *takti_pool_block(const struct takt_pool *pool, void *token, const struct takt_task *task)
{
    unsigned process = takti_process_index(task);
    uintptr_t index = ((uintptr_t)token - (uintptr_t)pool->storage) / sizeof(struct takti_pool_token);
    ((struct takti_pool_token *)token)->holder = process + 1u;
    return blocks_of(pool, process) + index * pool->in_process->block_size;
}

struct takti_pool_token *takti_pool_token_at(const struct takt_pool *pool, uintptr_t index)
{
    struct takti_pool_token *first = (struct takti_pool_token *)(void *)pool->storage;
    return index < (uintptr_t)(pool->end - pool->storage) / sizeof *first ? first + index : NULL;
}

struct takti_pool_token *takti_pool_token_of(const struct takt_pool *pool, const void *block, unsigned process)
{
    uintptr_t offset = (uintptr_t)block - (uintptr_t)blocks_of(pool, process);
    uint32_t size = pool->in_process->block_size;
    struct takti_pool_token *token = offset % size == 0 ? takti_pool_token_at(pool, offset / size) : NULL;
    return token != NULL && token->holder == process + 1u ? token : NULL;
}

void takti_pool_return(struct takt_pool *pool, struct takti_pool_token *token)
{
    token->holder = 0;
    (void)(TAKT_ASSERTIONS && pool_turn(pool, token));
    struct takt_task *waiter = pool_put(pool, token);
    if (waiter != NULL) {
        (void)takti_hand(waiter);
    }
}
#endif
