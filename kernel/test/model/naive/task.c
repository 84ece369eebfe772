/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: calls that concern tasks themselves. */
#include "naive.h"

/* Whether the task waits for what may still not come: not for a mutex after a signal, nor ahead of a lock. */
static bool cancellable(const struct naive_task *task)
{
    bool signalled = task->call.kind == OP_CONDITION_WAIT || task->call.kind == OP_CONDITION_WAIT_UNTIL;
    return task->where == WAITS && task->wait_for != FOR_COMPLETION && task->wait_for != FOR_TURN_OF_MUTEX &&
           !(task->wait_for == FOR_MUTEX && signalled);
}

void naive_task_call(unsigned actor, const struct op *op)
{
    struct naive_task *task = &naive.tasks[op->object];
    unsigned status = op->kind == OP_CANCEL && !cancellable(task) ? TAKT_STATE : TAKT_OK;
    naive_done(actor, op, status, 0); /* before: the actor may stop or suspend itself */
    if (op->kind == OP_SUSPEND && !task->suspended && task->where != OUT) {
        task->suspended = true;
        task->charged_before = op->object == naive.running && naive.in_interrupt && task->where == READY;
        naive_event(TAKT_EVENT_SUSPEND, op->object, TAKT_TRACE_NO_OBJECT, 0);
        naive_settle();
    } else if (op->kind == OP_RESUME && task->suspended) {
        task->suspended = false;
        task->charged_before = false;
        if (task->where == READY) {
            naive_budget_ready(task);
            naive_to_tail(task);
        }
        naive_server_ready(op->object);
        naive_event(TAKT_EVENT_RESUME, op->object, TAKT_TRACE_NO_OBJECT, 0);
    } else if (op->kind == OP_CANCEL && status == TAKT_OK) {
        naive_wake(op->object, TAKT_CANCELLED);
        naive_sync_unsignalled(op->object, TAKT_CANCELLED);
        naive_settle();
    } else if (op->kind == OP_STOP) {
        naive_stop(op->object);
    } else if (op->kind == OP_START && task->where == OUT) {
        naive_start(op->object, naive.now_ns);
    } else if (op->kind == OP_START) {
        status = TAKT_STATE;
    } else if (op->kind == OP_RELEASE) {
        naive_arrive(op->object, 0);
    } else if (op->kind == OP_RELEASE_AT) {
        naive_arrive(op->object, op_until(op, naive.now_ns));
    }
    if (actor < HANDLER) {
        naive.tasks[actor].status = status;
    }
}

/* Gives way to equals. */
static bool has_equal(unsigned actor)
{
    bool found = false;
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        const struct naive_task *task = &naive.tasks[index];
        bool ready = index != actor && task->where == READY && !task->suspended;
        found = found || (ready && task->level == naive.tasks[actor].level);
    }
    return found;
}

void naive_yield(unsigned actor, const struct op *op)
{
    naive_event(TAKT_EVENT_YIELD, actor, TAKT_TRACE_NO_OBJECT, 0);
    if (!naive.plan->level_edf[naive.tasks[actor].level]) {
        if (has_equal(actor)) {
            naive_budget_yield(actor);
        }
        naive_to_tail(&naive.tasks[actor]);
    }
    naive_done(actor, op, TAKT_OK, 0);
}
