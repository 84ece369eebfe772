/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphore, event flags and pool. */
#include "calls.h"

static struct takt_semaphore semaphore;

static void semaphore_setup(void)
{
    takt_semaphore_init(&semaphore, 1, NULL, 0, 2);
}

static void posted_setup(void)
{
    takt_semaphore_init(&semaphore, 1, NULL, 1, 2);
}

static uint32_t waits(unsigned number)
{
    return takt_semaphore_wait_until(&semaphore, expiry(number));
}

DO(semaphore_init, takt_semaphore_init(&semaphore, 1, NULL, 0, 2))
CALL(semaphore_wait, takt_semaphore_wait(&semaphore))
CALL(semaphore_wait_until, takt_semaphore_wait_until(&semaphore, worst_ns))
CALL(semaphore_wait_in_turn, takt_semaphore_wait_in_turn(&semaphore, worst_ns))
CALL(semaphore_try_wait, takt_semaphore_try_wait(&semaphore))
CALL(semaphore_post, takt_semaphore_post(&semaphore))
DO(semaphore_flush, takt_semaphore_flush(&semaphore))
CALL(semaphore_count, takt_semaphore_count(&semaphore))
DO(semaphore_delete, takt_semaphore_delete(&semaphore))

static const struct scenario semaphores[] = {
    {"takt_semaphore_init", "", RETURNS, 0, 0, semaphore_init},
    {"takt_semaphore_wait", "posted", RETURNS, TAKT_OK, 0, semaphore_wait, posted_setup},
    {"takt_semaphore_wait", "last of the waiters", BLOCKS, 0, 0, semaphore_wait, semaphore_setup, waits},
    {"takt_semaphore_wait_until", "posted", RETURNS, TAKT_OK, 0, semaphore_wait_until, posted_setup},
    {"takt_semaphore_wait_until", "last of the waiters", BLOCKS, 0, 0, semaphore_wait_until, semaphore_setup, waits},
    {"takt_semaphore_wait_in_turn", "posted", RETURNS, TAKT_OK, 0, semaphore_wait_in_turn, posted_setup},
    {"takt_semaphore_wait_in_turn", "last of the waiters", BLOCKS, 0, 0, semaphore_wait_in_turn, semaphore_setup,
     waits},
    {"takt_semaphore_try_wait", "posted", RETURNS, TAKT_OK, 0, semaphore_try_wait, posted_setup},
    {"takt_semaphore_post", "nobody waits", RETURNS, TAKT_OK, 0, semaphore_post, posted_setup},
    {"takt_semaphore_post", "all wait", WAKES, TAKT_OK, 1, semaphore_post, semaphore_setup, waits},
    {"takt_semaphore_flush", "all wait", WAKES, 0, ALL, semaphore_flush, semaphore_setup, waits},
    {"takt_semaphore_count", "", RETURNS, 1, 0, semaphore_count, posted_setup},
    {"takt_semaphore_delete", "all wait", WAKES, 0, ALL, semaphore_delete, semaphore_setup, waits},
};

static struct takt_events events;
static struct takt_events_wanted wanted;
static struct takt_events_wanted wanted_by[OTHERS_MAX];

static void events_setup(void)
{
    takt_events_init(&events, 2);
    wanted = (struct takt_events_wanted){3, TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR};
}

static void set_setup(void)
{
    events_setup();
    takt_events_set(&events, 3);
}

static uint32_t wants(unsigned number)
{
    wanted_by[number] = (struct takt_events_wanted){3, TAKT_EVENTS_ALL | TAKT_EVENTS_CLEAR};
    return takt_events_wait_until(&events, &wanted_by[number], expiry(number));
}

DO(events_init, takt_events_init(&events, 2))
DO(events_set, takt_events_set(&events, 3))
DO(events_set_one, takt_events_set(&events, 1))
DO(events_clear, takt_events_clear(&events, 1))
CALL(events_get, takt_events_get(&events))
CALL(events_wait, takt_events_wait(&events, &wanted))
CALL(events_wait_until, takt_events_wait_until(&events, &wanted, worst_ns))
CALL(events_try_wait, takt_events_try_wait(&events, &wanted))
DO(events_delete, takt_events_delete(&events))

static const struct scenario flags[] = {
    {"takt_events_init", "", RETURNS, 0, 0, events_init},
    {"takt_events_set", "nobody waits", RETURNS, 0, 0, events_set, events_setup},
    {"takt_events_set", "all wait, for more", RETURNS, 0, 0, events_set_one, events_setup, wants},
    {"takt_events_set", "all wait for it", WAKES, 0, ALL, events_set, events_setup, wants},
    {"takt_events_clear", "", RETURNS, 0, 0, events_clear, set_setup},
    {"takt_events_get", "", RETURNS, 3, 0, events_get, set_setup},
    {"takt_events_wait", "set", RETURNS, TAKT_OK, 0, events_wait, set_setup},
    {"takt_events_wait", "last of the waiters", BLOCKS, 0, 0, events_wait, events_setup, wants},
    {"takt_events_wait_until", "set", RETURNS, TAKT_OK, 0, events_wait_until, set_setup},
    {"takt_events_wait_until", "last of the waiters", BLOCKS, 0, 0, events_wait_until, events_setup, wants},
    {"takt_events_try_wait", "set", RETURNS, TAKT_OK, 0, events_try_wait, set_setup},
    {"takt_events_delete", "all wait", WAKES, 0, ALL, events_delete, events_setup, wants},
};

static struct takt_pool pool;
static uint64_t storage[TAKT_POOL_BYTES(MESSAGE, 2) / sizeof(uint64_t) + 1];
static void *block;
static void *blocks_of[OTHERS_MAX];

static void pool_setup(void)
{
    takt_pool_init(&pool, 3, storage, MESSAGE, 2);
}

static void freed_setup(void)
{
    pool_setup();
    takt_pool_free(&pool, takt_pool_try_allocate(&pool));
}

static void empty_setup(void)
{
    pool_setup();
    (void)!takt_pool_try_allocate(&pool);
    block = takt_pool_try_allocate(&pool);
}

static uint32_t allocates(unsigned number)
{
    return takt_pool_allocate_until(&pool, &blocks_of[number], expiry(number));
}

DO(pool_init, takt_pool_init(&pool, 3, storage, MESSAGE, 2))
CALL(allocate, takt_pool_allocate(&pool, &block))
CALL(allocate_until, takt_pool_allocate_until(&pool, &block, worst_ns))
CALL(try_allocate, takt_pool_try_allocate(&pool) == storage)
DO(pool_free, takt_pool_free(&pool, block))
DO(pool_delete, takt_pool_delete(&pool))

static const struct scenario pools[] = {
    {"takt_pool_init", "", RETURNS, 0, 0, pool_init},
    {"takt_pool_allocate", "a free one", RETURNS, TAKT_OK, 0, allocate, freed_setup},
    {"takt_pool_allocate", "one never used", RETURNS, TAKT_OK, 0, allocate, pool_setup},
    {"takt_pool_allocate", "last of the waiters", BLOCKS, 0, 0, allocate, empty_setup, allocates},
    {"takt_pool_allocate_until", "a free one", RETURNS, TAKT_OK, 0, allocate_until, freed_setup},
    {"takt_pool_allocate_until", "last of the waiters", BLOCKS, 0, 0, allocate_until, empty_setup, allocates},
    {"takt_pool_try_allocate", "a free one", RETURNS, true, 0, try_allocate, freed_setup},
    {"takt_pool_try_allocate", "one never used", RETURNS, true, 0, try_allocate, pool_setup},
    {"takt_pool_free", "nobody waits", RETURNS, 0, 0, pool_free, empty_setup},
    {"takt_pool_free", "all wait", WAKES, 0, 1, pool_free, empty_setup, allocates},
    {"takt_pool_delete", "all wait", WAKES, 0, ALL, pool_delete, empty_setup, allocates},
};

void measure_events(void)
{
    MEASURE(semaphores);
    MEASURE(flags);
    MEASURE(pools);
}
