/* SPDX-License-Identifier: Apache-2.0 */
/* Inheritance in a process that has threads and creates mutexes; other processes are not affected. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "takt/invariants.h"

static uintptr_t created; /* what the first task created */

static uint8_t *memory(void)
{
    return (uint8_t *)world_buffer(0) + 64;
}

static void create_mutex(void)
{
    CHECK_EQUAL(CALL1(mutex_create, memory()), TAKT_OK);
    created = *(uintptr_t *)(void *)memory();
}

/*
 * The owner of the mutex that the periodic task of its process waits for: a task or thread, a declared mutex or a
 * created one, of which the longest section is declared or not.
 */
static struct {
    bool thread, created, bounded;
} owning;

static bool lends(void)
{
    return owning.created ? owning.bounded : !owning.thread;
}

static uintptr_t owned_mutex(void)
{
    return owning.created ? created : world_handle(WORLD_OWN_MUTEX);
}

static void own(void *argument)
{
    (void)argument;
    sleep_to(3);
    takt_work(TAKT_MS(2));
    note(10);
    (void)CALL1(mutex_unlock, owned_mutex());
    sleep_to(1000);
}

static void lock_and_own(void *argument)
{
    (void)CALL1(mutex_lock, owned_mutex());
    own(argument);
}

static void own_or_start(unsigned task)
{
    struct takt_thread_attributes *attributes = (void *)(memory() + 16);
    (void)task;
    create_mutex();
    if (!owning.thread) {
        lock_and_own(NULL);
    }
    *attributes = (struct takt_thread_attributes){.entry = lock_and_own, .stack_size = 256, .level = 3 + TASKS};
    CHECK_EQUAL(CALL2(thread_create, memory(), attributes), TAKT_OK);
    sleep_to(1000);
}

static void check_unbroken(void)
{
    CHECK(takt_kernel_broken(NULL).what == NULL);
}

/* Of another process, between the two in priority: it goes on for long. */
static void be_between(unsigned task)
{
    (void)task;
    sleep_to(4);
    check_unbroken();
    takt_work(TAKT_MS(20));
    note(20);
    sleep_to(1000);
}

/* A first time not for long: what it gives up changes the owner's key as little as what it waits for. */
static void wait_for_owned(unsigned task)
{
    (void)task;
    sleep_to(1);
    note(CALL2(mutex_lock_until, owned_mutex(), TAKT_MS(2)));
    check_unbroken();
    note(CALL1(mutex_lock, owned_mutex()));
    check_unbroken();
    note(30);
    sleep_to(1000);
}

/* A task inherits through declared mutexes, and tasks and threads through created ones whose section is declared; a
 * task in between is not delayed by others. */
static void test_inheritance(void)
{
    static const uint64_t orders[2][4] = {{TAKT_TIMEOUT, 20, 10, TAKT_OK}, {TAKT_TIMEOUT, 10, TAKT_OK, 30}};
    for (unsigned which = 0; which < 8; which++) {
        owning.thread = (which & 1) != 0;
        owning.created = (which & 2) != 0;
        owning.bounded = (which & 4) != 0;
        fresh(0);
        world.process_configs[0].mutexes_inherit = owning.bounded;
        world.work[A + BACKGROUND] = own_or_start;
        world.work[B + BACKGROUND] = be_between;
        world.work[A + PERIODIC] = wait_for_owned;
        world_promote(A + BACKGROUND, owning.thread ? 1 : 13);
        world_run(60);
        CHECK_EQUAL(takt_process_faults.count, 0);
        CHECK_EQUAL(result_count, 5);
        for (unsigned place = 0; place < 4; place++) {
            CHECK_EQUAL(results[place], orders[lends()][place]);
        }
    }
}

#if TAKT_JOBS
/* The sporadic task owns what the periodic one waits for, and waits for what its process created. */
static void own_and_wait(unsigned task)
{
    (void)task;
    (void)CALL1(mutex_lock, world_handle(WORLD_OWN_MUTEX));
    (void)CALL1(mutex_lock, created);
    note(40);
    (void)CALL1(mutex_unlock, created);
    (void)CALL1(mutex_unlock, world_handle(WORLD_OWN_MUTEX));
}

static void own_and_release(unsigned task)
{
    (void)task;
    create_mutex();
    (void)CALL1(mutex_lock, created);
    (void)CALL1(job_release, world_handle(A + SPORADIC));
    owning.created = true;
    own(NULL);
}

static void wait_for_owner(unsigned task)
{
    (void)task;
    sleep_to(2);
    note(CALL1(mutex_lock, world_handle(WORLD_OWN_MUTEX)));
    sleep_to(1000);
}

/* A key that reaches a task along a chain goes further through what was created only if its section is declared. */
static void test_chain(bool bounded)
{
    const uint64_t far[] = {10, 40, TAKT_OK, 20};
    const uint64_t near[] = {20, 10, 40, TAKT_OK};
    fresh(0);
    world.process_configs[0].mutexes_inherit = bounded;
    world.work[A + BACKGROUND] = own_and_release;
    world.work[A + SPORADIC] = own_and_wait;
    world.work[A + PERIODIC] = wait_for_owner;
    world.work[B + BACKGROUND] = be_between;
    world_promote(A + BACKGROUND, 13);
    world_promote(A + SPORADIC, 12);
    world_run(60);
    CHECK_EQUAL(result_count, 4);
    for (unsigned place = 0; place < 4; place++) {
        CHECK_EQUAL(results[place], (bounded ? far : near)[place]);
    }
    CHECK_EQUAL(takt_process_faults.count, 0);
}
#endif

int main(void)
{
    test_inheritance();
#if TAKT_JOBS
    test_chain(false);
    test_chain(true);
#endif
    return 0;
}
