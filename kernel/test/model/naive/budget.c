/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The naive model: budgets. What is left is counted down while the task executes, and while it waits in a job for
 * longer than it may; and each wait has a price.
 */
#include "takt/budget.h"
#include "naive.h"

enum { BROKEN = 3 };

static bool enforced(const struct naive_task *task)
{
    return task->plan->budget_ns != 0 && task->plan->on_budget != TAKT_BUDGET_NOTIFY;
}

static uint64_t least_ns(struct naive_task *task)
{
    uint64_t left_ns = *naive_budget_left(task);
    return left_ns < task->section_left_ns ? left_ns : task->section_left_ns;
}

static void renew(struct naive_task *task)
{
    task->budget_left_ns = task->plan->budget_ns == 0 ? TAKT_FOREVER : task->plan->budget_ns;
    task->suspension_left_ns = task->plan->suspension_ns;
    task->waits_left = task->plan->waits;
    task->locks_left = task->plan->locks;
    task->spent = false;
    task->demoted = false;
    task->demote_later = false;
}

void naive_budget_start(struct naive_task *task)
{
    renew(task);
    task->section_left_ns = TAKT_FOREVER;
}

void naive_budget_begin(struct naive_task *task, bool late)
{
    if (naive_served(task)) {
        task->waits_left = task->plan->waits;
        task->locks_left = task->plan->locks;
        return;
    }
    if (!late || !task->demoted) {
        renew(task);
    }
    if (late && task->plan->budget_ns != 0) {
        naive_budget_watch();
    }
}

unsigned naive_own_level(const struct naive_task *task)
{
    return task->demoted ? naive.plan->level_count - 1u : task->plan->level;
}

void naive_budget_spend(struct naive_task *task, uint64_t duration_ns)
{
    uint64_t *left_ns = naive_budget_left(task);
    *left_ns -= *left_ns == TAKT_FOREVER ? 0 : duration_ns;
    task->section_left_ns -= task->section_left_ns == TAKT_FOREVER ? 0 : duration_ns;
}

static uint64_t less(uint64_t left_ns, uint64_t cost_ns)
{
    return left_ns == TAKT_FOREVER ? left_ns : left_ns > cost_ns ? left_ns - cost_ns : 0;
}

/* Whether it waits for a mutex that another owns, which inherits from it. */
static bool waits_for_owner(const struct naive_task *task)
{
    bool mutex = task->wait_for == FOR_MUTEX || task->wait_for == FOR_TURN_OF_MUTEX;
    return task->where == WAITS && mutex;
}

static bool in_section(const struct naive_task *task)
{
    return task->section_left_ns != TAKT_FOREVER;
}

static bool served_always(const struct naive_task *task)
{
    return naive_served(task) && task->plan->release == TAKT_BACKGROUND;
}

static bool in_job_or_section(const struct naive_task *task)
{
    return enforced(task) && (task->active || in_section(task) || served_always(task));
}

static bool is_charged(const struct naive_task *task)
{
    bool held = task->where == READY && task->suspended;
    return in_job_or_section(task) && (task->where == WAITS || held) && !waits_for_owner(task);
}

/* What it has waited by now, except what it paid for, is charged when that is over. */
static void wait_on(struct naive_task *task, uint64_t duration_ns)
{
    task->owed_ns += less(duration_ns, task->free_ns);
    task->free_ns = less(task->free_ns, duration_ns);
}

static uint64_t beyond_ns(const struct naive_task *task)
{
    return less(task->owed_ns, task->suspension_left_ns);
}

/* It waits no more, or for a mutex. */
void naive_budget_ready(struct naive_task *task)
{
    task->budget_left_ns = less(task->budget_left_ns, beyond_ns(task));
    task->section_left_ns = less(task->section_left_ns, task->owed_ns); /* a section has no waits that are counted */
    task->suspension_left_ns = less(task->suspension_left_ns, task->owed_ns);
    task->owed_ns = 0;
    task->free_ns = 0;
}

void naive_pass(uint64_t duration_ns)
{
    naive.now_ns += duration_ns;
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        struct naive_task *task = &naive.tasks[index];
        if (is_charged(task)) {
            wait_on(task, duration_ns);
        }
    }
}

static void pay_of_section(unsigned index, uint64_t cost_ns)
{
    struct naive_task *task = &naive.tasks[index];
    task->section_left_ns = less(task->section_left_ns, cost_ns);
    if (cost_ns != 0 && least_ns(task) == 0) {
        naive.budget_paid = index;
    }
}

static void pay(unsigned index, uint64_t cost_ns)
{
    uint64_t *left_ns = naive_budget_left(&naive.tasks[index]);
    *left_ns = less(*left_ns, cost_ns);
    pay_of_section(index, cost_ns);
}

static void pay_for_wait(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    bool before = task->charged_before;
    task->free_ns = 0;
    task->charged_before = false;
    if (naive_served(task) && task->where == AWAITS_RELEASE) {
        pay(index, task->plan->wait_ns);
        return;
    }
    if (!in_job_or_section(task) || (task->where != WAITS && !(task->where == READY && task->suspended))) {
        return;
    }
    uint64_t of_section_ns = less(task->plan->wait_ns, task->plan->hold_ns);
    uint64_t own_ns = in_section(task) ? of_section_ns : task->plan->wait_ns;
    task->free_ns = before || waits_for_owner(task) ? 0 : own_ns;
    unsigned *left = waits_for_owner(task) ? &task->locks_left : &task->waits_left;
    bool counted = *left != 0 || !(task->active || served_always(task));
    if (task->timeout.at_ns != TAKT_FOREVER && task->plan->waits == 0 && task->active && !naive_served(task)) {
        pay(index, TAKT_FOREVER - 1);
    } else if (!counted) {
        pay(index, task->plan->wait_ns);
    } else {
        *left -= *left != 0 ? 1 : 0;
        pay_of_section(index, waits_for_owner(task) ? 0 : of_section_ns);
    }
}

/* The running task leaves the processor. */
void naive_budget_leave(unsigned index)
{
    pay_for_wait(index);
    naive_server_look(index, true);
}

void naive_budget_yield(unsigned index)
{
    if (enforced(&naive.tasks[index])) {
        pay(index, naive.tasks[index].plan->wait_ns);
    }
}

/* When the running task will have executed for what is left, if nothing comes between. */
void naive_budget_watch(void)
{
    uint64_t at_ns = TAKT_FOREVER;
    if (naive.running != NOBODY && least_ns(&naive.tasks[naive.running]) != TAKT_FOREVER) {
        at_ns = naive.now_ns + least_ns(&naive.tasks[naive.running]);
    }
    if (naive.budget_paid != NOBODY) {
        at_ns = naive.now_ns;
    }
    if (at_ns != naive.budget_end.at_ns && !naive.in_interrupt) {
        naive.budget_end = naive_expect(at_ns);
    }
}

void naive_budget_switch(void)
{
    naive.budget_end.at_ns = TAKT_FOREVER;
    naive_budget_watch();
}

void naive_budget_locked(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (enforced(task) && !in_section(task)) {
        naive_budget_ready(task);
        task->section_left_ns = task->plan->hold_ns;
        naive_budget_watch();
    }
}

void naive_budget_unlocked(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (!naive_holds(index) && enforced(task)) {
        task->section_left_ns = TAKT_FOREVER;
        naive_budget_watch();
    }
}

static void demote(unsigned index)
{
    naive.tasks[index].demote_later = false;
    if (naive_served(&naive.tasks[index])) {
        naive_server_unlocked(index);
        return;
    }
    naive.tasks[index].demoted = true;
    naive_settle();
}

void naive_budget_demote_if_due(unsigned index)
{
    if (naive.tasks[index].demote_later) {
        demote(index);
    }
}

void naive_budget_stop(struct naive_task *task)
{
    task->budget_left_ns = TAKT_FOREVER;
    task->section_left_ns = TAKT_FOREVER;
    naive_server_stop((unsigned)(task - naive.tasks));
    if (naive.budget_paid != NOBODY && task == &naive.tasks[naive.budget_paid]) {
        naive.budget_paid = NOBODY;
        naive.budget_end.at_ns = TAKT_FOREVER;
        naive_budget_watch();
    }
}

/* Its mutexes are broken, the last one first; and a call that it serves, which counts as one. */
static void break_section(unsigned index)
{
    naive_take_back(index);
    while (naive_holds(index)) {
        unsigned owned = naive_owned(index);
        unsigned last = NOBODY;
        for (unsigned mutex = 0; mutex < MUTEXES; mutex++) {
            bool later = last == NOBODY || naive.owned_turn[mutex] > naive.owned_turn[last];
            last = ((owned >> mutex) & 1u) != 0 && later ? mutex : last;
        }
        if (last == NOBODY || naive.owned_turn[last] < naive_sync_serves(index)) {
            naive_sync_break(index);
            continue;
        }
        naive_own(last, NOBODY);
        naive.broken[last] = true;
        naive_event(TAKT_EVENT_UNLOCK, index, MUTEX_ID + last, 0);
        naive_hint_overtaken(last, NOBODY);
        for (unsigned waiter; (waiter = naive_best_waiter(FOR_MUTEX, last)) != NOBODY;) {
            naive_wake(waiter, TAKT_OWNER_DIED);
        }
    }
    naive_stop(index);
}

void naive_budget_due(void)
{
    unsigned index = naive.budget_paid != NOBODY ? naive.budget_paid : naive.running;
    naive.budget_end.at_ns = TAKT_FOREVER;
    naive.budget_paid = NOBODY;
    if (index == NOBODY) {
        return;
    }
    struct naive_task *task = &naive.tasks[index];
    if (least_ns(task) != 0) {
        return; /* an interrupt took the time */
    }
    bool in_section = task->section_left_ns == 0;
    if (naive_served(task) && !in_section && naive_server_continues(index)) {
        return;
    }
    task->exhausted++;
    naive_event(TAKT_EVENT_BUDGET, index, TAKT_TRACE_NO_OBJECT, in_section ? BROKEN : task->plan->on_budget);
    if (in_section) {
        break_section(index);
        return;
    }
    if (naive_served(task)) {
        naive_server_exhaust(index);
        return;
    }
    task->budget_left_ns = TAKT_FOREVER;
    task->spent = true;
    if (task->plan->on_budget == TAKT_BUDGET_NOTIFY) {
        naive_timer_opens();
        naive_call(HOOK + index, &task->plan->hook);
    } else if (task->plan->on_budget == TAKT_BUDGET_STOP) {
        naive_stop(index);
    } else if (naive_holds(index)) {
        task->demote_later = !task->stop_later;
    } else {
        demote(index);
    }
}

/* What takt_task_budget_ns and takt_task_exhausted say together, as drive.c puts it. */
uint32_t naive_budget_said(unsigned index)
{
    const struct naive_task *task = &naive.tasks[index];
    uint64_t left_ns = less(task->budget_left_ns, beyond_ns(task));
    if (naive_served(task)) {
        return task->exhausted + (uint32_t)(task->where == OUT ? 0 : naive_server_left(index));
    }
    if (task->plan->budget_ns != 0 && (task->where == OUT || task->spent)) {
        left_ns = 0;
    } else if (task->plan->budget_ns == 0) {
        left_ns = TAKT_FOREVER;
    }
    return (uint32_t)left_ns + task->exhausted;
}
