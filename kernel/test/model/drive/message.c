/* SPDX-License-Identifier: Apache-2.0 */
/* Runs operations on messages with priorities. */
#include <string.h>

#include "drive.h"
#include "kernel/port.h"
#include "takt/takt.h"

struct letter {
    uint32_t number;
    uint32_t again[2];
};

static struct {
    struct outcome *outcome;
    struct takt_priority_mailbox boxes[LETTER_BOXES];
    uint64_t storage[LETTER_BOXES][TAKT_PRIORITY_MAILBOX_BYTES(sizeof(struct letter), LETTER_ROOM) / 8];
    bool dead[LETTER_BOXES];
} run;

static void arrival(const void *message)
{
    const struct letter *letter = message;
    log_add(&run.outcome->results,
            (struct entry){.time_ns = takt_port_now_ns(), .event = LOG_ARRIVAL, .job = letter->number});
}

void drive_messages_init(const struct plan *plan, struct takt_task *tasks, struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.outcome = outcome;
    drive_slots_init(plan, tasks, outcome);
    drive_signals_init(plan, tasks, outcome);
    drive_pipes_init(plan, tasks, outcome);
    for (unsigned box = 0; box < LETTER_BOXES; box++) {
        takt_priority_mailbox_init(&run.boxes[box], (uint16_t)(LETTER_ID + box), run.storage[box],
                                   sizeof(struct letter), LETTER_ROOM, box == 0 ? arrival : NULL);
        drive_fifo(run.boxes[box].in_turn, plan->fifo_letters, box);
        if (plan->letter_trigger[box] != NOBODY) {
            run.boxes[box].arrival = takti_letter_no_handler;
            run.boxes[box].trigger = &tasks[plan->letter_trigger[box]];
        }
        drive_give(&run.boxes[box], TAKT_KNOWN_PRIORITY_MAILBOX);
    }
}

static enum takt_status letter_send(struct takt_priority_mailbox *box, const struct op *op, const struct letter *letter)
{
    uint32_t priority = letter_priority(op);
    uint64_t until_ns = op->kind == OP_LETTER_SEND ? TAKT_FOREVER : op_until(op, takt_now());
    if (op->kind == OP_LETTER_TRY_SEND) {
        return priority == LETTER_URGENT ? takt_priority_mailbox_try_send_urgent(box, letter)
                                         : takt_priority_mailbox_try_send(box, letter, priority);
    }
    return priority == LETTER_URGENT ? takt_priority_mailbox_send_urgent_until(box, letter, until_ns)
                                     : takt_priority_mailbox_send_until(box, letter, priority, until_ns);
}

static enum takt_status letter_receive(struct takt_priority_mailbox *box, const struct op *op, struct letter *letter)
{
    return op->kind == OP_LETTER_RECEIVE ? takt_priority_mailbox_receive(box, letter)
           : op->kind == OP_LETTER_RECEIVE_UNTIL
               ? takt_priority_mailbox_receive_until(box, letter, op_until(op, takt_now()))
               : takt_priority_mailbox_try_receive(box, letter);
}

void drive_message(unsigned actor, const struct op *op)
{
    if (op->kind >= OP_PIPE_WRITE) {
        drive_pipe(actor, op);
        return;
    }
    if (op->kind >= OP_SIGNAL_SEND) {
        drive_signal(actor, op);
        return;
    }
    if (op->kind >= OP_SLOT_RESERVE) {
        drive_slot(actor, op);
        return;
    }
    struct takt_priority_mailbox *box = &run.boxes[op->object];
    struct letter letter = {0};
    unsigned status = TAKT_OK;
    if (run.dead[op->object]) {
        return;
    }
    bool receives = op->kind >= OP_LETTER_RECEIVE && op->kind <= OP_LETTER_TRY_RECEIVE;
    if (!receives && op->kind != OP_DELETE_LETTERS) {
        letter.number = log_message(run.outcome, actor);
        letter.again[0] = letter.again[1] = letter.number;
    }
    if (op->kind == OP_DELETE_LETTERS) {
        run.dead[op->object] = true;
        takt_priority_mailbox_delete(box);
    } else if (op->kind == OP_LETTER_BROADCAST) {
        status = takt_priority_mailbox_broadcast(box, &letter);
    } else if (receives) {
        status = letter_receive(box, op, &letter);
    } else {
        status = letter_send(box, op, &letter);
    }
    bool whole = letter.again[0] == letter.number && letter.again[1] == letter.number;
    drive_result(actor, op, status, whole ? letter.number : UINT32_MAX);
}
