/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: time, keys, selection, slices, interrupts. */
#include "naive.h"

#include <string.h>

struct naive naive;

struct expected naive_expect(uint64_t at_ns)
{
    return (struct expected){at_ns, ++naive.last_turn};
}

void naive_event(unsigned event, unsigned task, unsigned object, unsigned value)
{
    struct entry entry = {.time_ns = naive.now_ns,
                          .event = (uint8_t)event,
                          .band = UINT8_MAX,
                          .task = (uint16_t)task,
                          .job = UINT32_MAX,
                          .object = (uint16_t)object,
                          .value = (uint16_t)value};
    if (task < TASKS_MAX) {
        entry.band = naive.plan->level_bands[naive.tasks[task].level];
        entry.job = naive.tasks[task].job;
    }
    log_add(&naive.outcome->trace, entry);
}

bool naive_can_run(const struct naive_task *task)
{
    return task->where == READY && !task->suspended;
}

void naive_to_tail(struct naive_task *task)
{
    task->position = ++naive.last_position;
}

unsigned naive_owned(unsigned task)
{
    unsigned mask = 0;
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        mask |= naive.owner[mutex] == task ? 1u << mutex : 0;
    }
    return mask;
}

void naive_own(unsigned mutex, unsigned task)
{
    naive.owner[mutex] = task;
    naive.owned_turn[mutex] = ++naive.last_turn;
    if (task != NOBODY) {
        naive_hint_owned(mutex, task);
    }
    if (plan_ceiling(naive.plan, mutex)) {
        bool edf = naive.plan->level_edf[naive.plan->ceiling[mutex]];
        naive.floor_ns[mutex] = edf ? naive.now_ns + naive.plan->ceiling_ns[mutex] : 0;
    }
}

/* The order in a queue: key, then declaration order in an edf level, position in a fixed one. */
bool naive_goes_before(unsigned a, unsigned b)
{
    const struct naive_task *first = &naive.tasks[a];
    const struct naive_task *second = &naive.tasks[b];
    if (first->level != second->level || first->deadline_ns != second->deadline_ns) {
        return naive_better(first->level, first->deadline_ns, second->level, second->deadline_ns);
    }
    if (!naive.plan->level_edf[first->level]) {
        return first->position < second->position;
    }
    return first->order != second->order ? first->order < second->order : a < b;
}

bool naive_fifo(enum wait_for wait_for, unsigned object)
{
    const struct plan *plan = naive.plan;
    unsigned mask = wait_for == FOR_MUTEX || wait_for == FOR_TURN_OF_MUTEX  ? plan->fifo_mutexes
                    : wait_for == FOR_SEMAPHORE                             ? plan->fifo_semaphores
                    : wait_for == FOR_MESSAGE || wait_for == FOR_ROOM       ? plan->fifo_mailboxes
                    : wait_for == FOR_BLOCK                                 ? plan->fifo_pools
                    : wait_for == FOR_LETTER || wait_for == FOR_LETTER_ROOM ? plan->fifo_letters
                    : wait_for == FOR_SLOT_ROOM                             ? plan->fifo_slots
                                                                            : 0;
    return (mask >> object & 1u) != 0;
}

bool naive_waits_before(unsigned a, unsigned b)
{
    if (naive.tasks[a].wait_for == FOR_TURN || naive_fifo(naive.tasks[a].wait_for, naive.tasks[a].object)) {
        return naive.tasks[a].timeout.turn < naive.tasks[b].timeout.turn;
    }
    return naive_goes_before(a, b);
}

unsigned naive_best_waiter(enum wait_for wait_for, unsigned object)
{
    unsigned best = NOBODY;
    for (unsigned task = 0; task < naive.plan->task_count; task++) {
        const struct naive_task *candidate = &naive.tasks[task];
        if (candidate->where == WAITS && candidate->wait_for == wait_for && candidate->object == object &&
            (best == NOBODY || naive_waits_before(task, best))) {
            best = task;
        }
    }
    return best;
}

/* The ready task with the best key; in an edf level the running one among equal deadlines. */
unsigned naive_best_ready(void)
{
    unsigned best = NOBODY;
    for (unsigned task = 0; task < naive.plan->task_count; task++) {
        if (naive_can_run(&naive.tasks[task]) && (best == NOBODY || naive_goes_before(task, best))) {
            best = task;
        }
    }
    if (best != NOBODY && naive.running != NOBODY && naive_can_run(&naive.tasks[naive.running])) {
        const struct naive_task *running = &naive.tasks[naive.running];
        const struct naive_task *other = &naive.tasks[best];
        if (naive.plan->level_edf[other->level] && other->level == running->level &&
            other->deadline_ns == running->deadline_ns) {
            return naive.running;
        }
    }
    return best;
}

/* Whether what a wait is for can be taken back. */
static bool takes_back(enum wait_for wait_for)
{
    return wait_for != FOR_TIME && wait_for != FOR_ROOM && wait_for != FOR_LETTER_ROOM && wait_for != FOR_PIPE_ROOM &&
           wait_for != FOR_ACCEPTANCE && wait_for != FOR_COMPLETION && wait_for != FOR_CONDITION;
}

void naive_wake(unsigned index, enum takt_status status)
{
    static const unsigned ids[] = {[FOR_MUTEX] = MUTEX_ID,
                                   [FOR_SEMAPHORE] = SEMAPHORE_ID,
                                   [FOR_MESSAGE] = MAILBOX_ID,
                                   [FOR_ROOM] = MAILBOX_ID,
                                   [FOR_EVENTS] = EVENTS_ID,
                                   [FOR_BLOCK] = POOL_ID,
                                   [FOR_TURN] = SEMAPHORE_ID,
                                   [FOR_CONDITION] = CONDITION_ID,
                                   [FOR_ACCEPTANCE] = RENDEZVOUS_ID,
                                   [FOR_CALL] = RENDEZVOUS_ID,
                                   [FOR_COMPLETION] = RENDEZVOUS_ID,
                                   [FOR_LETTER] = LETTER_ID,
                                   [FOR_LETTER_ROOM] = LETTER_ID,
                                   [FOR_SLOT] = SLOT_ID,
                                   [FOR_SLOT_ROOM] = SLOT_ID,
                                   [FOR_SIGNAL] = SIGNAL_ID,
                                   [FOR_BYTES] = PIPE_ID,
                                   [FOR_PIPE_ROOM] = PIPE_ID,
                                   [FOR_TURN_OF_MUTEX] = MUTEX_ID};
    struct naive_task *task = &naive.tasks[index];
    unsigned object = task->wait_for == FOR_TIME ? TAKT_TRACE_NO_OBJECT : ids[task->wait_for] + task->object;
    task->timeout.at_ns = TAKT_FOREVER;
    naive_budget_ready(task);
    task->where = READY;
    task->status = task->late != TAKT_OK && status == TAKT_OK ? task->late : status;
    task->late = TAKT_OK;
    if (task->wait_for != FOR_TURN_OF_MUTEX) { /* by its hint: what it was handed before it still has not got */
        task->handed = (struct naive_handed){
            .any = status == TAKT_OK && takes_back(task->wait_for), .what = task->wait_for, .object = task->object};
    }
    naive_to_tail(task);
    naive_event(TAKT_EVENT_READY, index, object, status);
    naive_server_key(index);
    naive_hint_ready(index, task->wait_for == FOR_MUTEX || task->wait_for == FOR_CONDITION ||
                                task->wait_for == FOR_COMPLETION);
    naive_server_ready(index);
}

/* Time slices. One goes on where it was after a preemption, unless it is over; a task that blocks starts a new one. */
static uint64_t quantum_ns(unsigned task)
{
    return task == NOBODY ? 0 : naive.plan->quanta_ns[naive.tasks[task].level];
}

static void slice_enter(unsigned index)
{
    uint64_t length_ns = quantum_ns(index);
    naive.slice_end.at_ns = TAKT_FOREVER;
    if (length_ns != 0) {
        uint64_t left_ns = naive.tasks[index].slice_left_ns;
        naive.slice_end = naive_expect(naive.now_ns + (left_ns != 0 ? left_ns : length_ns));
    }
}

void naive_slice_due(void)
{
    naive.slice_end.at_ns = TAKT_FOREVER;
    if (naive.running != NOBODY && naive_can_run(&naive.tasks[naive.running]) && quantum_ns(naive.running) != 0) {
        naive_to_tail(&naive.tasks[naive.running]);
    }
}

static void slice_leave(struct naive_task *task)
{
    bool left = naive.slice_end.at_ns != TAKT_FOREVER && task->where == READY && naive.slice_end.at_ns > naive.now_ns;
    task->slice_left_ns = left ? naive.slice_end.at_ns - naive.now_ns : 0;
    if (naive.slice_end.at_ns <= naive.now_ns) {
        naive_slice_due();
    }
}

/* Gives the processor to whom it belongs. */
static void dispatch(void)
{
    unsigned next = naive_best_ready();
    if (naive.plan->cooperative) {
        if (naive.running == NOBODY && next != NOBODY) {
            naive.running = next;
            naive_event(TAKT_EVENT_RUN, next, TAKT_TRACE_NO_OBJECT, 0);
        }
        return;
    }
    if (next == naive.running) {
        if (naive.slice_end.at_ns == TAKT_FOREVER && quantum_ns(next) != 0) {
            naive.tasks[next].slice_left_ns = 0;
            slice_enter(next);
        }
        return;
    }
    if (naive.running != NOBODY) {
        slice_leave(&naive.tasks[naive.running]);
        naive_budget_leave(naive.running);
    }
    slice_enter(next);
    naive.running = next;
    if (next != NOBODY) {
        naive.tasks[next].handed.any = false;
        naive.tasks[next].signalled = 0;
    }
    naive_budget_switch();
    naive_event(TAKT_EVENT_RUN, next == NOBODY ? TAKT_TRACE_IDLE : next, TAKT_TRACE_NO_OBJECT, 0);
}

static void work(struct naive_task *task)
{
    uint64_t next_ns = naive_next_event();
    if (next_ns <= naive.now_ns) {
        naive_deliver();
        return;
    }
    uint64_t step_ns = next_ns - naive.now_ns;
    step_ns = step_ns < task->work_left_ns ? step_ns : task->work_left_ns;
    naive_pass(step_ns);
    task->work_left_ns -= step_ns;
    task->execution_ns += step_ns;
    naive_budget_spend(task, step_ns);
}

static void end_of_script(unsigned index)
{
    static const struct op unlock_first = {.kind = OP_UNLOCK};
    struct naive_task *task = &naive.tasks[index];
    if (naive_owned(index) != 0) {
        task->in_call = true;
        task->call = unlock_first;
        naive_call(index, &unlock_first);
        return;
    }
    struct op last;
    if (naive_sync_ends(index, &last)) {
        task->in_call = true;
        task->call = last;
        naive_call(index, &last);
        return;
    }
    naive_sync_begin(index);
    task->op = 0;
    if (task->plan->release == TAKT_BACKGROUND) {
        task->rounds++;
        if (task->rounds < task->plan->rounds) {
            return;
        }
    }
    if (naive.plan->cooperative) {
        naive.running = NOBODY;
    }
    if (task->plan->release == TAKT_BACKGROUND) {
        naive_stop(index);
    } else {
        naive_job_end(index);
        naive_stop_if_due(index);
    }
    if (naive.plan->cooperative && naive_best_ready() == NOBODY) {
        naive_event(TAKT_EVENT_RUN, TAKT_TRACE_IDLE, TAKT_TRACE_NO_OBJECT, 0);
    }
}

static void step(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (task->in_call) {
        naive_return(index);
    } else if (task->work_left_ns > 0) {
        work(task);
    } else if (task->op == task->plan->length) {
        end_of_script(index);
    } else {
        task->call = task->plan->script[task->op++];
        naive_call(index, &task->call);
    }
}

void naive_run(const struct plan *plan, struct outcome *outcome)
{
    memset(&naive, 0, sizeof naive);
    naive_sync_reset();
    naive_alarms_reset();
    naive_watchdogs_reset();
    naive_hint_reset();
    naive.plan = plan;
    naive_servers_reset();
    naive.outcome = outcome;
    naive.running = NOBODY;
    naive.slice_end.at_ns = TAKT_FOREVER;
    naive.budget_end.at_ns = TAKT_FOREVER;
    naive.budget_paid = NOBODY;
    outcome->figures.first_miss_deadline_ns = UINT64_MAX;
    for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
        naive.owner[mutex] = NOBODY;
    }
    naive_slots_init();
    for (unsigned semaphore = 0; semaphore < SEMAPHORES; semaphore++) {
        naive.count[semaphore] = plan->semaphore_initial[semaphore];
    }
    for (unsigned source = 0; source < plan->source_count; source++) {
        naive.source_ns[source] = plan->sources[source].first_ns;
    }
    for (unsigned index = 0; index < plan->task_count; index++) {
        naive.tasks[index].plan = &plan->tasks[index];
        naive_start(index, 0);
    }
    naive_servers_started();
    naive.timer_points = UINT16_MAX; /* nobody interrupts the first releases */
    naive_serve_timers();
    naive.timer_points = 0;
    for (bool first = true; !naive.ended; first = false) {
        bool chooses = naive.plan->cooperative && naive.running == NOBODY && naive_best_ready() != NOBODY;
        if (chooses && !first && naive_next_event() <= naive.now_ns) { /* due when the job before ended */
            naive_deliver();
            continue;
        }
        dispatch();
        if (naive_intruded()) {
            continue;
        }
        if (naive.running != NOBODY) {
            step(naive.running);
            continue;
        }
        uint64_t next_ns = naive_next_event();
        naive_pass(next_ns > naive.now_ns ? next_ns - naive.now_ns : 0);
        naive_deliver();
    }
    naive_final_figures();
}
