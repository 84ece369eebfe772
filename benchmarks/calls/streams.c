/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes and signals. */
#include "calls.h"

/* Eight bytes go in or out, and each of the others waits for one or with one: so many as there are bytes get them. */
static struct takt_pipe stream;
static uint8_t storage[MESSAGE];
static struct takt_pipe_count count;
static struct takt_pipe_count count_of[OTHERS_MAX];
static uint8_t byte_of[OTHERS_MAX];

static void dry_setup(void)
{
    takt_pipe_init(&stream, 1, storage, sizeof storage);
    count = (struct takt_pipe_count){.size = MESSAGE, .least = MESSAGE};
}

static void full_setup(void)
{
    dry_setup();
    (void)!takt_pipe_try_write(&stream, sent, &count);
}

static uint32_t writes(unsigned number)
{
    count_of[number] = (struct takt_pipe_count){.size = 1, .least = 1};
    return takt_pipe_write_until(&stream, &byte_of[number], &count_of[number], expiry(number));
}

static uint32_t reads(unsigned number)
{
    count_of[number] = (struct takt_pipe_count){.size = 1, .least = 1};
    return takt_pipe_read_until(&stream, &byte_of[number], &count_of[number], expiry(number));
}

DO(pipe_init, takt_pipe_init(&stream, 1, storage, sizeof storage))
CALL(pipe_write, takt_pipe_write(&stream, sent, &count))
CALL(pipe_write_until, takt_pipe_write_until(&stream, sent, &count, worst_ns))
CALL(pipe_try_write, takt_pipe_try_write(&stream, sent, &count))
CALL(pipe_read, takt_pipe_read(&stream, got, &count))
CALL(pipe_read_until, takt_pipe_read_until(&stream, got, &count, worst_ns))
CALL(pipe_try_read, takt_pipe_try_read(&stream, got, &count))
DO(pipe_delete, takt_pipe_delete(&stream))

static const struct scenario pipes[] = {
    {"takt_pipe_init", "", RETURNS, 0, 0, pipe_init},
    {"takt_pipe_write", "stored", RETURNS, TAKT_OK, 0, pipe_write, dry_setup},
    {"takt_pipe_write", "all wait to read", WAKES, TAKT_OK, MESSAGE, pipe_write, dry_setup, reads},
    {"takt_pipe_write", "last of the writers", BLOCKS, 0, 0, pipe_write, full_setup, writes},
    {"takt_pipe_write_until", "stored", RETURNS, TAKT_OK, 0, pipe_write_until, dry_setup},
    {"takt_pipe_write_until", "all wait to read", WAKES, TAKT_OK, MESSAGE, pipe_write_until, dry_setup, reads},
    {"takt_pipe_write_until", "last of the writers", BLOCKS, 0, 0, pipe_write_until, full_setup, writes},
    {"takt_pipe_try_write", "stored", RETURNS, TAKT_OK, 0, pipe_try_write, dry_setup},
    {"takt_pipe_try_write", "all wait to read", WAKES, TAKT_OK, MESSAGE, pipe_try_write, dry_setup, reads},
    {"takt_pipe_read", "nobody waits", RETURNS, TAKT_OK, 0, pipe_read, full_setup},
    {"takt_pipe_read", "all wait to write", WAKES, TAKT_OK, MESSAGE, pipe_read, full_setup, writes},
    {"takt_pipe_read", "last of the readers", BLOCKS, 0, 0, pipe_read, dry_setup, reads},
    {"takt_pipe_read_until", "nobody waits", RETURNS, TAKT_OK, 0, pipe_read_until, full_setup},
    {"takt_pipe_read_until", "all wait to write", WAKES, TAKT_OK, MESSAGE, pipe_read_until, full_setup, writes},
    {"takt_pipe_read_until", "last of the readers", BLOCKS, 0, 0, pipe_read_until, dry_setup, reads},
    {"takt_pipe_try_read", "nobody waits", RETURNS, TAKT_OK, 0, pipe_try_read, full_setup},
    {"takt_pipe_try_read", "all wait to write", WAKES, TAKT_OK, MESSAGE, pipe_try_read, full_setup, writes},
    {"takt_pipe_delete", "all wait to read", WAKES, 0, ALL, pipe_delete, dry_setup, reads},
    {"takt_pipe_delete", "all wait to write", WAKES, 0, ALL, pipe_delete, full_setup, writes},
};

/* A queue has one task that receives: the first of the others, or the caller. */
static uint64_t memory[TAKT_SIGNAL_BYTES(MESSAGE) * (CAPACITY + 1) / 8];
static struct takt_signal_pool pool;
static struct takt_signal_queue queue;
static struct takt_signal *held;
static struct takt_signal *received;
static const uint32_t numbers[] = {3, 1};
static const struct takt_signal_filter filter = {.numbers = numbers, .count = 2};

static void pool_setup(void)
{
    takt_signal_pool_init(&pool, memory, MESSAGE, CAPACITY + 1);
}

static void held_setup(void)
{
    pool_setup();
    held = takt_signal_allocate(&pool, 1);
}

static void freed_setup(void)
{
    held_setup();
    takt_signal_free(&held);
}

static void own_queue(void)
{
    held_setup();
    takt_signal_queue_init(&queue, 2, &runner.task);
}

static void queue_of_first(void)
{
    held_setup();
    takt_signal_queue_init(&queue, 2, &other[0].task);
}

static void queue_of_blocker(void)
{
    pool_setup();
    takt_signal_queue_init(&queue, 2, &blocker.task);
}

/* Of as many as there may be, only the last is of a number that the filter wants. */
static void queued_setup(void)
{
    own_queue();
    for (unsigned i = 0; i < CAPACITY; i++) {
        struct takt_signal *signal = takt_signal_allocate(&pool, 2);
        takt_signal_send(&signal, &queue);
    }
    takt_signal_send(&held, &queue);
}

static uint32_t receives_or_sleeps(unsigned number)
{
    if (number != 0) {
        takt_delay_until(expiry(number));
        return TAKT_OK;
    }
    return takt_signal_receive_until(&queue, &filter, &received, expiry(0));
}

DO(pool_init, takt_signal_pool_init(&pool, memory, MESSAGE, CAPACITY + 1))
DO(queue_init, takt_signal_queue_init(&queue, 2, &runner.task))
CALL(allocate, takt_signal_allocate(&pool, 1) != NULL)
CALL(data, takt_signal_data(held) != NULL)
DO(send, takt_signal_send(&held, &queue))
CALL(receive, takt_signal_receive(&queue, &filter, &received))
CALL(receive_until, takt_signal_receive_until(&queue, &filter, &received, worst_ns))
CALL(try_receive, takt_signal_try_receive(&queue, &filter, &received))
DO(free_signal, takt_signal_free(&held))

static const struct scenario signals[] = {
    {"takt_signal_pool_init", "", RETURNS, 0, 0, pool_init},
    {"takt_signal_queue_init", "", RETURNS, 0, 0, queue_init},
    {"takt_signal_allocate", "a free one", RETURNS, true, 0, allocate, freed_setup},
    {"takt_signal_allocate", "one never used", RETURNS, true, 0, allocate, pool_setup},
    {"takt_signal_data", "", RETURNS, true, 0, data, held_setup},
    {"takt_signal_send", "queued", RETURNS, 0, 0, send, own_queue},
    {"takt_signal_send", "the receiver waits for such", WAKES, 0, 1, send, queue_of_first, receives_or_sleeps},
    {"takt_signal_receive", "the last that is queued", RETURNS, TAKT_OK, 0, receive, queued_setup},
    {"takt_signal_receive", "none", BLOCKS, 0, 0, receive, queue_of_blocker},
    {"takt_signal_receive_until", "the last that is queued", RETURNS, TAKT_OK, 0, receive_until, queued_setup},
    {"takt_signal_receive_until", "none", BLOCKS, 0, 0, receive_until, queue_of_blocker},
    {"takt_signal_try_receive", "the last that is queued", RETURNS, TAKT_OK, 0, try_receive, queued_setup},
    {"takt_signal_free", "", RETURNS, 0, 0, free_signal, held_setup},
};

void measure_streams(void)
{
    MEASURE(pipes);
    MEASURE(signals);
}
