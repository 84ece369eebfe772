/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of several processes: they share the number of its blocks, and each has them in its own memory. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

static void **variable_of(unsigned process)
{
    return world_buffer(process);
}

static uintptr_t allocate(void)
{
    return (uintptr_t)CALL1(pool_try_allocate, world_handle(WORLD_POOL));
}

static bool is_block_of(unsigned process, uintptr_t block)
{
    uintptr_t offset = block - (uintptr_t)world_blocks(process);
    return offset < BLOCK * BLOCKS && offset % BLOCK == 0;
}

static void a_has_all(unsigned task)
{
    (void)task;
    uintptr_t first = allocate();
    uintptr_t second = allocate();
    CHECK(is_block_of(0, first) && is_block_of(0, second) && first != second);
    CHECK_EQUAL(allocate(), 0);
    sleep_to(2);
    (void)CALL2(pool_free, world_handle(WORLD_POOL), first);
    sleep_to(4);
    (void)CALL2(pool_free, world_handle(WORLD_POOL), second);
    CHECK(is_block_of(0, allocate()));
    sleep_to(1000);
}

static void b_waits(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(CALL2(pool_allocate, world_handle(WORLD_POOL), variable_of(1)));
    note(CALL0(now));
    CHECK(is_block_of(1, (uintptr_t)*variable_of(1)));
    note(CALL3(pool_allocate_until, world_handle(WORLD_POOL), variable_of(1), TAKT_MS(3)));
    note(CALL3(pool_allocate_until, world_handle(WORLD_POOL), variable_of(1), TAKT_MS(5)));
    sleep_to(1000);
}

static void test_shared(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = a_has_all;
    world.work[B + PERIODIC] = b_waits;
    world_run(4);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 3);
    CHECK_EQUAL(results[0], TAKT_OK);
    CHECK_EQUAL(results[1], TAKT_MS(2));
    CHECK_EQUAL(results[2], TAKT_TIMEOUT);
}

/* What is freed is not that block, or is freed already; and where the address of one would go. */
static uintptr_t (*wrong_block)(void);

static void free_wrong(unsigned task)
{
    (void)task;
    (void)CALL2(pool_free, world_handle(WORLD_POOL), wrong_block());
    CHECK(false);
}

static uintptr_t freed_one(void)
{
    uintptr_t block = allocate();
    (void)CALL2(pool_free, world_handle(WORLD_POOL), block);
    return block;
}

static uintptr_t inside_one(void)
{
    return allocate() + 1;
}

static uintptr_t of_b(void)
{
    (void)allocate();
    return (uintptr_t)world_blocks(1);
}

static uintptr_t its_token(void)
{
    (void)allocate();
    return (uintptr_t)world.pool.storage;
}

static uintptr_t behind_all(void)
{
    (void)allocate();
    (void)allocate();
    return (uintptr_t)world_blocks(0) + BLOCK * BLOCKS;
}

static void allocate_to_b(unsigned task)
{
    (void)task;
    (void)CALL2(pool_allocate, world_handle(WORLD_POOL), variable_of(1));
    CHECK(false);
}

static void test_wrong(void)
{
    uintptr_t (*const blocks[])(void) = {freed_one, inside_one, of_b, its_token, behind_all};
    for (unsigned number = 0; number < sizeof blocks / sizeof *blocks; number++) {
        fresh(0);
        wrong_block = blocks[number];
        world.work[A + BACKGROUND] = free_wrong;
        world_run(5);
        CHECK_REFUSED();
    }
    fresh(0);
    world.work[A + BACKGROUND] = allocate_to_b;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
}

static void a_dies_with_all(unsigned task)
{
    (void)task;
    if (takt_process_faults.count == 0) {
        (void)allocate();
        (void)allocate();
        sleep_to(2);
        fault();
    }
    sleep_to(1000);
}

static void b_gets_one(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(CALL2(pool_allocate, world_handle(WORLD_POOL), variable_of(1)));
    CHECK(is_block_of(1, (uintptr_t)*variable_of(1)));
    note(allocate() != 0);
    sleep_to(1000);
}

/* The blocks of a process that ends go to a waiter, and to the pool. */
static void test_end(void)
{
    fresh(1);
    world.work[A + BACKGROUND] = a_dies_with_all;
    world.work[B + BACKGROUND] = b_gets_one;
    world_run(60);
    CHECK_EQUAL(takt_process_faults.count, 1);
    CHECK_EQUAL(world.processes[0].state, TAKTI_PROCESS_RUNS);
    CHECK_EQUAL(result_count, 2);
    CHECK_EQUAL(results[0], TAKT_OK);
}

static void hand_and_stop(void *argument)
{
    (void)argument;
    takt_delay_until(TAKT_MS(1) + TAKT_US(500));
    takt_task_suspend(&world.tasks[B + PERIODIC]);
    takt_delay_until(TAKT_MS(2) + TAKT_US(500));
    *variable_of(1) = world_outside;
    takt_task_stop(&world.tasks[B + PERIODIC]);
    CHECK(world.pool.free == takti_pool_token_at(&world.pool, 0));
    CHECK_EQUAL(takti_pool_token_at(&world.pool, 0)->holder, 0); /* nobody can free it again */
    takt_delay_until(TAKT_FOREVER);
}

/* A block that a task was handed, and which it did not see, is free again; whatever its variable says. */
static void test_handed_back(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = a_has_all;
    world.work[B + PERIODIC] = b_waits;
    world_kernel_task(C + BACKGROUND, hand_and_stop);
    world_run(4);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 0);
}

int main(void)
{
    test_shared();
    test_wrong();
    test_end();
    test_handed_back();
    return 0;
}
