/* SPDX-License-Identifier: Apache-2.0 */
/* A set of hints of a process: the kernel has a copy, whatever the process writes into its own during the wait. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/core/kernel.h"
#include "kernel/core/state.h"

static struct takt_hint_set *set_of(void)
{
    return world_buffer(0);
}

static void hinted_set(void)
{
    uintptr_t *handles = (void *)((uint8_t *)world_buffer(0) + 64);
    handles[0] = world_handle(WORLD_MUTEX);
    handles[1] = world_handle(WORLD_OWN_MUTEX);
    *set_of() = (struct takt_hint_set){.mutexes = (void *)handles, .count = 2};
}

/* B has both mutexes from 2 to 4 ms, and the second one until 5. */
static void b_holds(unsigned task)
{
    (void)task;
    sleep_to(2);
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    takt_work(TAKT_MS(2));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    sleep_to(1000);
}

static void a_hints(unsigned task)
{
    (void)task;
    hinted_set();
    (void)CALL1(hint_next_set, set_of());
    sleep_to(3);
    note(CALL0(now));
    CHECK_EQUAL(CALL1(mutex_lock, world_handle(WORLD_MUTEX)), TAKT_OK);
    note(CALL0(now));
    (void)CALL1(mutex_unlock, world_handle(WORLD_MUTEX));
    sleep_to(1000);
}

static void a_lies(unsigned task)
{
    (void)task;
    sleep_to(1);
    *set_of() = (struct takt_hint_set){.mutexes = (void *)world_outside, .count = 200, .position = 100};
    sleep_to(1000);
}

static void check_waits_ahead(void)
{
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 2);
    CHECK_EQUAL(results[0], TAKTI_HINTS ? TAKT_MS(4) : TAKT_MS(3));
    CHECK_EQUAL(results[1], TAKT_MS(4));
}

static void test_waits_ahead(void)
{
    fresh(0);
    world.work[A + PERIODIC] = a_hints;
    world.work[B + BACKGROUND] = b_holds;
    world_run(9);
    check_waits_ahead();
    fresh(0);
    world.work[A + PERIODIC] = a_hints;
    world.work[A + BACKGROUND] = a_lies;
    world.work[B + BACKGROUND] = b_holds;
    world_run(9);
    check_waits_ahead();
}

static void (*spoil_set)(void);

static void hint_wrong(unsigned task)
{
    (void)task;
    hinted_set();
    spoil_set();
    (void)CALL1(hint_next_set, set_of());
    CHECK(false);
}

static void no_mutex(void)
{
    set_of()->count = 0;
}

static void too_many(void)
{
    for (unsigned index = 0; index <= TAKT_HINT_SET_MAX; index++) {
        ((uintptr_t *)(uintptr_t)set_of()->mutexes)[index] = world_handle(WORLD_MUTEX);
    }
    set_of()->count = TAKT_HINT_SET_MAX + 1;
}

static void elsewhere(void)
{
    set_of()->mutexes = (void *)world_buffer(1);
}

static void no_handle(void)
{
    ((uintptr_t *)(uintptr_t)set_of()->mutexes)[1] = world_handle(WORLD_SEMAPHORE);
}

static void its_address(void)
{
    ((uintptr_t *)(uintptr_t)set_of()->mutexes)[0] = (uintptr_t)&world.mutex;
}

static void test_wrong(void)
{
    void (*const wrong[])(void) = {no_mutex, too_many, elsewhere, no_handle, its_address};
    for (unsigned index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        fresh(0);
        spoil_set = wrong[index];
        world.work[A + PERIODIC] = hint_wrong;
        world_run(5);
        CHECK_REFUSED();
    }
}

static void hint_as_thread(void *argument)
{
    (void)argument;
    hinted_set(); /* the first mutex is others', too */
    (void)CALL1(hint_next_set, set_of());
    CHECK(false);
}

static void start_hinting_thread(unsigned task)
{
    (void)task;
    struct takt_thread_attributes *attributes = (void *)((uint8_t *)world_buffer(0) + 256);
    *attributes = (struct takt_thread_attributes){.entry = hint_as_thread, .stack_size = 256, .level = 3 + TASKS};
    CHECK_EQUAL(CALL2(thread_create, attributes + 1, attributes), TAKT_OK);
    sleep_to(1000);
}

static void test_thread(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = start_hinting_thread;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 1);
}

int main(void)
{
    test_waits_ahead();
    test_wrong();
    test_thread();
    return 0;
}
