/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: services that a system need not have. */
#include "kernel/test/model/naive/naive.h"

#include <string.h>

#include "takt/events.h"

static struct {
    unsigned flags[EVENTS];
    bool dead_events[EVENTS];
    unsigned used[POOLS];
    unsigned held[TASKS_MAX + 1][POOLS];
    bool dead_pool[POOLS];
    bool dead_condition[CONDITIONS];
    bool dead_rendezvous[RENDEZVOUS];
    bool serves[TASKS_MAX];
    unsigned caller[TASKS_MAX]; /* whom it serves ... */
    unsigned object[TASKS_MAX]; /* ... and where, in the trace */
    uint64_t turn[TASKS_MAX];   /* ... and since when */
    uint32_t values[TASKS_MAX]; /* what each offered last */
} state;

void naive_sync_reset(void)
{
    memset(&state, 0, sizeof state);
}

void naive_sync_begin(unsigned task)
{
    memset(state.held[task], 0, sizeof state.held[task]); /* what a task had that was stopped is lost */
}

bool naive_holds(unsigned task)
{
    return naive_owned(task) != 0 || state.serves[task];
}

bool naive_sync_ends(unsigned task, struct op *op)
{
    if (state.serves[task]) {
        *op = (struct op){.kind = OP_COMPLETE};
        return true;
    }
    for (unsigned index = 0; index < POOLS; index++) {
        if (!state.dead_pool[index] && state.held[task][index] > 0) {
            *op = (struct op){.kind = OP_FREE, .object = (uint8_t)index};
            return true;
        }
    }
    return false;
}

static struct naive_answer says(unsigned status, uint32_t got)
{
    return (struct naive_answer){.answer = {.status = status, .got = got}};
}

static struct naive_answer waits(enum wait_for wait_for, unsigned id, bool timed)
{
    return (struct naive_answer){.waits = true, .wait_for = wait_for, .id = id, .timed = timed};
}

/* What `detail` gets of `flags`: by definition. */
static unsigned got_of(unsigned flags, unsigned detail)
{
    unsigned wanted = detail & 15u;
    unsigned mode = detail >> 4;
    unsigned got = flags & wanted;
    if ((mode & TAKT_EVENTS_ALL) != 0) {
        return got == wanted ? got : 0;
    }
    for (unsigned flag = 1; (mode & TAKT_EVENTS_ONE) != 0 && flag < 16; flag <<= 1) {
        if ((got & flag) != 0) {
            return flag;
        }
    }
    return got;
}

/* Whether the flags satisfy a trigger. */
static bool triggers(unsigned object, unsigned flags)
{
    return got_of(flags, EVENTS_TRIGGER_FLAGS | (object == 0 ? 0u : TAKT_EVENTS_ALL << 4)) != 0;
}

static void set(unsigned teller, unsigned object, unsigned flags)
{
    unsigned cleared = 0;
    bool before = triggers(object, state.flags[object]);
    state.flags[object] |= flags;
    naive_event(TAKT_EVENT_POST, teller, EVENTS_ID + object, 0);
    for (;;) { /* the best of the tasks that get something, until none does */
        unsigned next = NOBODY;
        enum where where[TASKS_MAX];
        for (unsigned task = 0; task < TASKS_MAX; task++) {
            where[task] = naive.tasks[task].where;
        }
        for (unsigned seen = 0; seen < TASKS_MAX && next == NOBODY; seen++) {
            unsigned best = naive_best_waiter(FOR_EVENTS, object);
            if (best == NOBODY) {
                break;
            }
            bool gets = got_of(state.flags[object], naive.tasks[best].call.detail) != 0;
            next = gets ? best : NOBODY;
            naive.tasks[best].where = OUT; /* so that the next one is found */
        }
        for (unsigned task = 0; task < TASKS_MAX; task++) {
            naive.tasks[task].where = where[task];
        }
        if (next == NOBODY) {
            break;
        }
        unsigned detail = naive.tasks[next].call.detail;
        unsigned got = got_of(state.flags[object], detail);
        cleared |= ((detail >> 4) & TAKT_EVENTS_CLEAR) != 0 ? got : 0;
        naive_event(TAKT_EVENT_TAKE, next, EVENTS_ID + object, 0);
        naive_wake(next, TAKT_OK);
        naive.tasks[next].returned = got;
    }
    state.flags[object] &= ~cleared;
    if (naive.plan->events_trigger[object] != NOBODY && !before && triggers(object, state.flags[object])) {
        naive_arrive(naive.plan->events_trigger[object], 0);
    }
}

static struct naive_answer events(unsigned actor, const struct op *op)
{
    unsigned *flags = &state.flags[op->object];
    unsigned id = EVENTS_ID + op->object;
    if (state.dead_events[op->object]) {
        return (struct naive_answer){.answer.skipped = true};
    }
    if (op->kind == OP_EVENTS_SET) {
        set(naive_teller(actor), op->object, op->detail & 15u);
        return says(TAKT_OK, 0);
    }
    if (op->kind == OP_EVENTS_CLEAR) {
        *flags &= ~(op->detail & 15u);
        naive_event(TAKT_EVENT_TAKE, naive_teller(actor), id, 0);
        return says(TAKT_OK, *flags);
    }
    if (op->kind == OP_DELETE_EVENTS) {
        state.dead_events[op->object] = true;
        naive_event(TAKT_EVENT_DELETE, actor, id, 0);
        naive_wake_all(FOR_EVENTS, op->object);
        return says(TAKT_OK, 0);
    }
    unsigned got = got_of(*flags, op->detail);
    if (got != 0) {
        *flags &= ((op->detail >> 4) & TAKT_EVENTS_CLEAR) != 0 ? ~got : ~0u;
        naive_event(TAKT_EVENT_TAKE, naive_teller(actor), id, 0);
        return says(TAKT_OK, got);
    }
    if (op->kind == OP_EVENTS_TRY_WAIT) {
        return says(TAKT_BUSY, 0);
    }
    return waits(FOR_EVENTS, id, op->kind == OP_EVENTS_WAIT_UNTIL);
}

static void free_block(unsigned teller, unsigned object)
{
    unsigned waiter = naive_best_waiter(FOR_BLOCK, object);
    naive_event(TAKT_EVENT_POST, teller, POOL_ID + object, 0);
    if (waiter == NOBODY) {
        state.used[object]--;
    } else {
        naive_event(TAKT_EVENT_TAKE, waiter, POOL_ID + object, 0);
        naive_wake(waiter, TAKT_OK);
        state.held[waiter][object]++;
    }
}

static struct naive_answer pool(unsigned actor, const struct op *op)
{
    unsigned blocks = op->object == 0 ? 1 : POOL_BLOCKS;
    unsigned id = POOL_ID + op->object;
    unsigned *held = &state.held[actor < HANDLER ? actor : TASKS_MAX][op->object];
    if (state.dead_pool[op->object] || (op->kind == OP_FREE && *held == 0)) {
        return (struct naive_answer){.answer.skipped = true};
    }
    if (op->kind == OP_DELETE_POOL) {
        state.dead_pool[op->object] = true;
        naive_event(TAKT_EVENT_DELETE, actor, id, 0);
        naive_wake_all(FOR_BLOCK, op->object);
        return says(TAKT_OK, 0);
    }
    if (op->kind == OP_FREE) {
        --*held;
        free_block(naive_teller(actor), op->object);
        return says(TAKT_OK, 0); /* its content is as it was left */
    }
    if (state.used[op->object] < blocks) {
        state.used[op->object]++;
        ++*held;
        naive_event(TAKT_EVENT_TAKE, naive_teller(actor), id, 0);
        return says(TAKT_OK, 0);
    }
    if (op->kind == OP_TRY_ALLOCATE) {
        return says(TAKT_BUSY, 0);
    }
    return waits(FOR_BLOCK, id, op->kind == OP_ALLOCATE_UNTIL);
}

/* A task that waits for a signal no more: it gets its mutex, or waits for it. */
static void relock(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (naive.broken[task->mutex]) {
        if (task->where == WAITS) {
            naive_wake(index, TAKT_OWNER_DIED);
        }
        task->status = TAKT_OWNER_DIED;
    } else if (naive.owner[task->mutex] == NOBODY) {
        if (task->where == WAITS) {
            naive_wake(index, TAKT_OK);
        }
        naive_own(task->mutex, index);
        naive_budget_locked(index);
        naive_event(TAKT_EVENT_LOCK, index, MUTEX_ID + task->mutex, 0);
        task->handed = (struct naive_handed){.any = true, .what = FOR_MUTEX, .object = task->mutex};
    } else {
        task->where = WAITS;
        task->wait_for = FOR_MUTEX;
        naive_budget_ready(task);
        task->object = task->mutex;
        task->timeout = naive_expect(TAKT_FOREVER);
        naive_to_tail(task);
        naive_server_look(index, false);
        naive_event(TAKT_EVENT_BLOCK, index, MUTEX_ID + task->mutex, 0);
        naive_hint_overtaken(task->mutex, index);
    }
    naive_settle();
}

void naive_sync_unsignalled(unsigned index, enum takt_status status)
{
    struct naive_task *task = &naive.tasks[index];
    if (task->wait_for == FOR_CONDITION) {
        task->late = naive.owner[task->mutex] != NOBODY ? status : TAKT_OK;
        relock(index);
    }
}

/* The mutex goes to the best of those that wait for it, or to nobody. */
static void give_back(unsigned mutex, unsigned actor)
{
    unsigned next = naive_best_waiter(FOR_MUTEX, mutex);
    naive_own(mutex, NOBODY);
    naive_budget_unlocked(actor);
    naive_event(TAKT_EVENT_UNLOCK, actor, MUTEX_ID + mutex, 0);
    if (next != NOBODY) {
        naive_wake(next, TAKT_OK);
        naive_own(mutex, next);
        naive_budget_locked(next);
        naive_event(TAKT_EVENT_LOCK, next, MUTEX_ID + mutex, 0);
    } else {
        naive_hint_free(mutex);
    }
    naive_settle();
}

void naive_sync_signal(unsigned object, unsigned teller)
{
    unsigned task = naive_best_waiter(FOR_CONDITION, object);
    naive_event(TAKT_EVENT_POST, teller, CONDITION_ID + object, 0);
    if (task != NOBODY) {
        naive_event(TAKT_EVENT_TAKE, task, CONDITION_ID + object, 0);
        naive.tasks[task].signalled = object + 1;
        relock(task);
    }
}

static struct naive_answer condition(unsigned actor, const struct op *op)
{
    unsigned id = CONDITION_ID + op->object;
    unsigned held = actor < HANDLER ? naive_owned(actor) : 0;
    bool wait = op->kind == OP_CONDITION_WAIT || op->kind == OP_CONDITION_WAIT_UNTIL;
    if (state.dead_condition[op->object] || (wait && held == 0)) {
        return (struct naive_answer){.answer.skipped = true};
    }
    if (op->kind == OP_DELETE_CONDITION) {
        state.dead_condition[op->object] = true;
        naive_event(TAKT_EVENT_DELETE, actor, id, 0);
        naive_wake_all(FOR_CONDITION, op->object);
        return says(TAKT_OK, 0);
    }
    if (op->kind == OP_SIGNAL) {
        naive_sync_signal(op->object, naive_teller(actor));
        return says(TAKT_OK, 0);
    }
    if (!wait) {
        naive_event(TAKT_EVENT_POST, naive_teller(actor), id, 0);
        for (unsigned task; (task = naive_best_waiter(FOR_CONDITION, op->object)) != NOBODY;) {
            naive_event(TAKT_EVENT_TAKE, task, id, 0);
            relock(task);
        }
        return says(TAKT_OK, 0);
    }
    unsigned mutex = 31u - (unsigned)__builtin_clz(held);
    give_back(mutex, actor);
    if (!naive_holds(actor) && naive.tasks[actor].stop_later) {
        naive_stop_if_due(actor);
        return (struct naive_answer){.answer.skipped = true};
    }
    if (!naive_holds(actor)) {
        naive_budget_demote_if_due(actor);
    }
    naive.tasks[actor].mutex = mutex;
    return waits(FOR_CONDITION, id, op->kind == OP_CONDITION_WAIT_UNTIL);
}

static void serve(unsigned actor, unsigned caller, unsigned object)
{
    state.serves[actor] = true;
    naive.tasks[actor].hint = NO_HINT;
    state.caller[actor] = caller;
    state.object[actor] = RENDEZVOUS_ID + object;
    state.turn[actor] = ++naive.last_turn;
    naive_budget_locked(actor);
    naive_event(TAKT_EVENT_RECEIVE, actor, RENDEZVOUS_ID + object, 1);
}

uint64_t naive_sync_serves(unsigned task)
{
    return state.serves[task] ? state.turn[task] : 0;
}

static bool awaits_completion(unsigned caller, unsigned actor)
{
    const struct naive_task *task = &naive.tasks[caller];
    return task->where == WAITS && task->wait_for == FOR_COMPLETION && task->server == actor;
}

void naive_sync_break(unsigned actor)
{
    state.serves[actor] = false;
    naive_event(TAKT_EVENT_UNLOCK, actor, state.object[actor], 0);
    if (awaits_completion(state.caller[actor], actor)) {
        naive_wake(state.caller[actor], TAKT_OWNER_DIED);
    }
}

/* It is read when the acceptor runs: a caller that was stopped meanwhile may have come with another. */
uint32_t naive_sync_accepted(unsigned acceptor)
{
    return state.values[state.caller[acceptor]];
}

static struct naive_answer complete(unsigned actor)
{
    unsigned caller = state.caller[actor];
    struct naive_task *task = &naive.tasks[caller];
    state.serves[actor] = false;
    state.values[caller] *= 3;
    naive_event(TAKT_EVENT_POST, actor, state.object[actor], 0);
    naive_budget_unlocked(actor);
    if (awaits_completion(caller, actor)) {
        naive_wake(caller, TAKT_OK);
        task->returned = state.values[caller];
    }
    naive_settle();
    if (!naive_holds(actor)) {
        naive_stop_if_due(actor);
    }
    return says(TAKT_OK, 0);
}

/* A call waits to be accepted. */
static void release_acceptor(unsigned object)
{
    if (naive.plan->rendezvous_trigger[object] != NOBODY) {
        naive_arrive(naive.plan->rendezvous_trigger[object], 0);
    }
}

static struct naive_answer rendezvous(unsigned actor, const struct op *op)
{
    unsigned id = RENDEZVOUS_ID + op->object;
    bool calls = op->kind == OP_CALL || op->kind == OP_CALL_UNTIL;
    if (op->kind == OP_COMPLETE && state.serves[actor]) {
        return complete(actor);
    }
    if (state.dead_rendezvous[op->object] || op->kind == OP_COMPLETE ||
        (state.serves[actor] && op->kind != OP_DELETE_RENDEZVOUS) || (calls && naive_owned(actor) != 0)) {
        return (struct naive_answer){.answer.skipped = true};
    }
    if (op->kind == OP_DELETE_RENDEZVOUS) {
        state.dead_rendezvous[op->object] = true;
        naive_event(TAKT_EVENT_DELETE, actor, id, 0);
        naive_wake_all(FOR_ACCEPTANCE, op->object);
        naive_wake_all(FOR_CALL, op->object);
        return says(TAKT_OK, 0);
    }
    if (calls) {
        unsigned acceptor = naive_best_waiter(FOR_CALL, op->object);
        state.values[actor] = log_message(naive.outcome, actor);
        naive.tasks[actor].call_until_ns = op->kind == OP_CALL ? TAKT_FOREVER : op_until(op, naive.now_ns);
        naive_event(TAKT_EVENT_SEND, actor, id, 0);
        if (acceptor == NOBODY) {
            release_acceptor(op->object);
            return waits(FOR_ACCEPTANCE, id, op->kind == OP_CALL_UNTIL);
        }
        serve(acceptor, actor, op->object);
        naive_wake(acceptor, TAKT_OK);
        naive.tasks[actor].server = acceptor;
        return waits(FOR_COMPLETION, id, false);
    }
    unsigned caller = naive_best_waiter(FOR_ACCEPTANCE, op->object);
    if (caller != NOBODY) {
        serve(actor, caller, op->object);
        naive.tasks[caller].wait_for = FOR_COMPLETION;
        naive.tasks[caller].server = actor;
        naive.tasks[caller].timeout.at_ns = TAKT_FOREVER;
        naive_settle();
        return says(TAKT_OK, 0);
    }
    if (op->kind == OP_TRY_ACCEPT) {
        return says(TAKT_BUSY, 0);
    }
    return waits(FOR_CALL, id, op->kind == OP_ACCEPT_UNTIL);
}

unsigned naive_sync_locks(unsigned task)
{
    return (unsigned)__builtin_popcount(naive_owned(task)) + (state.serves[task] ? 1 : 0);
}

/* A call that was accepted and is not served: its caller waits for the next acceptor. */
static void call_again(unsigned index)
{
    unsigned caller = state.caller[index];
    unsigned object = state.object[index] - RENDEZVOUS_ID;
    bool waits_on = awaits_completion(caller, index);
    state.serves[index] = false;
    naive_budget_unlocked(index);
    if (!waits_on) {
        return;
    }
    struct naive_task *task = &naive.tasks[caller];
    unsigned acceptor = naive_best_waiter(FOR_CALL, object);
    if (acceptor != NOBODY) {
        serve(acceptor, caller, object);
        task->server = acceptor;
        naive_wake(acceptor, TAKT_OK);
    } else {
        task->wait_for = FOR_ACCEPTANCE;
        task->object = object;
        task->timeout = naive_expect(task->call_until_ns);
        release_acceptor(object);
    }
    naive_settle();
}

void naive_sync_take_back(unsigned index, const struct naive_handed *handed)
{
    struct naive_task *task = &naive.tasks[index];
    if (handed->what == FOR_EVENTS && ((task->call.detail >> 4) & TAKT_EVENTS_CLEAR) != 0) {
        set(index, handed->object, task->returned);
    } else if (handed->what == FOR_BLOCK) {
        state.held[index][handed->object]--;
        free_block(index, handed->object);
    } else if (handed->what == FOR_CALL) {
        call_again(index);
    } else if (handed->what == FOR_MUTEX) {
        give_back(handed->object, index);
    }
}

struct naive_answer naive_sync(unsigned actor, const struct op *op)
{
    return op->kind <= OP_DELETE_EVENTS      ? events(actor, op)
           : op->kind <= OP_DELETE_POOL      ? pool(actor, op)
           : op->kind <= OP_DELETE_CONDITION ? condition(actor, op)
                                             : rendezvous(actor, op);
}
