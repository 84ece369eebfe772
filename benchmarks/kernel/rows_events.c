/* SPDX-License-Identifier: Apache-2.0 */
/* Event flags and blocks of a pool. */
#include "harness.h"

static struct events events;

static void events_waiter(void *argument)
{
    (void)argument;
    for (;;) {
        uint32_t got = events_take(&events, 1);
        stamp_end(1);
        effects += got & 1u;
    }
}

static void events_waiter_setup(void)
{
    events_init(&events);
    thread_take(events_waiter, LEVEL_ABOVE);
}

static void event_to_waiter(void)
{
    stamp_begin(0);
    events_set(&events, 1);
}

static struct pool pool;

static void pool_setup(void)
{
    pool_init(&pool);
}

static void block_pair(void)
{
    struct pool *known = &pool;
    IN_REGISTER(known);
    stamp_begin(0);
    void *block = pool_allocate(known);
    pool_free(known, block);
    stamp_end(1);
    effects += block != NULL;
}

static const struct row rows[] = {
    {"event_to_waiter", events_waiter_setup, event_to_waiter, 1, 0, 1, false, 0},
    {"block_pair", pool_setup, block_pair, 1, 0, 1, false, 0},
};

void event_rows_measure(void)
{
    harness_measure(rows, has_pools() ? sizeof rows / sizeof rows[0] : 1);
}
