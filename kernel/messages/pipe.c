/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariant: while tasks wait to read the pipe is empty, and while tasks wait to write it is full; a call serves
 * waiters until it holds again. All bytes pass through the storage, which keeps their order.
 */
#include "takt/pipe.h"

#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

#include <string.h>

/* One side of a call; of a waiter it is TAKTI_KEPT, and its `wait_buffer` points to it. */
struct transfer {
    uint8_t *bytes; /* only read, when it writes */
    struct takt_pipe_count *count;
    struct takt_pipe_count own[TAKT_PROCESSES]; /* `count` is in memory that a process can write while it waits: it is
                                                   only written */
};

static inline struct takt_pipe_count *count_of(struct transfer *transfer)
{
    return TAKT_PROCESSES ? transfer->own : transfer->count;
}

static inline void done_set(struct transfer *transfer, struct takt_pipe_count *count, uint32_t done)
{
    count->done = done;
    if (TAKT_PROCESSES) {
        transfer->count->done = done;
    }
}

void takt_pipe_init(struct takt_pipe *pipe, uint16_t trace_id, uint8_t *storage, uint32_t capacity)
{
    TAKT_ASSERT(storage != NULL && capacity > 0);
    *pipe = (struct takt_pipe)TAKTI_PIPE(trace_id, storage, capacity, 0, NULL);
}

static uint32_t rest_of(struct transfer *transfer)
{
    return count_of(transfer)->size - count_of(transfer)->done;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static TAKTI_NOINLINE_SIZE void pipe_copy(uint8_t *inside, uint8_t *outside, uint32_t bytes, bool in)
{
    (void)memcpy(in ? inside : outside, in ? outside : inside, bytes);
}

/*
 * Moves the possible bytes, at least one, between a caller's buffer and the storage, in two parts at its end. Bytes
 * that stay there may release a job: another task may be the best then.
 */
static void pipe_move(struct takt_pipe *pipe, struct transfer *transfer, bool in, const struct takt_task *task)
{
    uint32_t bytes = least_of(rest_of(transfer), pipe->possible[in]);
    uint32_t from = pipe->offsets[in];
    uint32_t first = least_of(bytes, pipe->capacity - from);
    uint8_t *outside = transfer->bytes + count_of(transfer)->done;
    pipe_copy(pipe->storage + from, outside, first, in);
    pipe_copy(pipe->storage, outside + first, bytes - first, in);
    pipe->offsets[in] = first < bytes ? bytes - first : from + bytes;
    pipe->possible[in] -= bytes;
    pipe->possible[!in] += bytes;
    done_set(transfer, count_of(transfer), count_of(transfer)->done + bytes);
    takti_trace(in ? TAKT_EVENT_SEND : TAKT_EVENT_RECEIVE, task, pipe->id, 0);
    if (TAKT_JOBS && in && task != pipe->trigger && pipe->waiters[false] == NULL &&
        pipe->possible[false] >= pipe->trigger_bytes) {
        (void)takti_trigger(pipe->trigger);
    }
}

/* Wakes the first waiter of one side: bytes that it read can be taken back. */
static void pipe_wake(struct takt_task **queue, bool in)
{
    (void)(in ? takti_wake_first(queue) : takti_hand_first(queue));
}

/* Serves the waiters of one side, the best first, as far as possible: a waiter with `size` bytes becomes ready. */
static void pipe_serve(struct takt_pipe *pipe, bool in)
{
    struct takt_task **queue = &pipe->waiters[in];
    while (*queue != NULL && pipe->possible[in] > 0) { /* at most the declared users */
        struct takt_task *task = *queue;
        struct transfer *transfer = task->wait_buffer;
        pipe_move(pipe, transfer, in, task);
        if (rest_of(transfer) == 0) {
            pipe_wake(queue, in);
        }
    }
}

/* No more bytes for now: wakes the first waiter of one side if it has `least`. */
static void pipe_settle(struct takt_pipe *pipe, bool in)
{
    struct takt_task **queue = &pipe->waiters[in];
    if (*queue != NULL) {
        struct transfer *transfer = (*queue)->wait_buffer;
        if (count_of(transfer)->done >= count_of(transfer)->least) {
            pipe_wake(queue, in);
        }
    }
}

/* Number of bytes that a call can move at once, those of waiters of the other side included. O(waiters). */
static uint64_t possible(const struct takt_pipe *pipe, bool in)
{
    uint64_t bytes = pipe->possible[in];
    for (const struct takt_task *task = pipe->waiters[!in]; task != NULL; task = task->next) {
        bytes += rest_of(task->wait_buffer);
    }
    return bytes;
}

/* Moves the bytes of a call as far as possible. */
static TAKTI_NOINLINE_SIZE void pipe_transfer(struct takt_pipe *pipe, struct transfer *transfer, bool in,
                                              const struct takt_task *task)
{
    while (rest_of(transfer) > 0 && pipe->possible[in] > 0) { /* at least one byte each: at most `size` */
        pipe_move(pipe, transfer, in, task);
        pipe_serve(pipe, !in);
    }
    pipe_settle(pipe, !in);
}

unsigned takti_pipe_due(const struct takt_pipe *pipe)
{
    return pipe->possible[false] >= pipe->trigger_bytes ? 1 : 0;
}

/* Puts bytes before all stored ones: the last of them, if there is not enough space. */
static void pipe_prepend(struct takt_pipe *pipe, uint8_t *bytes, uint32_t count, const struct takt_task *task)
{
    uint32_t back = least_of(count, pipe->possible[true]);
    uint32_t offsets = pipe->offsets[false];
    uint32_t wrapped = back > offsets ? back - offsets : 0; /* at the end of the storage */
    bytes += count - back;
    pipe_copy(pipe->storage + pipe->capacity - wrapped, bytes, wrapped, true);
    pipe_copy(pipe->storage + (wrapped > 0 ? 0 : offsets - back), bytes + wrapped, back - wrapped, true);
    pipe->offsets[false] = wrapped > 0 ? pipe->capacity - wrapped : offsets - back;
    pipe->possible[true] -= back;
    pipe->possible[false] += back;
    if (back > 0) {
        takti_trace(TAKT_EVENT_SEND, task, pipe->id, 0);
    }
}

/* To the next readers, or before all later bytes; bytes without space are lost. Also for a task that still waits. */
void takti_pipe_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_pipe *pipe = (struct takt_pipe *)(void *)queue;
    struct transfer *had = task->wait_buffer;
    struct takt_pipe_count count = {.size = count_of(had)->done};
    struct transfer back = {.bytes = had->bytes, .count = &count};
    if (TAKT_PROCESSES) {
        *back.own = count;
    }
    if (task->timer.state == TAKTI_BLOCKED_PIPE) {
        takti_wait_remove(task);
        task->wait_queue = NULL;
    }
    if (!takti_may_give_back(task, pipe)) {
        return;
    }
    if (pipe->possible[false] == 0) {
        pipe_transfer(pipe, &back, true, task);
    } else {
        pipe_prepend(pipe, back.bytes, count.size, task);
    }
}

static enum takt_status pipe_call(struct takt_pipe *pipe, struct transfer *transfer, bool in, const uint64_t *until_ns)
{
    struct takt_pipe_count *count = count_of(transfer);
    uint32_t lock = takt_port_enter();
    if (TAKT_PROCESSES) {
        *transfer->own = *transfer->count;
    }
    TAKT_ASSERT(until_ns == NULL ? takti_allowed(lock) : takt_port_caller(lock) == 0);
    TAKT_ASSERT(count->size > 0 && count->least <= count->size);
    done_set(transfer, count, 0);
    if (until_ns == NULL && possible(pipe, in) < count->least) {
        return takti_refuse(lock, pipe->id);
    }
    pipe_transfer(pipe, transfer, in, takti_caller(lock));
    if (count->done < count->least) {
        takti_kernel.ready.running->wait_buffer = transfer;
        return takti_wait_as(in ? TAKTI_BLOCKED : TAKTI_BLOCKED_PIPE, &pipe->waiters[in], pipe->id, *until_ns);
    }
    return takti_reschedule(lock);
}

TAKTI_NOINLINE_SIZE enum takt_status takt_pipe_write_until(struct takt_pipe *pipe, const void *bytes,
                                                           struct takt_pipe_count *count, uint64_t until_ns)
{
    TAKTI_KEPT(struct transfer, transfer);
    *transfer = (struct transfer){.bytes = (uint8_t *)(uintptr_t)bytes, .count = count};
    return pipe_call(pipe, transfer, true, &until_ns);
}

enum takt_status takt_pipe_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count)
{
    return takt_pipe_write_until(pipe, bytes, count, TAKT_FOREVER);
}

enum takt_status takt_pipe_try_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count)
{
    struct transfer transfer = {.bytes = (uint8_t *)(uintptr_t)bytes, .count = count};
    return pipe_call(pipe, &transfer, true, NULL);
}

TAKTI_NOINLINE_SIZE enum takt_status takt_pipe_read_until(struct takt_pipe *pipe, void *bytes,
                                                          struct takt_pipe_count *count, uint64_t until_ns)
{
    TAKTI_KEPT(struct transfer, transfer);
    *transfer = (struct transfer){.bytes = bytes, .count = count};
    return pipe_call(pipe, transfer, false, &until_ns);
}

enum takt_status takt_pipe_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count)
{
    return takt_pipe_read_until(pipe, bytes, count, TAKT_FOREVER);
}

enum takt_status takt_pipe_try_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count)
{
    struct transfer transfer = {.bytes = bytes, .count = count};
    return pipe_call(pipe, &transfer, false, NULL);
}

void takt_pipe_delete(struct takt_pipe *pipe)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_object_deleted(pipe);
    pipe->possible[false] = 0;
    pipe->possible[true] = pipe->capacity;
    pipe->offsets[false] = pipe->offsets[true];
    takti_delete(&pipe->waiters[false], &pipe->waiters[true], pipe->id, lock);
}
