/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and state messages, in line as a caller has them; and what is little without a trace. */
#include "calls.h"

enum { MANY = 4 };

TAKT_RING_DEFINE(ring, MESSAGE, MANY);
TAKT_RING_DEFINE(ring_1, MESSAGE, MANY);
TAKT_RING_DEFINE(ring_2, MESSAGE, MANY);
static struct takt_ring *const rings[] = {&ring, &ring_1, &ring_2};
static struct takt_ring_group group = {.rings = rings, .count = 3};
static uint64_t storage[TAKT_RING_BYTES(MESSAGE, MANY) / 8];
static uint32_t messages[MANY][MESSAGE / 4];
static void *item;
static const struct takt_ring_retry once = {0, NULL};

static void empty_setup(void)
{
    takt_ring_init(&ring, storage, MESSAGE, MANY);
    takt_ring_init(&ring_1, ring_1_storage, MESSAGE, MANY);
    takt_ring_init(&ring_2, ring_2_storage, MESSAGE, MANY);
    group.next = 1;
}

/* The next item goes to the last slot, after which the ring wraps. */
static void almost_setup(void)
{
    empty_setup();
    for (unsigned i = 1; i < MANY; i++) {
        (void)!takt_ring_put(&ring, sent, MESSAGE);
        (void)!takt_ring_get(&ring, got, MESSAGE);
    }
}

static void one_setup(void)
{
    almost_setup();
    (void)!takt_ring_put(&ring, sent, MESSAGE);
}

static void full_setup(void)
{
    empty_setup();
    while (takt_ring_put(&ring, sent, MESSAGE) == TAKT_OK) {
    }
}

static void reserved_setup(void)
{
    almost_setup();
    (void)!takt_ring_reserve(&ring, MESSAGE, &item);
}

static void taken_setup(void)
{
    one_setup();
    (void)!takt_ring_take(&ring, MESSAGE, &item);
}

DO(ring_init, takt_ring_init(&ring, storage, MESSAGE, MANY))
CALL(reserve, takt_ring_reserve(&ring, MESSAGE, &item))
DO(commit, takt_ring_commit(&ring, MESSAGE))
CALL(take, takt_ring_take(&ring, MESSAGE, &item))
DO(release, takt_ring_release(&ring, MESSAGE))
CALL(put, takt_ring_put(&ring, sent, MESSAGE))
CALL(get, takt_ring_get(&ring, got, MESSAGE))
CALL(put_many, takt_ring_put_many(&ring, messages, MESSAGE, MANY))
CALL(get_many, takt_ring_get_many(&ring, messages, MESSAGE, MANY))
CALL(put_retry, takt_ring_put_retry(&ring, sent, MESSAGE, &once))
CALL(get_retry, takt_ring_get_retry(&ring, got, MESSAGE, &once))
CALL(group_get, takt_ring_group_get(&group, got, MESSAGE, NULL))

static const struct scenario rings_measured[] = {
    {"takt_ring_init", "of four items", RETURNS, 0, 0, ring_init},
    {"takt_ring_reserve", "", RETURNS, TAKT_OK, 0, reserve, almost_setup},
    {"takt_ring_commit", "", RETURNS, 0, 0, commit, reserved_setup},
    {"takt_ring_take", "", RETURNS, TAKT_OK, 0, take, one_setup},
    {"takt_ring_release", "", RETURNS, 0, 0, release, taken_setup},
    {"takt_ring_put", "", RETURNS, TAKT_OK, 0, put, almost_setup},
    {"takt_ring_get", "", RETURNS, TAKT_OK, 0, get, one_setup},
    {"takt_ring_put_many", "four items", RETURNS, MANY, 0, put_many, empty_setup},
    {"takt_ring_get_many", "four items", RETURNS, MANY, 0, get_many, full_setup},
    {"takt_ring_put_retry", "no retry", RETURNS, TAKT_OK, 0, put_retry, almost_setup},
    {"takt_ring_get_retry", "no retry", RETURNS, TAKT_OK, 0, get_retry, one_setup},
    {"takt_ring_group_get", "from the last of three", RETURNS, TAKT_OK, 0, group_get, one_setup},
};

TAKT_STATE_DEFINE(state, MESSAGE, 2);

DO(state_init, takt_state_init(&state, state_storage, MESSAGE, 2))
DO(state_write, takt_state_write(&state, sent, MESSAGE))
CALL(state_read, takt_state_read(&state, got, MESSAGE))
CALL(state_read_locked, takt_state_read_locked(&state, got, MESSAGE))

static struct takt_trace_record record;
CALL(trace_read, takt_trace_read(&record, 1))
DO(interrupt_enter, takt_interrupt_enter(1))
DO(interrupt_exit, takt_interrupt_exit(1))

static void state_setup(void)
{
    takt_state_init(&state, state_storage, MESSAGE, 2);
}

static void written_setup(void)
{
    state_setup();
    takt_state_write(&state, sent, MESSAGE);
}

static const struct scenario rest[] = {
    {"takt_state_init", "of depth 2", RETURNS, 0, 0, state_init},
    {"takt_state_write", "the first copy", RETURNS, 0, 0, state_write, written_setup},
    {"takt_state_write", "the last copy", RETURNS, 0, 0, state_write, state_setup},
    {"takt_state_read", "", RETURNS, TAKT_OK, 0, state_read},
    {"takt_state_read_locked", "", RETURNS, TAKT_OK, 0, state_read_locked},
    {"takt_trace_read", "no trace", RETURNS, 0, 0, trace_read},
    {"takt_interrupt_enter", "no trace", RETURNS, 0, 0, interrupt_enter},
    {"takt_interrupt_exit", "no trace", RETURNS, 0, 0, interrupt_exit},
};

void measure_without_lock(void)
{
    MEASURE(rings_measured);
    MEASURE(rest);
}
