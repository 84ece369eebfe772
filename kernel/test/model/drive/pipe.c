/* SPDX-License-Identifier: Apache-2.0 */
/* Runs operations on pipes. */
#include <string.h>

#include "drive.h"
#include "takt/takt.h"

static struct {
    const struct outcome *outcome;
    struct takt_pipe pipes[PIPES];
    uint8_t storage[PIPES][PIPE_ROOM];
    bool dead[PIPES];
} run;

void drive_pipes_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.outcome = outcome;
    for (unsigned pipe = 0; pipe < PIPES; pipe++) {
        takt_pipe_init(&run.pipes[pipe], (uint16_t)(PIPE_ID + pipe), run.storage[pipe], PIPE_ROOM);
        if (plan->pipe_trigger[pipe] != NOBODY) {
            run.pipes[pipe].trigger = &tasks[plan->pipe_trigger[pipe]];
            run.pipes[pipe].trigger_bytes = pipe_trigger_bytes(pipe);
        }
        drive_give(&run.pipes[pipe], TAKT_KNOWN_PIPE);
    }
}

static enum takt_status call(struct takt_pipe *pipe, const struct op *op, uint8_t *bytes, struct takt_pipe_count *count)
{
    uint64_t until_ns = op_until(op, takt_now());
    switch (op->kind) {
    case OP_PIPE_WRITE:
        return takt_pipe_write(pipe, bytes, count);
    case OP_PIPE_WRITE_UNTIL:
        return takt_pipe_write_until(pipe, bytes, count, until_ns);
    case OP_PIPE_TRY_WRITE:
        return takt_pipe_try_write(pipe, bytes, count);
    case OP_PIPE_READ:
        return takt_pipe_read(pipe, bytes, count);
    case OP_PIPE_READ_UNTIL:
        return takt_pipe_read_until(pipe, bytes, count, until_ns);
    default:
        return takt_pipe_try_read(pipe, bytes, count);
    }
}

void drive_pipe(unsigned actor, const struct op *op)
{
    struct takt_pipe *pipe = &run.pipes[op->object];
    struct takt_pipe_count count = {.size = pipe_size(op), .least = pipe_least(op)};
    bool write = op->kind <= OP_PIPE_TRY_WRITE;
    uint8_t bytes[PIPE_MOST];
    if (run.dead[op->object]) {
        return;
    }
    if (op->kind == OP_PIPE_DELETE) {
        run.dead[op->object] = true;
        takt_pipe_delete(pipe);
        drive_result(actor, op, TAKT_OK, 0);
        return;
    }
    for (unsigned position = 0; position < count.size; position++) {
        bytes[position] = write ? pipe_byte(log_message(run.outcome, actor), position) : 0;
    }
    enum takt_status status = call(pipe, op, bytes, &count);
    drive_result(actor, op, status, pipe_sum(bytes, count.done, write));
}
