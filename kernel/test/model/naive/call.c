/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: what every call does. */
#include "naive.h"

static void result(unsigned actor, const struct op *op, unsigned status, uint32_t message)
{
    log_result(naive.outcome, (struct entry){.time_ns = naive.now_ns,
                                             .event = (uint8_t)(LOG_RESULT + op->kind),
                                             .task = (uint16_t)actor,
                                             .job = message,
                                             .object = op->object,
                                             .value = (uint16_t)status});
}

/* The task's call is over: it says so when it runs again, a handler's at once. */
void naive_done(unsigned actor, const struct op *op, unsigned status, uint32_t message)
{
    if (actor >= HANDLER) {
        result(actor, op, status, message);
        return;
    }
    naive.tasks[actor].status = status;
    naive.tasks[actor].returned = message;
    naive.tasks[actor].in_call = true;
}

/* A lock that would not wait. */
static bool only_tries(unsigned actor, const struct op *op)
{
    bool above = (naive_owned(actor) >> op->object) != 0; /* it holds one that comes behind */
    return op->kind == OP_TRY_LOCK || ((op->kind == OP_LOCK || op->kind == OP_LOCK_UNTIL) && above);
}

void naive_return(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    bool timed = task->call.kind == OP_DELAY || task->call.kind == OP_DELAY_UNTIL;
    task->in_call = false;
    if (task->call.kind >= OP_ACCEPT && task->call.kind <= OP_TRY_ACCEPT && task->status == TAKT_OK) {
        task->returned = naive_sync_accepted(index);
    }
    result(index, &task->call, timed ? TAKT_OK : task->status, task->returned);
    if (task->status == TAKT_OWNER_DIED && only_tries(index, &task->call)) {
        naive.broken[task->call.object] = false; /* drive/mutex.c mends it */
    }
    if (task->call.kind >= OP_SIGNAL_RECEIVE && task->call.kind <= OP_SIGNAL_TRY_RECEIVE) {
        naive_signal_free(index);
    }
}

unsigned naive_teller(unsigned actor)
{
    return actor >= HANDLER ? TAKT_TRACE_NONE : actor;
}

void naive_block(unsigned actor, enum wait_for wait_for, unsigned object, unsigned id, uint64_t until_ns)
{
    struct naive_task *task = &naive.tasks[actor];
    task->where = WAITS;
    task->wait_for = wait_for;
    task->object = object;
    task->timeout = naive_expect(until_ns);
    task->in_call = true;
    task->returned = 0;
    naive_to_tail(task);
    naive_event(TAKT_EVENT_BLOCK, actor, id, 0);
    if (wait_for == FOR_MUTEX) {
        naive_hint_overtaken(object, actor);
    }
    naive_settle();
}

static uint64_t until_ns(const struct op *op, bool timed)
{
    return timed ? op_until(op, naive.now_ns) : TAKT_FOREVER;
}

/* Whether a task waits for `whom`, through others; there is no cycle yet. */
static bool awaits(unsigned task, unsigned whom)
{
    while (task != NOBODY && task != whom) {
        task = naive_awaited(&naive.tasks[task]);
    }
    return task == whom;
}

static void lock(unsigned actor, const struct op *op)
{
    if (naive.dead_mutex[op->object] || naive.owner[op->object] == actor) {
        return;
    }
    if (naive.broken[op->object]) {
        naive_done(actor, op, TAKT_OWNER_DIED, 0);
    } else if (naive.owner[op->object] == NOBODY) {
        bool others = naive_hint_others(op->object, actor);
        naive_own(op->object, actor);
        naive_budget_locked(actor);
        naive_event(TAKT_EVENT_LOCK, actor, MUTEX_ID + op->object, 0);
        if (others) {
            naive_hint_hold_back(op->object);
        }
        naive_settle();
        naive_done(actor, op, TAKT_OK, 0);
    } else if (only_tries(actor, op)) {
        naive_done(actor, op, TAKT_BUSY, 0);
    } else if (awaits(naive.owner[op->object], actor)) {
        naive_event(TAKT_EVENT_DEADLOCK, actor, MUTEX_ID + op->object, 0);
        naive_done(actor, op, TAKT_DEADLOCK, 0);
    } else {
        naive_block(actor, FOR_MUTEX, op->object, MUTEX_ID + op->object, until_ns(op, op->kind == OP_LOCK_UNTIL));
    }
}

static void unlock(unsigned actor, const struct op *op)
{
    unsigned held = naive_owned(actor);
    unsigned count = (unsigned)__builtin_popcount(held);
    if (count == 0) {
        return;
    }
    unsigned mutex = 0;
    for (unsigned nth = op->object % count; nth > 0 || ((held >> mutex) & 1u) == 0; mutex++) {
        nth -= (held >> mutex) & 1u;
    }
    naive_own(mutex, NOBODY);
    naive_budget_unlocked(actor);
    naive_event(TAKT_EVENT_UNLOCK, actor, MUTEX_ID + mutex, 0);
    unsigned next = naive_best_waiter(FOR_MUTEX, mutex);
    if (next != NOBODY) {
        naive_wake(next, TAKT_OK);
        naive_own(mutex, next);
        naive_budget_locked(next);
        naive_event(TAKT_EVENT_LOCK, next, MUTEX_ID + mutex, 0);
    } else {
        naive_hint_free(mutex);
    }
    naive_settle();
    naive_done(actor, op, TAKT_OK, mutex);
    if (!naive_holds(actor)) {
        naive_stop_if_due(actor);
    }
}

/* The task that gets the next unit: all wait by key, or all in turn. */
static unsigned semaphore_waiter(unsigned semaphore)
{
    unsigned waiter = naive_best_waiter(FOR_SEMAPHORE, semaphore);
    return waiter != NOBODY ? waiter : naive_best_waiter(FOR_TURN, semaphore);
}

static void semaphore(unsigned actor, const struct op *op)
{
    unsigned id = SEMAPHORE_ID + op->object;
    if (naive.dead_semaphore[op->object]) {
        return;
    }
    bool turn = op->kind == OP_WAIT_IN_TURN || op->kind == OP_WAIT_IN_TURN_UNTIL;
    turn = turn || naive_fifo(FOR_SEMAPHORE, op->object);
    if (op->kind == OP_COUNT) {
        naive_done(actor, op, naive.count[op->object], 0);
        return;
    }
    if (op->kind == OP_FLUSH) {
        naive_done(actor, op, TAKT_OK, 0);
        for (unsigned task; (task = semaphore_waiter(op->object)) != NOBODY;) {
            naive_wake(task, TAKT_FLUSHED);
        }
        return;
    }
    if (op->kind != OP_POST) {
        if (naive.count[op->object] > 0) {
            naive.count[op->object]--;
            naive_event(TAKT_EVENT_TAKE, naive_teller(actor), id, 0);
            naive_done(actor, op, TAKT_OK, 0);
        } else if (op->kind == OP_TRY_WAIT) {
            naive_done(actor, op, TAKT_BUSY, 0);
        } else {
            naive_block(actor, turn ? FOR_TURN : FOR_SEMAPHORE, op->object, id,
                        until_ns(op, op->kind == OP_WAIT_UNTIL || op->kind == OP_WAIT_IN_TURN_UNTIL));
        }
        return;
    }
    unsigned waiter = semaphore_waiter(op->object);
    unsigned status = TAKT_OK;
    bool full = waiter == NOBODY && naive.plan->semaphore_trigger[op->object] == NOBODY &&
                naive.count[op->object] == naive.plan->semaphore_maximum[op->object];
    naive_event(TAKT_EVENT_POST, naive_teller(actor), id, full ? TAKT_LIMIT : TAKT_OK);
    if (naive.plan->semaphore_trigger[op->object] != NOBODY) {
        naive_arrive(naive.plan->semaphore_trigger[op->object], 0);
    } else if (waiter != NOBODY) {
        naive_event(TAKT_EVENT_TAKE, waiter, id, 0);
        naive_wake(waiter, TAKT_OK);
    } else if (naive.count[op->object] < naive.plan->semaphore_maximum[op->object]) {
        naive.count[op->object]++;
    } else {
        status = TAKT_LIMIT;
    }
    naive_done(actor, op, status, 0);
}

static void store(unsigned mailbox, uint32_t message, unsigned sender, bool waited)
{
    naive.content[mailbox][naive.messages[mailbox]++] = message;
    naive_event(TAKT_EVENT_SEND, sender, MAILBOX_ID + mailbox, 0);
    if (waited) {
        naive_wake(sender, TAKT_OK);
    }
    if (naive.plan->mailbox_trigger[mailbox] != NOBODY) {
        naive_arrive(naive.plan->mailbox_trigger[mailbox], 0);
    }
}

static void send(unsigned actor, const struct op *op)
{
    unsigned mailbox = op->object;
    uint32_t message = log_message(naive.outcome, actor);
    unsigned receiver = naive_best_waiter(FOR_MESSAGE, mailbox);
    if (receiver != NOBODY) {
        naive_event(TAKT_EVENT_SEND, naive_teller(actor), MAILBOX_ID + mailbox, 0);
        naive_event(TAKT_EVENT_RECEIVE, receiver, MAILBOX_ID + mailbox, 0);
        naive_wake(receiver, TAKT_OK);
        naive.tasks[receiver].returned = message;
    } else if (naive.messages[mailbox] < MAILBOX_ROOM) {
        store(mailbox, message, naive_teller(actor), false);
    } else if (op->kind == OP_TRY_SEND) {
        naive_event(TAKT_EVENT_REFUSE, naive_teller(actor), MAILBOX_ID + mailbox, TAKT_BUSY);
        naive_done(actor, op, TAKT_BUSY, message);
        return;
    } else {
        naive_block(actor, FOR_ROOM, mailbox, MAILBOX_ID + mailbox, until_ns(op, op->kind == OP_SEND_UNTIL));
        naive.tasks[actor].message = message;
        naive.tasks[actor].returned = message;
        return;
    }
    naive_done(actor, op, TAKT_OK, message);
}

static void receive(unsigned actor, const struct op *op)
{
    unsigned mailbox = op->object;
    if (naive.messages[mailbox] == 0 && op->kind == OP_TRY_RECEIVE) {
        naive_done(actor, op, TAKT_BUSY, 0);
        return;
    }
    if (naive.messages[mailbox] == 0) {
        naive_block(actor, FOR_MESSAGE, mailbox, MAILBOX_ID + mailbox, until_ns(op, op->kind == OP_RECEIVE_UNTIL));
        return;
    }
    uint32_t message = naive.content[mailbox][0];
    naive.messages[mailbox]--;
    for (unsigned position = 0; position < naive.messages[mailbox]; position++) {
        naive.content[mailbox][position] = naive.content[mailbox][position + 1];
    }
    naive_event(TAKT_EVENT_RECEIVE, naive_teller(actor), MAILBOX_ID + mailbox, 0);
    unsigned sender = naive_best_waiter(FOR_ROOM, mailbox);
    if (sender != NOBODY) {
        store(mailbox, naive.tasks[sender].message, sender, true);
    }
    naive_done(actor, op, TAKT_OK, message);
}

void naive_wake_all(enum wait_for wait_for, unsigned object)
{
    unsigned waiter;
    naive_handed_forget(wait_for, object);
    while ((waiter = naive_best_waiter(wait_for, object)) != NOBODY) {
        naive_wake(waiter, TAKT_DELETED);
    }
}

static void deletion(unsigned actor, const struct op *op)
{
    bool *dead = op->kind == OP_DELETE_MUTEX       ? &naive.dead_mutex[op->object]
                 : op->kind == OP_DELETE_SEMAPHORE ? &naive.dead_semaphore[op->object]
                                                   : &naive.dead_mailbox[op->object];
    if (*dead) {
        return;
    }
    *dead = true;
    naive_event(TAKT_EVENT_DELETE, actor,
                op->object + (op->kind == OP_DELETE_MUTEX       ? MUTEX_ID
                              : op->kind == OP_DELETE_SEMAPHORE ? SEMAPHORE_ID
                                                                : MAILBOX_ID),
                0);
    naive_done(actor, op, TAKT_OK, 0);
    if (op->kind == OP_DELETE_SEMAPHORE) {
        naive_wake_all(FOR_SEMAPHORE, op->object);
        naive_wake_all(FOR_TURN, op->object);
    } else if (op->kind == OP_DELETE_MAILBOX) {
        naive_wake_all(FOR_MESSAGE, op->object);
        naive_wake_all(FOR_ROOM, op->object);
    } else {
        unsigned owner = naive.owner[op->object];
        naive_hint_overtaken(op->object, NOBODY);
        naive_wake_all(FOR_MUTEX, op->object);
        if (owner != NOBODY) {
            naive_event(TAKT_EVENT_UNLOCK, owner, MUTEX_ID + op->object, 0);
            naive_own(op->object, NOBODY);
            naive_budget_unlocked(owner);
            naive_settle();
            if (!naive_holds(owner)) {
                naive_stop_if_due(owner);
            }
        }
    }
}

static void delay(unsigned actor, const struct op *op)
{
    uint64_t at_ns = naive.now_ns + op->ns;
    if (op->kind == OP_DELAY_UNTIL) {
        at_ns = (naive.now_ns / op->ns + 1) * op->ns;
    }
    naive_block(actor, FOR_TIME, 0, TAKT_TRACE_NO_OBJECT, at_ns);
}

static void sync(unsigned actor, const struct op *op)
{
    struct naive_answer said = naive_sync(actor, op);
    if (said.waits) {
        naive_block(actor, said.wait_for, op->object, said.id, until_ns(op, said.timed));
    } else if (!said.answer.skipped) {
        naive_done(actor, op, said.answer.status, said.answer.got);
    }
}

void naive_call(unsigned actor, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_WORK:
        if (actor >= HANDLER) {
            naive_pass(op->ns);
        } else {
            naive.tasks[actor].work_left_ns = op->ns;
        }
        break;
    case OP_DELAY:
    case OP_DELAY_UNTIL:
        delay(actor, op);
        break;
    case OP_LOCK:
    case OP_LOCK_UNTIL:
    case OP_TRY_LOCK:
    case OP_LOCK_ANY:
        lock(actor, op);
        break;
    case OP_UNLOCK:
        unlock(actor, op);
        break;
    case OP_WAIT:
    case OP_WAIT_UNTIL:
    case OP_TRY_WAIT:
    case OP_POST:
    case OP_WAIT_IN_TURN:
    case OP_WAIT_IN_TURN_UNTIL:
    case OP_FLUSH:
    case OP_COUNT:
        semaphore(actor, op);
        break;
    case OP_YIELD:
        naive_yield(actor, op);
        break;
    case OP_SUSPEND:
    case OP_RESUME:
    case OP_CANCEL:
    case OP_STOP:
    case OP_START:
    case OP_RELEASE:
    case OP_RELEASE_AT:
        naive_task_call(actor, op);
        break;
    case OP_DELETE_MUTEX:
    case OP_DELETE_SEMAPHORE:
    case OP_DELETE_MAILBOX:
        deletion(actor, op);
        break;
    case OP_HINT:
        if (op->object > MUTEXES) {
            naive_hint_give_set(actor, op->object - MUTEXES);
        } else if (op->object == MUTEXES || !naive.dead_mutex[op->object]) {
            naive_hint_give(actor, op->object);
        }
        naive_done(actor, op, TAKT_OK, 0);
        break;
    case OP_EVENTS_SET:
    case OP_EVENTS_CLEAR:
    case OP_EVENTS_WAIT:
    case OP_EVENTS_WAIT_UNTIL:
    case OP_EVENTS_TRY_WAIT:
    case OP_DELETE_EVENTS:
    case OP_ALLOCATE:
    case OP_ALLOCATE_UNTIL:
    case OP_TRY_ALLOCATE:
    case OP_FREE:
    case OP_DELETE_POOL:
    case OP_CONDITION_WAIT:
    case OP_CONDITION_WAIT_UNTIL:
    case OP_SIGNAL:
    case OP_BROADCAST:
    case OP_DELETE_CONDITION:
    case OP_CALL:
    case OP_CALL_UNTIL:
    case OP_ACCEPT:
    case OP_ACCEPT_UNTIL:
    case OP_TRY_ACCEPT:
    case OP_COMPLETE:
    case OP_DELETE_RENDEZVOUS:
        sync(actor, op);
        break;
    case OP_BUDGET:
        naive_done(actor, op, TAKT_OK, naive_budget_said(op->object));
        break;
    case OP_SEND:
    case OP_SEND_UNTIL:
    case OP_TRY_SEND:
    case OP_RECEIVE:
    case OP_RECEIVE_UNTIL:
    case OP_TRY_RECEIVE:
        if (naive.dead_mailbox[op->object]) {
            break;
        }
        if (op->kind == OP_SEND || op->kind == OP_SEND_UNTIL || op->kind == OP_TRY_SEND) {
            send(actor, op);
        } else {
            receive(actor, op);
        }
        break;
    default:
        if (op->kind >= OP_ALARM_START) {
            bool alarm = op->kind < OP_WATCHDOG_START;
            struct answer answer = alarm ? naive_alarm_call(actor, op) : naive_watchdog_call(actor, op);
            if (!answer.skipped) {
                naive_done(actor, op, answer.status, answer.got);
            }
        } else {
            naive_message(actor, op);
        }
        break;
    }
}
