/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever waits to read finds the pipe empty, and whoever waits to write finds it full: a call serves the others until
 * that holds again. All bytes go through the storage, so that their order is plain.
 */
#include "takt/pipe.h"

#include "kernel/src/kernel.h"

#include <string.h>

/* One side of a call; of a waiter it is on its stack, and its `wait_buffer` points to it. */
struct transfer {
    uint8_t *bytes; /* only read, when it writes */
    struct takt_pipe_count *count;
};

void takt_pipe_init(struct takt_pipe *pipe, uint16_t trace_id, uint8_t *storage, uint32_t capacity)
{
    TAKT_ASSERT(storage != NULL && capacity > 0);
    *pipe = (struct takt_pipe){.storage = storage, .capacity = capacity, .id = trace_id};
}

static uint32_t rest_of(const struct transfer *transfer)
{
    return transfer->count->size - transfer->count->done;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Moves what is possible, which is something, between a caller's bytes and the storage, in two pieces where it ends. */
static void pipe_move(struct takt_pipe *pipe, const struct transfer *transfer, bool in, const struct takt_task *task)
{
    uint32_t bytes = least_of(rest_of(transfer), in ? pipe->capacity - pipe->count : pipe->count);
    uint32_t from = pipe->out + (in ? pipe->count : 0); /* the capacity is not half of all there is */
    from -= from >= pipe->capacity ? pipe->capacity : 0;
    uint32_t first = least_of(bytes, pipe->capacity - from);
    uint8_t *outside = transfer->bytes + transfer->count->done;
    if (in) {
        (void)memcpy(pipe->storage + from, outside, first);
        (void)memcpy(pipe->storage, outside + first, bytes - first);
        pipe->count += bytes;
    } else {
        (void)memcpy(outside, pipe->storage + from, first);
        (void)memcpy(outside + first, pipe->storage, bytes - first);
        pipe->out = first < bytes ? bytes - first : from + bytes;
        pipe->count -= bytes;
    }
    transfer->count->done += bytes;
    takti_trace(in ? TAKT_EVENT_SEND : TAKT_EVENT_RECEIVE, task, pipe->id, 0);
}

/* Whether there is something to move in that direction. */
static bool movable(const struct takt_pipe *pipe, bool in)
{
    return in ? pipe->count < pipe->capacity : pipe->count > 0;
}

/* The waiters of one side, the best first, as far as it goes: who has all that it can use is ready. */
static void pipe_serve(struct takt_pipe *pipe, bool in)
{
    struct takt_task **queue = in ? &pipe->writers : &pipe->readers;
    while (*queue != NULL && movable(pipe, in)) { /* at most the declared users */
        struct takt_task *task = *queue;
        const struct transfer *transfer = task->wait_buffer;
        pipe_move(pipe, transfer, in, task);
        if (rest_of(transfer) == 0) {
            (void)takti_wake_first(queue);
        }
    }
}

/* Nothing more comes for now: the first waiter of one side may have enough. */
static void pipe_settle(struct takt_task **queue)
{
    if (*queue != NULL) {
        const struct transfer *transfer = (*queue)->wait_buffer;
        if (transfer->count->done >= transfer->count->least) {
            (void)takti_wake_first(queue);
        }
    }
}

/* How many bytes a call can move at once: those that waiters of the other side have or want included. O(waiters). */
static uint64_t possible(const struct takt_pipe *pipe, bool in)
{
    uint64_t bytes = in ? pipe->capacity - pipe->count : pipe->count;
    const struct takt_task *task = in ? pipe->readers : pipe->writers;
    for (; task != NULL; task = task->next) {
        bytes += rest_of(task->wait_buffer);
    }
    return bytes;
}

static enum takt_status pipe_call(struct takt_pipe *pipe, const struct transfer *transfer, bool in,
                                  const uint64_t *until_ns)
{
    struct takt_pipe_count *count = transfer->count;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0);
    TAKT_ASSERT(count->size > 0 && count->least <= count->size);
    count->done = 0;
    if (until_ns == NULL && possible(pipe, in) < count->least) {
        takt_port_leave(lock);
        return TAKT_BUSY;
    }
    while (rest_of(transfer) > 0 && movable(pipe, in)) { /* each time at least one byte: at most `size` */
        pipe_move(pipe, transfer, in, takti_caller(lock));
        pipe_serve(pipe, !in);
    }
    pipe_settle(in ? &pipe->readers : &pipe->writers);
    if (count->done < count->least) {
        return takti_wait_with(transfer, in ? &pipe->writers : &pipe->readers, pipe->id, until_ns);
    }
    return takti_reschedule(lock);
}

enum takt_status takt_pipe_write_until(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count,
                                       uint64_t until_ns)
{
    const struct transfer transfer = {(uint8_t *)(uintptr_t)bytes, count};
    return pipe_call(pipe, &transfer, true, &until_ns);
}

enum takt_status takt_pipe_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count)
{
    return takt_pipe_write_until(pipe, bytes, count, TAKT_FOREVER);
}

enum takt_status takt_pipe_try_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count)
{
    const struct transfer transfer = {(uint8_t *)(uintptr_t)bytes, count};
    return pipe_call(pipe, &transfer, true, NULL);
}

enum takt_status takt_pipe_read_until(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count,
                                      uint64_t until_ns)
{
    const struct transfer transfer = {bytes, count};
    return pipe_call(pipe, &transfer, false, &until_ns);
}

enum takt_status takt_pipe_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count)
{
    return takt_pipe_read_until(pipe, bytes, count, TAKT_FOREVER);
}

enum takt_status takt_pipe_try_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count)
{
    const struct transfer transfer = {bytes, count};
    return pipe_call(pipe, &transfer, false, NULL);
}

void takt_pipe_delete(struct takt_pipe *pipe)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    pipe->count = 0;
    takti_delete(&pipe->readers, &pipe->writers, pipe->id, lock);
}
