/* SPDX-License-Identifier: Apache-2.0 */
/* Runs operations on slots. */
#include <string.h>

#include "drive.h"
#include "takt/takt.h"

static struct {
    const struct plan *plan;
    const struct outcome *outcome;
    struct takt_slot_inheritance inheritances[SLOTS];
    struct takt_slot_config configs[SLOTS];
    struct takt_slot slots[SLOTS];
    uint64_t storage[SLOTS][TAKT_SLOT_BYTES(sizeof(uint32_t), SLOT_ROOM) / 8];
    /* The scripts' own view. What a call gives may come after its task was stopped: it is found later. */
    bool allocated[SLOTS];
    void *letter[TASKS_MAX]; /* reserved, or NULL */
    unsigned object_of[TASKS_MAX];
    void *given[SLOTS]; /* by a take, and not yet among `taken` */
    void *taken[SLOTS][SLOT_ROOM];
    unsigned taken_count[SLOTS];
} run;

void drive_slots_init(const struct plan *plan, struct takt_task *tasks, const struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.outcome = outcome;
    run.plan = plan;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        run.inheritances[slot] = (struct takt_slot_inheritance){
            .levels = plan->slot_levels[slot],
            .count = SLOT_LEVELS,
            .trigger = plan->slot_triggers[slot] ? &tasks[plan->slot_owner[slot]] : NULL};
        run.allocated[slot] = plan->slot_triggers[slot];
        run.configs[slot] = (struct takt_slot_config){.storage = run.storage[slot],
                                                      .inheritance = &run.inheritances[slot],
                                                      .important = slot_important(slot),
                                                      .message_size = sizeof(uint32_t),
                                                      .capacity = SLOT_ROOM,
                                                      .id = (uint16_t)(SLOT_ID + slot),
                                                      .by_priority = slot == 0};
        drive_fifo(run.configs[slot].in_turn, plan->fifo_slots, slot);
        takt_slot_init(&run.slots[slot], &run.configs[slot]);
        if (plan->slot_triggers[slot]) { /* as TAKT_SLOT_OPEN_DEFINE */
            run.slots[slot].owner = &tasks[plan->slot_owner[slot]];
            run.slots[slot].state = TAKT_SLOT_OPEN;
            run.slots[slot].buffers = (struct takt_message_buffers)TAKTI_MESSAGE_BUFFERS((uint8_t *)run.storage[slot],
                                                                                         sizeof(uint32_t), SLOT_ROOM);
        }
    }
}

static uint32_t fill_and_commit(unsigned actor, struct takt_slot *slot, void *letter)
{
    uint32_t message = log_message(run.outcome, actor);
    memcpy(letter, &message, sizeof message);
    takt_slot_commit(slot, letter);
    return message;
}

static void reserve(unsigned actor, const struct op *op)
{
    struct takt_slot *slot = &run.slots[op->object];
    void **letter = &run.letter[actor];
    uint32_t priority = letter_priority(op);
    if (*letter != NULL) {
        return;
    }
    run.object_of[actor] = op->object;
    enum takt_status status = op->kind == OP_SLOT_RESERVE ? takt_slot_reserve(slot, priority, letter)
                              : op->kind == OP_SLOT_RESERVE_UNTIL
                                  ? takt_slot_reserve_until(slot, priority, letter, op_until(op, takt_now()))
                                  : takt_slot_try_reserve(slot, priority, letter);
    drive_result(actor, op, status, 0);
}

static void commit(unsigned actor, const struct op *op)
{
    void *letter = run.letter[actor];
    if (letter != NULL) {
        run.letter[actor] = NULL;
        drive_result(actor, op, TAKT_OK, fill_and_commit(actor, &run.slots[run.object_of[actor]], letter));
    }
}

static void post(unsigned actor, const struct op *op)
{
    void *letter = NULL;
    uint32_t message = 0;
    enum takt_status status = takt_slot_try_reserve(&run.slots[op->object], letter_priority(op), &letter);
    if (status == TAKT_OK) {
        message = fill_and_commit(actor, &run.slots[op->object], letter);
    }
    drive_result(actor, op, status, message);
}

static uint32_t message_in(const void *buffer)
{
    uint32_t message;
    memcpy(&message, buffer, sizeof message);
    return message;
}

static void find_given(unsigned slot)
{
    if (run.given[slot] != NULL) {
        run.taken[slot][run.taken_count[slot]++] = run.given[slot];
        run.given[slot] = NULL;
    }
}

static void take(unsigned actor, const struct op *op)
{
    struct takt_slot *slot = &run.slots[op->object];
    void **given = &run.given[op->object];
    enum takt_status status = op->kind == OP_SLOT_TAKE ? takt_slot_take(slot, given)
                              : op->kind == OP_SLOT_TAKE_UNTIL
                                  ? takt_slot_take_until(slot, given, op_until(op, takt_now()))
                                  : takt_slot_try_take(slot, given);
    drive_result(actor, op, status, *given == NULL ? 0 : message_in(*given));
    find_given(op->object);
}

static void release(unsigned actor, const struct op *op)
{
    void **taken = run.taken[op->object];
    unsigned *count = &run.taken_count[op->object];
    if (*count == 0) {
        return;
    }
    unsigned which = op->ns / 1000u % *count;
    void *buffer = taken[which];
    uint32_t message = message_in(buffer);
    for ((*count)--; which < *count; which++) {
        taken[which] = taken[which + 1];
    }
    drive_result(actor, op, takt_slot_release(&run.slots[op->object], buffer), message);
}

static void allocate(unsigned actor, const struct op *op)
{
    run.allocated[op->object] = true;
    enum takt_status status = takt_slot_allocate(&run.slots[op->object]);
    takt_slot_open(&run.slots[op->object]);
    drive_result(actor, op, status, 0);
}

static void deallocate(unsigned actor, const struct op *op)
{
    enum takt_status status = takt_slot_deallocate(&run.slots[op->object]);
    run.allocated[op->object] = status != TAKT_OK;
    drive_result(actor, op, status, 0);
}

void drive_slot(unsigned actor, const struct op *op)
{
    struct takt_slot *slot = &run.slots[op->object];
    if (actor == run.plan->slot_owner[op->object]) {
        find_given(op->object);
    }
    switch (slot_op(run.plan, actor, op, run.allocated[op->object])) {
    case OP_KINDS:
        allocate(actor, op);
        break;
    case OP_SLOT_RESERVE:
    case OP_SLOT_RESERVE_UNTIL:
    case OP_SLOT_TRY_RESERVE:
        reserve(actor, op);
        break;
    case OP_SLOT_COMMIT:
        commit(actor, op);
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
        drive_result(actor, op, takt_slot_flush(slot), 0);
        break;
    case OP_SLOT_CLOSE:
        drive_result(actor, op, takt_slot_close(slot), 0);
        break;
    case OP_SLOT_OPEN:
        takt_slot_open(slot);
        drive_result(actor, op, TAKT_OK, 0);
        break;
    default:
        deallocate(actor, op);
        break;
    }
}
