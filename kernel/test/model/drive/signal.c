/* SPDX-License-Identifier: Apache-2.0 */
/* Runs operations on signals. */
#include <string.h>

#include "drive.h"
#include "takt/takt.h"

static struct {
    const struct takt_task *tasks;
    const struct outcome *outcome;
    struct takt_signal_pool pool;
    uint64_t storage[SIGNALS * TAKT_SIGNAL_BYTES(sizeof(uint32_t)) / 8];
    struct takt_signal_queue queues[TASKS_MAX];
    struct takt_signal *held[TASKS_MAX]; /* of a task that was stopped before it could free it: later */
} run;

void drive_signals_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.outcome = outcome;
    run.tasks = tasks;
    takt_signal_pool_init(&run.pool, run.storage, sizeof(uint32_t), SIGNALS);
    for (unsigned task = 0; task < TASKS_MAX; task++) {
        takt_signal_queue_init(&run.queues[task], (uint16_t)(SIGNAL_ID + task), &tasks[task]);
        run.queues[task].trigger = plan->signal_triggers[task] ? &tasks[task] : NULL;
    }
}

static void send(unsigned actor, const struct op *op)
{
    struct takt_signal *signal = takt_signal_allocate(&run.pool, signal_number(op));
    uint32_t message = 0;
    if (signal != NULL) {
        message = log_message(run.outcome, actor);
        memcpy(takt_signal_data(signal), &message, sizeof message);
        takt_signal_send(&signal, &run.queues[op->object]);
    }
    drive_result(actor, op, TAKT_OK, message);
}

static void free_held(unsigned actor)
{
    if (run.held[actor] != NULL) {
        takt_signal_free(&run.held[actor]);
    }
}

static void receive(unsigned actor, const struct op *op)
{
    struct takt_signal_queue *queue = &run.queues[actor];
    struct takt_signal **held = &run.held[actor];
    uint32_t numbers[3];
    struct takt_signal_filter filter = {.numbers = numbers};
    uint32_t message = 0;
    free_held(actor);
    for (uint32_t number = 0; number < 3 && signal_numbers(op) != 7; number++) {
        if ((signal_numbers(op) >> number & 1u) != 0) {
            numbers[filter.count++] = number;
        }
    }
    if (signal_from_object(op)) {
        filter.sender = &run.tasks[op->object];
    }
    const struct takt_signal_filter *what = filter.count == 0 && filter.sender == NULL ? NULL : &filter;
    enum takt_status status = op->kind == OP_SIGNAL_RECEIVE ? takt_signal_receive(queue, what, held)
                              : op->kind == OP_SIGNAL_RECEIVE_UNTIL
                                  ? takt_signal_receive_until(queue, what, held, op_until(op, takt_now()))
                                  : takt_signal_try_receive(queue, what, held);
    if (*held != NULL) {
        memcpy(&message, takt_signal_data(*held), sizeof message);
    }
    drive_result(actor, op, status, message);
    free_held(actor);
}

void drive_signal(unsigned actor, const struct op *op)
{
    if (op->kind == OP_SIGNAL_SEND) {
        send(actor, op);
    } else {
        receive(actor, op);
    }
}
