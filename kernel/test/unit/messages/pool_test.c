/* SPDX-License-Identifier: Apache-2.0 */
/* Block pools: the blocks, the task that gets the next one, every status, misuse. */
#include "kernel/test/support/misuse.h"

enum { SIZE = 16, BLOCKS = 3 };

static uint64_t storage[TAKT_POOL_BYTES(SIZE, BLOCKS) / 8 + 1];
static uint8_t _Alignas(8) defined_storage[TAKT_POOL_BYTES(SIZE, 1)];
static struct takt_pool pool;
TAKT_POOL_DEFINE(defined, 2, defined_storage, SIZE, 1);
static void *first;
static char order[16]; /* in which waits ended */

static void end(const void *name)
{
    strcat(order, name);
}

static void new_scenario(void)
{
    scenario_new();
    memset(storage, 0xA5, sizeof storage);
    takt_pool_init(&pool, 1, storage, SIZE, BLOCKS);
    order[0] = '\0';
}

static void use_all(void *argument)
{
    void *blocks[BLOCKS];
    void *none = &none;
    for (unsigned index = 0; index < BLOCKS; index++) {
        CHECK(takt_pool_allocate(&pool, &blocks[index]) == TAKT_OK);
        CHECK(blocks[index] == (uint8_t *)storage + SIZE * index);
        memset(blocks[index], 0xFF, SIZE);
    }
    CHECK(takt_pool_try_allocate(&pool) == NULL);
    CHECK(takt_pool_allocate_until(&pool, &none, TAKT_MS(3)) == TAKT_TIMEOUT && none == &none);
    CHECK(scenario_now() == 3);
    takt_pool_free(&pool, blocks[1]);
    takt_pool_free(&pool, blocks[0]);
    CHECK(takt_pool_try_allocate(&pool) == blocks[0]); /* the last one first */
    CHECK(takt_pool_allocate_until(&pool, &none, 0) == TAKT_OK && none == blocks[1]);
    CHECK(takt_pool_try_allocate(&pool) == NULL);
    CHECK(takt_pool_try_allocate(&defined) == defined_storage);
    CHECK(takt_pool_try_allocate(&defined) == NULL);
    takt_pool_free(&defined, defined_storage);
    end(argument);
}

static void all_blocks(void)
{
    new_scenario();
    (void)scenario_named("a", 1, use_all);
    scenario_run(10);
    CHECK_TEXT(order, "a");
}

static void wait_for_block(void *argument)
{
    void *block = NULL;
    CHECK(takt_pool_allocate_until(&pool, &block, TAKT_MS(8)) == TAKT_OK && block == first);
    end(argument);
    takt_pool_free(&pool, block);
}

static void wait_for_deletion(void *argument)
{
    void *block = NULL;
    scenario_sleep_to(4);
    CHECK(takt_pool_allocate(&pool, &block) == TAKT_DELETED && block == NULL);
    end(argument);
}

static void hold_all(void *argument)
{
    void *others[BLOCKS];
    (void)argument;
    for (unsigned index = 0; index < BLOCKS; index++) {
        others[index] = takt_pool_try_allocate(&pool);
    }
    first = others[1];
    scenario_work(2);
    takt_pool_free(&pool, first); /* to a, which frees it for b, and b for c */
    CHECK_TEXT(order, "abc");
    CHECK(takt_pool_try_allocate(&pool) == first);
    scenario_work(3);
    takt_pool_delete(&pool);
    CHECK_TEXT(order, "abcd");
}

static void wait_from_1(void *argument)
{
    scenario_sleep_to(1);
    wait_for_block(argument);
}

/* The best waiter gets the block that is freed; equals in their order. */
static void waiters(void)
{
    new_scenario();
    (void)scenario_named("h", 6, hold_all);
    (void)scenario_named("b", 3, wait_from_1);
    (void)scenario_named("c", 3, wait_from_1);
    (void)scenario_named("a", 2, wait_from_1);
    (void)scenario_named("d", 1, wait_for_deletion);
    scenario_run(10);
    CHECK_TEXT(order, "abcd");
}

static void call_allocate(void)
{
    void *block;
    CHECK(takt_pool_allocate(&pool, &block) == TAKT_OK);
}

static void call_allocate_too_many(void)
{
    for (unsigned index = 0; index <= BLOCKS; index++) {
        call_allocate();
    }
}

static void call_try(void)
{
    CHECK(takt_pool_try_allocate(&pool) != NULL);
}

static void call_free(void)
{
    takt_pool_free(&pool, storage);
}

static void free_twice(void)
{
    void *block = takt_pool_try_allocate(&pool);
    takt_pool_free(&pool, block);
    takt_pool_free(&pool, block);
}

static void free_inside(void)
{
    uint8_t *block = takt_pool_try_allocate(&pool);
    takt_pool_free(&pool, block + 8);
}

static void free_what_is_beyond(void)
{
    takt_pool_free(&pool, (void *)((uintptr_t)storage + SIZE * BLOCKS));
}

static void free_what_is_before(void)
{
    takt_pool_free(&pool, (void *)((uintptr_t)storage - SIZE));
}

static void call_delete(void)
{
    takt_pool_delete(&pool);
}

static void init_odd_blocks(void)
{
    takt_pool_init(&pool, 1, storage, sizeof(void *) + 2, 2);
}

static void init_no_blocks(void)
{
    takt_pool_init(&pool, 1, storage, SIZE, 0);
}

#define POOL_FILE "kernel/messages/pool.c"
static const struct misuse misuses[] = {
    {call_allocate, INTERRUPT, POOL_FILE, BANDS},  {call_allocate_too_many, IDLE, "kernel/core/kernel.h", BANDS},
    {call_try, FREE_INTERRUPT, POOL_FILE, BANDS},  {call_free, FREE_INTERRUPT, POOL_FILE, BANDS},
    {call_free, TASK, POOL_FILE, BANDS}, /* nobody allocated it */
    {free_twice, TASK, POOL_FILE, BANDS},          {free_inside, TASK, POOL_FILE, BANDS},
    {free_what_is_beyond, TASK, POOL_FILE, BANDS}, {free_what_is_before, TASK, POOL_FILE, BANDS},
    {call_delete, INTERRUPT, POOL_FILE, BANDS},    {init_odd_blocks, INIT, POOL_FILE, BANDS},
    {init_no_blocks, INIT, POOL_FILE, BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_pool_init(&pool, 1, storage, SIZE, BLOCKS);
}

int main(void)
{
    all_blocks();
    waiters();
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
