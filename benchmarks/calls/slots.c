/* SPDX-License-Identifier: Apache-2.0 */
/* Slots, by priority and with inheritance. */
#include "calls.h"

/* The owner inherits LEVEL_RUNNER from a message of priority 0, and from the others nothing but a look at them. */
static const uint8_t levels[] = {LEVEL_RUNNER, LEVEL_SPINNER, LEVEL_SPINNER};
static TAKT_SLOT_INHERITANCE_DEFINE(inheritance, levels, 3);
static uint64_t storage[TAKT_SLOT_BYTES(MESSAGE, CAPACITY) / 8];
static const struct takt_slot_config config = {.storage = storage,
                                               .inheritance = &inheritance,
                                               .important = UINT32_MAX,
                                               .message_size = MESSAGE,
                                               .capacity = CAPACITY,
                                               .id = 1,
                                               .by_priority = true};
static struct takt_slot slot;
static void *buffer;
static void *buffers[CAPACITY];
static void *buffer_of[OTHERS_MAX];

static void free_setup(void)
{
    takt_slot_init(&slot, &config);
}

static void closed_setup(void)
{
    free_setup();
    (void)!takt_slot_allocate(&slot);
}

static void open_setup(void)
{
    closed_setup();
    takt_slot_open(&slot);
}

static void commit_some(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        (void)!takt_slot_try_reserve(&slot, i == 0 ? 2 : 1, &buffers[i]);
        takt_slot_commit(&slot, buffers[i]);
    }
}

static void full_setup(void)
{
    open_setup();
    commit_some(CAPACITY);
}

/* One is reserved, and goes before the last of the others. */
static void reserved_setup(void)
{
    open_setup();
    commit_some(CAPACITY - 1);
    (void)!takt_slot_try_reserve(&slot, 1, &buffer);
}

/* All are taken; the one that is released was the first, and so is the last of those. */
static void taken_setup(void)
{
    full_setup();
    for (unsigned i = 0; i < CAPACITY; i++) {
        (void)!takt_slot_try_take(&slot, &buffers[i]);
    }
    buffer = buffers[0];
}

static uint32_t reserves(unsigned number)
{
    return takt_slot_reserve_until(&slot, 1, &buffer_of[number], expiry(number));
}

static uint32_t first_takes(unsigned number)
{
    if (number != 0) {
        takt_delay_until(expiry(number));
        return TAKT_OK;
    }
    open_setup();
    return takt_slot_take_until(&slot, &buffer_of[0], expiry(0));
}

static void reserve_arm(void)
{
    (void)!takt_slot_try_reserve(&slot, 0, &buffer);
}

static void own_then_take(void)
{
    open_setup();
    stamp_begin(0);
    (void)!takt_slot_take(&slot, &buffer);
    fail("returned");
}

static void own_then_take_until(void)
{
    open_setup();
    stamp_begin(0);
    (void)!takt_slot_take_until(&slot, &buffer, worst_ns);
    fail("returned");
}

DO(slot_init, takt_slot_init(&slot, &config))
CALL(allocate, takt_slot_allocate(&slot))
DO(open, takt_slot_open(&slot))
CALL(close, takt_slot_close(&slot))
CALL(deallocate, takt_slot_deallocate(&slot))
CALL(reserve, takt_slot_reserve(&slot, 1, &buffer))
CALL(reserve_until, takt_slot_reserve_until(&slot, 1, &buffer, worst_ns))
CALL(try_reserve, takt_slot_try_reserve(&slot, 1, &buffer))
DO(commit, takt_slot_commit(&slot, buffer))
CALL(take, takt_slot_take(&slot, &buffer))
CALL(take_until, takt_slot_take_until(&slot, &buffer, worst_ns))
CALL(try_take, takt_slot_try_take(&slot, &buffer))
CALL(release, takt_slot_release(&slot, buffer))
CALL(flush, takt_slot_flush(&slot) == (others < CAPACITY ? others : CAPACITY))
CALL(info, takt_slot_info(&slot).taken)

static const struct scenario slots[] = {
    {"takt_slot_init", "", RETURNS, 0, 0, slot_init},
    {"takt_slot_allocate", "", RETURNS, TAKT_OK, 0, allocate, free_setup},
    {"takt_slot_open", "", RETURNS, 0, 0, open, closed_setup},
    {"takt_slot_close", "all wait for a buffer", WAKES, CAPACITY, ALL, close, full_setup, reserves},
    {"takt_slot_deallocate", "", RETURNS, TAKT_OK, 0, deallocate, closed_setup},
    {"takt_slot_reserve", "a free one", RETURNS, TAKT_OK, 0, reserve, open_setup},
    {"takt_slot_reserve", "last of the waiters", BLOCKS, 0, 0, reserve, full_setup, reserves},
    {"takt_slot_reserve_until", "a free one", RETURNS, TAKT_OK, 0, reserve_until, open_setup},
    {"takt_slot_reserve_until", "last of the waiters", BLOCKS, 0, 0, reserve_until, full_setup, reserves},
    {"takt_slot_try_reserve", "a free one", RETURNS, TAKT_OK, 0, try_reserve, open_setup},
    {"takt_slot_commit", "sorted in", RETURNS, 0, 0, commit, reserved_setup},
    {"takt_slot_commit", "the owner waits for it", WAKES, 0, 1, commit, NULL, first_takes, reserve_arm},
    {"takt_slot_take", "a message", RETURNS, TAKT_OK, 0, take, full_setup},
    {"takt_slot_take", "none", BLOCKS, 0, 0, own_then_take},
    {"takt_slot_take_until", "a message", RETURNS, TAKT_OK, 0, take_until, full_setup},
    {"takt_slot_take_until", "none", BLOCKS, 0, 0, own_then_take_until},
    {"takt_slot_try_take", "a message", RETURNS, TAKT_OK, 0, try_take, full_setup},
    {"takt_slot_release", "nobody waits", RETURNS, CAPACITY - 1, 0, release, taken_setup},
    {"takt_slot_release", "all wait for a buffer", WAKES, CAPACITY, 1, release, taken_setup, reserves},
    {"takt_slot_flush", "all wait for a buffer", WAKES, true, CAPACITY, flush, full_setup, reserves},
    {"takt_slot_info", "", RETURNS, CAPACITY, 0, info, taken_setup},
};

void measure_slots(void)
{
    MEASURE(slots);
}
