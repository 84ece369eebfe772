/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: what calls on slots do. */
#include "kernel/test/model/naive/naive.h"

void naive_slots_init(void)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        naive.slots[slot].level = LEVELS_MAX;
        naive.slots[slot].allocated = naive.slots[slot].open = naive.plan->slot_triggers[slot];
    }
    for (unsigned task = 0; task < TASKS_MAX; task++) {
        naive.tasks[task].reserved_in = NOBODY;
    }
}

void naive_slots_forget(unsigned task)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (naive.plan->slot_owner[slot] == task) {
            naive.slots[slot].level = LEVELS_MAX;
        }
    }
}

static unsigned remaining(const struct naive_slot *slot)
{
    return slot->reserved + slot->committed_count + slot->taken_count;
}

static bool has_room(unsigned number, uint32_t priority)
{
    unsigned left = SLOT_ROOM - remaining(&naive.slots[number]);
    return left > (priority <= slot_important(number) ? 0u : 1u);
}

static void lend(unsigned number, const struct naive_letter *letter)
{
    struct naive_slot *slot = &naive.slots[number];
    if (letter->priority < SLOT_LEVELS && naive.plan->slot_levels[number][letter->priority] < slot->level) {
        slot->level = naive.plan->slot_levels[number][letter->priority];
    }
}

static void inherit(unsigned number)
{
    struct naive_slot *slot = &naive.slots[number];
    if (naive.tasks[naive.plan->slot_owner[number]].where == OUT) {
        return;
    }
    slot->level = LEVELS_MAX;
    for (unsigned position = 0; position < slot->committed_count; position++) {
        lend(number, &slot->committed[position]);
    }
    for (unsigned position = 0; position < slot->taken_count; position++) {
        lend(number, &slot->taken[position]);
    }
    naive_settle();
}

/* A message is free: for the first of those that may have it. */
static void vacated(unsigned number)
{
    unsigned best = NOBODY;
    for (unsigned task = 0; task < naive.plan->task_count; task++) {
        const struct naive_task *waiter = &naive.tasks[task];
        if (waiter->where == WAITS && waiter->wait_for == FOR_SLOT_ROOM && waiter->object == number &&
            has_room(number, waiter->priority) && (best == NOBODY || naive_waits_before(task, best))) {
            best = task;
        }
    }
    if (best != NOBODY) {
        naive.slots[number].reserved++;
        naive.tasks[best].reserved_in = number;
        naive_wake(best, TAKT_OK);
    }
}

void naive_slot_take_back(unsigned index, const struct naive_handed *handed)
{
    struct naive_slot *slot = &naive.slots[handed->object];
    if (handed->what == FOR_SLOT_ROOM) {
        slot->reserved--;
        naive.tasks[index].reserved_in = NOBODY;
        vacated(handed->object);
    } else { /* the last that was taken; committed before all that have been since */
        naive_event(TAKT_EVENT_SEND, index, SLOT_ID + handed->object, 0);
        slot->committed[slot->committed_count++] = slot->taken[--slot->taken_count];
    }
}

static unsigned reserve_status(unsigned number, uint32_t priority)
{
    return !naive.slots[number].open ? TAKT_STATE : has_room(number, priority) ? TAKT_OK : TAKT_BUSY;
}

static void refuse(unsigned actor, unsigned number, unsigned status)
{
    if (status == TAKT_BUSY) {
        naive_event(TAKT_EVENT_REFUSE, naive_teller(actor), SLOT_ID + number, TAKT_BUSY);
    }
}

static void reserve(unsigned actor, const struct op *op)
{
    struct naive_task *task = &naive.tasks[actor];
    unsigned status = reserve_status(op->object, letter_priority(op));
    if (task->reserved_in != NOBODY) {
        return;
    }
    if (status == TAKT_OK) {
        naive.slots[op->object].reserved++;
        task->reserved_in = op->object;
        task->priority = letter_priority(op);
    } else if (status == TAKT_BUSY && op->kind != OP_SLOT_TRY_RESERVE) {
        task->priority = letter_priority(op);
        naive_block(actor, FOR_SLOT_ROOM, op->object, SLOT_ID + op->object,
                    op->kind == OP_SLOT_RESERVE ? TAKT_FOREVER : op_until(op, naive.now_ns));
        return;
    }
    refuse(actor, op->object, status);
    naive_done(actor, op, status, 0);
}

/* A reserved message is committed. Returns the message. */
static uint32_t commit(unsigned actor, unsigned number, uint32_t priority)
{
    struct naive_slot *slot = &naive.slots[number];
    struct naive_letter letter = {
        .turn = ++naive.letter_turn, .message = log_message(naive.outcome, actor), .priority = priority};
    unsigned receiver = naive_best_waiter(FOR_SLOT, number);
    letter.rank = number == 0 ? (int64_t)priority : 0;
    slot->reserved--;
    naive_event(TAKT_EVENT_SEND, naive_teller(actor), SLOT_ID + number, 0);
    if (receiver != NOBODY) {
        slot->taken[slot->taken_count++] = letter;
        naive_event(TAKT_EVENT_RECEIVE, receiver, SLOT_ID + number, 0);
    } else {
        slot->committed[slot->committed_count++] = letter;
    }
    inherit(number);
    if (receiver != NOBODY) {
        naive_wake(receiver, TAKT_OK);
        naive.tasks[receiver].returned = letter.message;
    } else if (naive.plan->slot_triggers[number]) {
        naive_arrive(naive.plan->slot_owner[number], 0);
    }
    return letter.message;
}

static void commit_own(unsigned actor, const struct op *op)
{
    struct naive_task *task = &naive.tasks[actor];
    unsigned number = task->reserved_in;
    if (number != NOBODY) {
        task->reserved_in = NOBODY;
        naive_done(actor, op, TAKT_OK, commit(actor, number, task->priority));
    }
}

static void post(unsigned actor, const struct op *op)
{
    unsigned status = reserve_status(op->object, letter_priority(op));
    uint32_t message = 0;
    if (status == TAKT_OK) {
        naive.slots[op->object].reserved++;
        message = commit(actor, op->object, letter_priority(op));
    }
    refuse(actor, op->object, status);
    naive_done(actor, op, status, message);
}

static void take(unsigned actor, const struct op *op)
{
    struct naive_slot *slot = &naive.slots[op->object];
    if (slot->committed_count > 0) {
        struct naive_letter letter = naive_take_first(slot->committed, &slot->committed_count);
        slot->taken[slot->taken_count++] = letter;
        naive_event(TAKT_EVENT_RECEIVE, actor, SLOT_ID + op->object, 0);
        naive_done(actor, op, TAKT_OK, letter.message);
    } else if (!slot->open && slot->reserved == 0) {
        naive_done(actor, op, TAKT_STATE, 0);
    } else if (op->kind == OP_SLOT_TRY_TAKE) {
        naive_done(actor, op, TAKT_BUSY, 0);
    } else {
        naive_block(actor, FOR_SLOT, op->object, SLOT_ID + op->object,
                    op->kind == OP_SLOT_TAKE ? TAKT_FOREVER : op_until(op, naive.now_ns));
    }
}

static void release(unsigned actor, const struct op *op)
{
    struct naive_slot *slot = &naive.slots[op->object];
    if (slot->taken_count == 0) {
        return;
    }
    unsigned which = op->ns / 1000u % slot->taken_count;
    uint32_t message = slot->taken[which].message;
    for (slot->taken_count--; which < slot->taken_count; which++) {
        slot->taken[which] = slot->taken[which + 1];
    }
    vacated(op->object);
    inherit(op->object);
    naive_done(actor, op, remaining(slot), message);
}

static void flush(unsigned actor, const struct op *op)
{
    struct naive_slot *slot = &naive.slots[op->object];
    while (slot->committed_count > 0) {
        slot->committed_count--;
        naive_event(TAKT_EVENT_RECEIVE, actor, SLOT_ID + op->object, 0);
        vacated(op->object);
    }
    inherit(op->object);
    naive_done(actor, op, remaining(slot), 0);
}

static void close(unsigned actor, const struct op *op)
{
    struct naive_slot *slot = &naive.slots[op->object];
    unsigned sender;
    slot->open = false;
    while ((sender = naive_best_waiter(FOR_SLOT_ROOM, op->object)) != NOBODY) {
        naive_wake(sender, TAKT_STATE);
    }
    naive_done(actor, op, remaining(slot), 0);
}

void naive_slot(unsigned actor, const struct op *op)
{
    struct naive_slot *slot = &naive.slots[op->object];
    switch (slot_op(naive.plan, actor, op, slot->allocated)) {
    case OP_KINDS:
        slot->allocated = slot->open = true;
        naive_done(actor, op, TAKT_OK, 0);
        break;
    case OP_SLOT_RESERVE:
    case OP_SLOT_RESERVE_UNTIL:
    case OP_SLOT_TRY_RESERVE:
        reserve(actor, op);
        break;
    case OP_SLOT_COMMIT:
        commit_own(actor, op);
        break;
    case OP_SLOT_POST:
        post(actor, op);
        break;
    case OP_SLOT_TAKE:
    case OP_SLOT_TAKE_UNTIL:
    case OP_SLOT_TRY_TAKE:
        take(actor, op);
        break;
    case OP_SLOT_RELEASE:
        release(actor, op);
        break;
    case OP_SLOT_FLUSH:
        flush(actor, op);
        break;
    case OP_SLOT_CLOSE:
        close(actor, op);
        break;
    case OP_SLOT_OPEN:
        slot->open = true;
        naive_done(actor, op, TAKT_OK, 0);
        break;
    default: {
        bool free = !slot->open && remaining(slot) == 0;
        slot->allocated = !free;
        naive_done(actor, op, free ? TAKT_OK : TAKT_STATE, 0);
        break;
    }
    }
}
