/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: what calls on messages with priorities do. */
#include "kernel/test/model/naive/naive.h"

static void arrive(unsigned box, uint32_t message, unsigned sender)
{
    naive_event(TAKT_EVENT_SEND, sender, LETTER_ID + box, 0);
    if (box == 0) {
        log_add(&naive.outcome->results, (struct entry){.time_ns = naive.now_ns, .event = LOG_ARRIVAL, .job = message});
    }
}

/* A stored message releases a job. */
static void release(unsigned box)
{
    if (naive.plan->letter_trigger[box] != NOBODY) {
        naive_arrive(naive.plan->letter_trigger[box], 0);
    }
}

/* An urgent one has the best rank, and of several the last the best turn. */
static void store(unsigned box, uint32_t message, uint32_t priority)
{
    int64_t turn = ++naive.letter_turn;
    bool urgent = priority == LETTER_URGENT;
    naive.letters[box][naive.letter_count[box]++] = (struct naive_letter){
        .rank = urgent ? -1 : (int64_t)priority, .turn = urgent ? -turn : turn, .message = message};
}

static void hand(unsigned box, unsigned receiver, uint32_t message)
{
    naive_event(TAKT_EVENT_RECEIVE, receiver, LETTER_ID + box, 0);
    naive_wake(receiver, TAKT_OK);
    naive.tasks[receiver].returned = message;
}

static void send(unsigned actor, const struct op *op)
{
    unsigned box = op->object;
    uint32_t message = log_message(naive.outcome, actor);
    unsigned receiver = naive_best_waiter(FOR_LETTER, box);
    if (receiver != NOBODY) {
        arrive(box, message, naive_teller(actor));
        hand(box, receiver, message);
    } else if (naive.letter_count[box] < LETTER_ROOM) {
        store(box, message, letter_priority(op));
        arrive(box, message, naive_teller(actor));
        release(box);
    } else if (op->kind == OP_LETTER_TRY_SEND) {
        naive_event(TAKT_EVENT_REFUSE, naive_teller(actor), LETTER_ID + box, TAKT_BUSY);
        naive_done(actor, op, TAKT_BUSY, message);
        return;
    } else {
        uint64_t until_ns = op->kind == OP_LETTER_SEND ? TAKT_FOREVER : op_until(op, naive.now_ns);
        naive_block(actor, FOR_LETTER_ROOM, box, LETTER_ID + box, until_ns);
        naive.tasks[actor].message = message;
        naive.tasks[actor].priority = letter_priority(op);
        naive.tasks[actor].returned = message;
        return;
    }
    naive_done(actor, op, TAKT_OK, message);
}

void naive_letter_take_back(unsigned task, unsigned box)
{
    uint32_t message = naive.tasks[task].returned;
    unsigned receiver = naive_best_waiter(FOR_LETTER, box);
    if (receiver == NOBODY && naive.letter_count[box] == LETTER_ROOM) {
        return;
    }
    naive_event(TAKT_EVENT_SEND, task, LETTER_ID + box, 0);
    if (receiver != NOBODY) {
        hand(box, receiver, message);
    } else {
        store(box, message, LETTER_URGENT);
        release(box);
    }
}

static void broadcast(unsigned actor, const struct op *op)
{
    unsigned box = op->object;
    uint32_t message = log_message(naive.outcome, actor);
    unsigned receiver;
    unsigned receivers = 0;
    while ((receiver = naive_best_waiter(FOR_LETTER, box)) != NOBODY) {
        if (receivers++ == 0) {
            arrive(box, message, naive_teller(actor));
        }
        hand(box, receiver, message);
        naive.tasks[receiver].handed.any = false; /* others have it, too */
    }
    naive_done(actor, op, receivers, message);
}

struct naive_letter naive_take_first(struct naive_letter *letters, unsigned *count)
{
    unsigned first = 0;
    for (unsigned position = 1; position < *count; position++) {
        bool equal = letters[position].rank == letters[first].rank;
        if (equal ? letters[position].turn < letters[first].turn : letters[position].rank < letters[first].rank) {
            first = position;
        }
    }
    struct naive_letter letter = letters[first];
    letters[first] = letters[--*count];
    return letter;
}

static void receive(unsigned actor, const struct op *op)
{
    unsigned box = op->object;
    if (naive.letter_count[box] == 0 && op->kind == OP_LETTER_TRY_RECEIVE) {
        naive_done(actor, op, TAKT_BUSY, 0);
        return;
    }
    if (naive.letter_count[box] == 0) {
        uint64_t until_ns = op->kind == OP_LETTER_RECEIVE ? TAKT_FOREVER : op_until(op, naive.now_ns);
        naive_block(actor, FOR_LETTER, box, LETTER_ID + box, until_ns);
        return;
    }
    uint32_t message = naive_take_first(naive.letters[box], &naive.letter_count[box]).message;
    naive_event(TAKT_EVENT_RECEIVE, naive_teller(actor), LETTER_ID + box, 0);
    unsigned sender = naive_best_waiter(FOR_LETTER_ROOM, box);
    if (sender != NOBODY) {
        store(box, naive.tasks[sender].message, naive.tasks[sender].priority);
        arrive(box, naive.tasks[sender].message, sender);
        naive_wake(sender, TAKT_OK);
        release(box);
    }
    naive_done(actor, op, TAKT_OK, message);
}

void naive_message(unsigned actor, const struct op *op)
{
    if (op->kind >= OP_PIPE_WRITE) {
        naive_pipe(actor, op);
        return;
    }
    if (op->kind >= OP_SIGNAL_SEND) {
        naive_signal(actor, op);
        return;
    }
    if (op->kind >= OP_SLOT_RESERVE) {
        naive_slot(actor, op);
        return;
    }
    if (naive.dead_letters[op->object]) {
        return;
    }
    if (op->kind == OP_DELETE_LETTERS) {
        naive.dead_letters[op->object] = true;
        naive_event(TAKT_EVENT_DELETE, actor, LETTER_ID + op->object, 0);
        naive_done(actor, op, TAKT_OK, 0);
        naive_wake_all(FOR_LETTER, op->object);
        naive_wake_all(FOR_LETTER_ROOM, op->object);
    } else if (op->kind == OP_LETTER_BROADCAST) {
        broadcast(actor, op);
    } else if (op->kind >= OP_LETTER_RECEIVE && op->kind <= OP_LETTER_TRY_RECEIVE) {
        receive(actor, op);
    } else {
        send(actor, op);
    }
}
