/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: what calls on signals do. */
#include "kernel/test/model/naive/naive.h"

static bool passes(const struct op *receive, const struct naive_signal *signal)
{
    bool sender = !signal_from_object(receive) || signal->sender == receive->object;
    return sender && (signal_numbers(receive) >> signal->number & 1u) != 0;
}

static void send(unsigned actor, const struct op *op)
{
    unsigned receiver = op->object;
    struct naive_task *task = &naive.tasks[receiver];
    struct naive_signal signal = {.number = signal_number(op), .sender = actor < HANDLER ? actor : NOBODY};
    if (naive.signals_used == SIGNALS) {
        naive_done(actor, op, TAKT_OK, 0);
        return;
    }
    naive.signals_used++;
    signal.message = log_message(naive.outcome, actor);
    naive_event(TAKT_EVENT_SEND, naive_teller(actor), SIGNAL_ID + receiver, 0);
    if (task->where == WAITS && task->wait_for == FOR_SIGNAL && passes(&task->call, &signal)) {
        naive.signal_held[receiver] = true;
        naive_event(TAKT_EVENT_RECEIVE, receiver, SIGNAL_ID + receiver, 0);
        naive_wake(receiver, TAKT_OK);
        task->handed.signal = signal;
        task->returned = signal.message;
    } else {
        naive.signals[receiver][naive.signal_count[receiver]++] = signal;
        if (naive.plan->signal_triggers[receiver]) {
            naive_arrive(receiver, 0);
        }
    }
    naive_done(actor, op, TAKT_OK, signal.message);
}

static void receive(unsigned actor, const struct op *op)
{
    struct naive_signal *signals = naive.signals[actor];
    unsigned position = 0;
    naive_signal_free(actor);
    while (position < naive.signal_count[actor] && !passes(op, &signals[position])) {
        position++;
    }
    if (position < naive.signal_count[actor]) {
        uint32_t message = signals[position].message;
        for (naive.signal_count[actor]--; position < naive.signal_count[actor]; position++) {
            signals[position] = signals[position + 1];
        }
        naive.signal_held[actor] = true;
        naive_event(TAKT_EVENT_RECEIVE, actor, SIGNAL_ID + actor, 0);
        naive_done(actor, op, TAKT_OK, message);
    } else if (op->kind == OP_SIGNAL_TRY_RECEIVE) {
        naive_done(actor, op, TAKT_BUSY, 0);
    } else {
        naive_block(actor, FOR_SIGNAL, actor, SIGNAL_ID + actor,
                    op->kind == OP_SIGNAL_RECEIVE ? TAKT_FOREVER : op_until(op, naive.now_ns));
    }
}

void naive_signal_take_back(unsigned task, struct naive_signal signal)
{
    struct naive_signal *signals = naive.signals[task];
    naive_event(TAKT_EVENT_SEND, task, SIGNAL_ID + task, 0);
    for (unsigned position = naive.signal_count[task]++; position > 0; position--) {
        signals[position] = signals[position - 1];
    }
    signals[0] = signal;
    naive.signal_held[task] = false;
}

void naive_signal_free(unsigned task)
{
    naive.signals_used -= naive.signal_held[task] ? 1 : 0;
    naive.signal_held[task] = false;
}

void naive_signal(unsigned actor, const struct op *op)
{
    if (op->kind == OP_SIGNAL_SEND) {
        send(actor, op);
    } else {
        receive(actor, op);
    }
}
