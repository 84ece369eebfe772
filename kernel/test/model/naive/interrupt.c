/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: timers and interrupts. */
#include "naive.h"

enum { END_SOURCE_ID = 0, FIRST_SOURCE_ID = 1 };

/* The first expiry; equal ones in the order of arming. */
enum what { DEADLINE, TIMEOUT, RELEASE, SLICE, ALARM_DUE, WATCHDOG_DUE, BUDGET, SERVER_DUE };

static bool sooner(const struct expected *a, const struct expected *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->at_ns != TAKT_FOREVER && a->turn < b->turn;
}

static uint64_t first_timer(enum what *what, unsigned *task)
{
    const struct expected *first = &naive.slice_end;
    *what = SLICE;
    if (sooner(&naive.budget_end, first)) {
        first = &naive.budget_end;
        *what = BUDGET;
    }
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        const struct naive_task *owner = &naive.tasks[index];
        const struct expected *each[] = {
            [DEADLINE] = &owner->deadline, [TIMEOUT] = &owner->timeout, [RELEASE] = &owner->next_release};
        for (unsigned kind = DEADLINE; kind <= RELEASE; kind++) {
            if (sooner(each[kind], first)) {
                first = each[kind];
                *what = (enum what)kind;
                *task = index;
            }
        }
    }
    for (unsigned index = 0; index < ALARMS; index++) {
        if (sooner(naive_alarm(index), first)) {
            first = naive_alarm(index);
            *what = ALARM_DUE;
            *task = index;
        }
    }
    for (unsigned index = 0; index < WATCHDOGS; index++) {
        if (sooner(naive_watchdog(index), first)) {
            first = naive_watchdog(index);
            *what = WATCHDOG_DUE;
            *task = index;
        }
    }
    for (unsigned index = 0; index < naive.plan->server_count; index++) {
        if (sooner(naive_server_next(index), first)) {
            first = naive_server_next(index);
            *what = SERVER_DUE;
            *task = index;
        }
    }
    return first->at_ns;
}

static void raise(unsigned source)
{
    const struct source_plan *plan = &naive.plan->sources[source];
    naive.source_ns[source] += plan->gaps_ns[naive.source_raised[source]++ % GAPS];
    naive_event(TAKT_EVENT_INTERRUPT, TAKT_TRACE_NONE, FIRST_SOURCE_ID + source, 0);
    for (unsigned ops = 0; ops < plan->ops; ops++) {
        naive_call(HANDLER + source, &plan->script[naive.source_position[source]++ % plan->length]);
    }
    naive_event(TAKT_EVENT_INTERRUPT_END, TAKT_TRACE_NONE, FIRST_SOURCE_ID + source, 0);
}

/* The next intrusion, if it comes now. */
static const struct intrusion *intrusion_here(unsigned actor, bool in_call, unsigned point)
{
    const struct intrusion *next = &naive.plan->intrusions[naive.intrusions];
    bool here = naive.intrusions < naive.plan->intrusion_count && next->actor == actor && next->in_call == in_call &&
                next->point == point && next->at_ns == naive.now_ns;
    naive.intrusions += here ? 1 : 0;
    return here ? next : NULL;
}

/* Whether one came between two steps. */
bool naive_intruded(void)
{
    bool in_call = naive.running != NOBODY && naive.tasks[naive.running].in_call;
    unsigned besides = naive.running == NOBODY ? naive.timer_points : naive.lives[naive.running];
    const struct intrusion *intrusion =
        intrusion_here(naive.running, in_call, intrusion_point(naive.outcome->results.count, besides));
    enum what what;
    unsigned task;
    if (intrusion == NULL) {
        return false;
    }
    if (intrusion->timer) {
        uint64_t until_ns = first_timer(&what, &task);
        if (until_ns == TAKT_FOREVER) { /* it was another run that had a timer here */
            naive.ended = true;
            return true;
        }
        uint64_t duration_ns = until_ns > naive.now_ns ? until_ns - naive.now_ns : 0;
        naive_pass(duration_ns);
        naive.tasks[naive.running].execution_ns += duration_ns;
        naive_budget_spend(&naive.tasks[naive.running], duration_ns);
    } else {
        naive.source_ns[0] = naive.now_ns;
    }
    naive_deliver();
    return true;
}

void naive_timer_opens(void)
{
    uint64_t next_ns = naive.source_ns[0];
    if (intrusion_here(INTRUDED_TIMER, false, naive.timer_points++) != NULL) {
        raise(0);
        naive.source_ns[0] = next_ns; /* one that waited for the timer's still comes */
    }
}

/*
 * Before an alarm or a watchdog is served the lock is open. Whether somebody stopped it there, or started it anew: then
 * the lock opens once more.
 */
static bool withdrawn(enum what what, unsigned index)
{
    const struct expected *call = what == ALARM_DUE ? naive_alarm(index) : naive_watchdog(index);
    uint64_t turn = call->turn;
    naive_timer_opens();
    if (call->at_ns != TAKT_FOREVER && call->turn == turn) {
        return false;
    }
    naive_timer_opens();
    return true;
}

/* Serves every timer that is due, and what comes meanwhile. */
void naive_serve_timers(void)
{
    enum what what = SLICE;
    unsigned task = 0;
    while (first_timer(&what, &task) <= naive.now_ns) {
        bool call = what == ALARM_DUE || what == WATCHDOG_DUE;
        if (call && withdrawn(what, task)) {
            naive_timer_opens();
            continue;
        }
        if (what == DEADLINE) {
            naive_deadline_due(task);
        } else if (what == TIMEOUT) {
            naive_wake(task, TAKT_TIMEOUT);
            naive_sync_unsignalled(task, TAKT_TIMEOUT);
            naive_settle();
        } else if (what == RELEASE) {
            naive_release_due(task);
        } else if (what == ALARM_DUE) {
            naive_alarm_due(task);
        } else if (what == WATCHDOG_DUE) {
            naive_watchdog_due(task);
        } else if (what == SERVER_DUE) {
            naive_server_due(task);
        } else if (what == BUDGET) {
            naive_budget_due();
        } else {
            naive_slice_due();
        }
        naive_timer_opens();
    }
}

uint64_t naive_next_event(void)
{
    enum what what;
    unsigned task;
    uint64_t next_ns = first_timer(&what, &task);
    for (unsigned source = 0; source < naive.plan->source_count; source++) {
        next_ns = naive.source_ns[source] < next_ns ? naive.source_ns[source] : next_ns;
    }
    return naive.plan->end_ns < next_ns ? naive.plan->end_ns : next_ns;
}

/* Takes one interrupt that is due: the timer, then the lowest number. */
static bool interrupt(void)
{
    enum what what;
    unsigned task;
    if (first_timer(&what, &task) <= naive.now_ns) {
        naive_event(TAKT_EVENT_INTERRUPT, TAKT_TRACE_NONE, TAKT_TRACE_TIMER, 0);
        naive_serve_timers();
        naive_event(TAKT_EVENT_INTERRUPT_END, TAKT_TRACE_NONE, TAKT_TRACE_TIMER, 0);
        naive_timer_opens();
        return true;
    }
    if (naive.plan->end_ns <= naive.now_ns) {
        naive_event(TAKT_EVENT_INTERRUPT, TAKT_TRACE_NONE, END_SOURCE_ID, 0);
        naive.ended = true;
        return false;
    }
    for (unsigned source = 0; source < naive.plan->source_count; source++) {
        if (naive.source_ns[source] <= naive.now_ns) {
            raise(source);
            return true;
        }
    }
    return false;
}

static bool deliver_one(void)
{
    naive.in_interrupt = true;
    bool more = interrupt();
    naive.in_interrupt = false;
    naive_budget_watch();
    return more;
}

void naive_deliver(void)
{
    while (deliver_one()) {
    }
}
