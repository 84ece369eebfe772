/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: what calls on pipes do. */
#include <string.h>

#include "kernel/test/model/naive/naive.h"

/* Moves bytes one by one, as many as it goes. */
static void move(unsigned pipe, struct naive_transfer *transfer, bool write, unsigned teller)
{
    uint8_t *bytes = naive.pipe_bytes[pipe];
    unsigned *count = &naive.pipe_count[pipe];
    uint32_t before = transfer->done;
    while (transfer->done < transfer->size && (write ? *count < PIPE_ROOM : *count > 0)) {
        if (write) {
            bytes[(*count)++] = transfer->bytes[transfer->done++];
        } else {
            transfer->bytes[transfer->done++] = bytes[0];
            memmove(bytes, bytes + 1, --(*count));
        }
    }
    if (transfer->done != before) {
        naive_event(write ? TAKT_EVENT_SEND : TAKT_EVENT_RECEIVE, teller, PIPE_ID + pipe, 0);
        unsigned trigger = naive.plan->pipe_trigger[pipe];
        bool stays = write && naive_best_waiter(FOR_BYTES, pipe) == NOBODY && *count >= pipe_trigger_bytes(pipe);
        if (stays && trigger != NOBODY && trigger != teller) {
            naive_arrive(trigger, 0);
        }
    }
}

static uint32_t code(const struct naive_transfer *transfer, bool write)
{
    return pipe_sum(transfer->bytes, transfer->done, write);
}

/* Waiting writers, or readers, go on: one that can move no more, or has enough and is the first, becomes ready. */
static void serve(unsigned pipe, bool write, bool last)
{
    unsigned waiter;
    while ((waiter = naive_best_waiter(write ? FOR_PIPE_ROOM : FOR_BYTES, pipe)) != NOBODY) {
        struct naive_task *task = &naive.tasks[waiter];
        move(pipe, &task->transfer, write, waiter);
        task->returned = code(&task->transfer, write);
        if (task->transfer.done < (last ? task->transfer.least : task->transfer.size)) {
            return;
        }
        naive_wake(waiter, TAKT_OK);
    }
}

/* What could be moved at once. */
static unsigned possible(unsigned pipe, bool write)
{
    unsigned bytes = write ? PIPE_ROOM - naive.pipe_count[pipe] : naive.pipe_count[pipe];
    for (unsigned other = 0; other < naive.plan->task_count; other++) {
        const struct naive_task *task = &naive.tasks[other];
        bool waits = task->where == WAITS && task->wait_for == (write ? FOR_BYTES : FOR_PIPE_ROOM);
        bytes += waits && task->object == pipe ? task->transfer.size - task->transfer.done : 0;
    }
    return bytes;
}

/* One side of a call, as far as it goes. */
static void exchange(unsigned pipe, struct naive_transfer *transfer, bool write, unsigned teller)
{
    uint32_t before;
    do {
        before = transfer->done;
        move(pipe, transfer, write, teller);
        serve(pipe, !write, false);
    } while (transfer->done != before);
    serve(pipe, !write, true);
}

static void transfer(unsigned actor, const struct op *op, bool write)
{
    unsigned pipe = op->object;
    struct naive_transfer transfer = {.size = pipe_size(op), .least = pipe_least(op)};
    bool tries = op->kind == OP_PIPE_TRY_WRITE || op->kind == OP_PIPE_TRY_READ;
    bool timed = op->kind == OP_PIPE_WRITE_UNTIL || op->kind == OP_PIPE_READ_UNTIL;
    for (unsigned position = 0; position < transfer.size && write; position++) {
        transfer.bytes[position] = pipe_byte(log_message(naive.outcome, actor), position);
    }
    if (tries && possible(pipe, write) < transfer.least) {
        naive_event(TAKT_EVENT_REFUSE, naive_teller(actor), PIPE_ID + pipe, TAKT_BUSY);
        naive_done(actor, op, TAKT_BUSY, 0);
        return;
    }
    exchange(pipe, &transfer, write, naive_teller(actor));
    if (transfer.done >= transfer.least) {
        naive_done(actor, op, TAKT_OK, code(&transfer, write));
        return;
    }
    naive_block(actor, write ? FOR_PIPE_ROOM : FOR_BYTES, pipe, PIPE_ID + pipe,
                timed ? op_until(op, naive.now_ns) : TAKT_FOREVER);
    naive.tasks[actor].transfer = transfer;
    naive.tasks[actor].returned = code(&transfer, write);
}

/* As written anew, if the pipe is empty; otherwise before its bytes, the last ones if there is not room for all. */
void naive_pipe_take_back(unsigned index, unsigned pipe)
{
    struct naive_transfer back = naive.tasks[index].transfer;
    uint8_t *bytes = naive.pipe_bytes[pipe];
    unsigned *count = &naive.pipe_count[pipe];
    back.size = back.done;
    back.done = 0;
    if (*count == 0) {
        exchange(pipe, &back, true, index);
        return;
    }
    if (back.size > 0 && *count < PIPE_ROOM) {
        naive_event(TAKT_EVENT_SEND, index, PIPE_ID + pipe, 0);
    }
    while (back.size > 0 && *count < PIPE_ROOM) {
        memmove(bytes + 1, bytes, (*count)++);
        bytes[0] = back.bytes[--back.size];
    }
}

void naive_pipe(unsigned actor, const struct op *op)
{
    if (naive.dead_pipe[op->object]) {
        return;
    }
    if (op->kind == OP_PIPE_DELETE) {
        naive.dead_pipe[op->object] = true;
        naive_event(TAKT_EVENT_DELETE, actor, PIPE_ID + op->object, 0);
        naive_done(actor, op, TAKT_OK, 0);
        naive_wake_all(FOR_BYTES, op->object);
        naive_wake_all(FOR_PIPE_ROOM, op->object);
    } else {
        transfer(actor, op, op->kind <= OP_PIPE_TRY_WRITE);
    }
}
