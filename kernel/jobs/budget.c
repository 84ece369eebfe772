/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Budgets, and sections, which can end before their unlock (broken.c). One timer, armed at the switch to a task for its
 * remaining budget and cancelled at the switch away, as that of time slices. Interrupts are not charged: the execution
 * so far is charged at their begin, and the timer is armed again at their end if time has passed. Arming takes time,
 * too: charging continues after it, and the timer allows for it.
 *
 * An interval of execution is credited TAKT_PORT_CHARGE_NS, which is correct if other tasks caused its begin and end. A
 * task that waits causes them itself, so each wait beyond those in the proof costs its time in the proof. The time of a
 * wait is charged when the task is ready again; all of it to its section, since other tasks wait as long for its
 * mutexes, or for a task that does. With processes a separate timer ends a section that overruns during a wait.
 */
#include "kernel/core/processes.h"
#include "kernel/sync/mutex.h"

#if TAKT_BUDGETS
/* Sections are watched with the policies that enforce. */
static bool enforced(const struct takt_budget *budget)
{
    return budget != NULL && budget->policy != TAKT_BUDGET_NOTIFY;
}

static uint64_t least_ns(struct takt_budget *budget)
{
    return takti_left_ns(budget) < budget->section_ns ? takti_left_ns(budget) : budget->section_ns;
}

static TAKTI_NOINLINE_SIZE uint64_t less(uint64_t left_ns, uint64_t used_ns)
{
    if (left_ns == TAKT_FOREVER) {
        return left_ns;
    }
    return left_ns > used_ns ? left_ns - used_ns : 0;
}

/* Charges the running task's execution up to now, less `unseen_ns` of kernel time. No effect in an interrupt. */
static void charge(uint64_t now_ns, uint64_t unseen_ns)
{
    struct takt_budget *budget = takti_kernel.ready.running->config->budget;
    if (*takti_kernel.interrupts == 0 && budget != NULL) {
        takti_server_runs(budget, takti_kernel.budgets->since_ns, now_ns);
        uint64_t used_ns = less(now_ns - takti_kernel.budgets->since_ns, unseen_ns);
        takti_left_ns(budget) = less(takti_left_ns(budget), used_ns);
        budget->section_ns = less(budget->section_ns, used_ns);
        takti_kernel.budgets->since_ns = now_ns;
    }
}

/* Arms the timer for the running task, charged up to now. Not in an interrupt, whose end does it. */
static void watch(const struct takt_task *task, uint64_t now_ns)
{
    struct takt_timer *timer = &takti_kernel.budgets->timer;
    struct takt_budget *budget = task->config->budget;
    uint64_t least = budget == NULL ? TAKT_FOREVER : least_ns(budget);
    uint64_t slack_ns = least == 0 ? 0 : 2 * TAKT_PORT_CHARGE_NS; /* not measured, and for arming */
    uint64_t at_ns = takt_add(now_ns, takt_add(least, slack_ns));
    TAKT_ASSERT(*takti_kernel.interrupts == 0);
    if (takti_kernel.budgets->spent != NULL) {
        at_ns = now_ns;
        least = 0;
    }
    if (takti_timer_armed(timer) && timer->at_ns == at_ns) {
        return;
    }
    takti_timer_cancel(timer);
    if (least != TAKT_FOREVER) {
        takti_timer_arm(timer, at_ns);
    }
}

/* Charges `task` for kernel work. Exhaustion takes effect at once: otherwise a task with many short waits would never
 * be running when its budget ends. */
static void pay_of_section(struct takt_task *task, uint64_t cost_ns)
{
    struct takt_budget *budget = task->config->budget;
    budget->section_ns = less(budget->section_ns, cost_ns);
    if (cost_ns != 0 && least_ns(budget) == 0) {
        takti_kernel.budgets->spent = task;
    }
}

static void pay(struct takt_task *task, uint64_t cost_ns)
{
    struct takt_budget *budget = task->config->budget;
    takti_left_ns(budget) = less(takti_left_ns(budget), cost_ns);
    pay_of_section(task, cost_ns);
}

static bool in_job(const struct takt_task *task)
{
    return (task->timer.flags & TAKTI_FLAG_ACTIVE) != 0;
}

static bool in_section(const struct takt_task *task)
{
    return task->config->budget->section_ns != TAKT_FOREVER;
}

/*
 * Whether it waits for a mutex whose owner inherits from it, which other tasks cause; not for a call to be served. In a
 * section a wait for a mutex that its process created counts as any other wait: in which order its tasks lock those is
 * not declared, and tasks of others that wait for the section must not wait for a deadlock among them.
 */
static bool owner_inherits(const struct takt_task *task)
{
    const struct takt_mutex *mutex = (const struct takt_mutex *)task->wait_queue;
    bool locks = task->timer.state == TAKTI_BLOCKED_MUTEX && mutex->owner != NULL && mutex->hands != TAKTI_HANDS_CALL;
    return locks && takti_lends(mutex, mutex->owner) && !(takti_mutex_created(mutex) && in_section(task));
}

/* Whether the task is charged. */
static bool is_charged(const struct takt_task *task)
{
    return enforced(task->config->budget) && (in_job(task) || in_section(task) || takti_is_served_always(task));
}

/* Arms the end of the section, at the end of its remaining time. */
static void section_watch(const struct takt_task *task)
{
    struct takt_budget *budget = task->config->budget;
    bool lasts = in_section(task) && budget->section_ns != 0; /* otherwise the cost of the wait ends it: `spent` */
    if (TAKT_PROCESSES && lasts) {
        takti_call_arm(&budget->in_process->section_end, takt_add(budget->waiting_since_ns, budget->section_ns));
    }
}

static void section_leave(struct takt_budget *budget)
{
    if (TAKT_PROCESSES) {
        takti_timer_cancel(&budget->in_process->section_end.timer);
    }
}

/* The task stops being ready; `free_ns` of the wait is not charged. */
static void wait_begins(const struct takt_task *task, uint64_t free_ns)
{
    struct takt_budget *budget = task->config->budget;
    if (is_charged(task) && budget->waiting_since_ns == TAKT_FOREVER && !owner_inherits(task)) {
        budget->waiting_since_ns = takt_add(takti_clock_ns(), free_ns);
        section_watch(task);
    }
}

void takti_budget_waits(const struct takt_task *task)
{
    wait_begins(task, 0);
    takti_server_rests(task);
}

static uint64_t waited_so_far(const struct takt_budget *budget)
{
    return less(takti_clock_ns(), budget->waiting_since_ns);
}

/* The wait ends: the task is ready, or waits for such a mutex. */
void takti_budget_wait_ends(const struct takt_task *task)
{
    struct takt_budget *budget = task->config->budget;
    if (budget == NULL || budget->waiting_since_ns == TAKT_FOREVER) {
        return;
    }
    uint64_t waited_ns = waited_so_far(budget);
    uint64_t beyond_ns = less(waited_ns, budget->suspension_left_ns);
    budget->waiting_since_ns = TAKT_FOREVER;
    budget->suspension_left_ns = less(budget->suspension_left_ns, waited_ns);
    budget->left_ns = less(budget->left_ns, beyond_ns);
    budget->section_ns = less(budget->section_ns, waited_ns);
    section_leave(budget);
}

/* The running task blocks in its job: charges the wait, unless it is in the proof. Of a served task, the end of its
 * job, too: its releases are in the proof, but not what they cost others at the server's level. */
static void pay_for_wait(struct takt_task *task)
{
    struct takt_budget *budget = task->config->budget;
    if (TAKT_SERVERS && takti_server_of(task) != NULL && task->timer.state == TAKTI_BLOCKED_JOB) {
        pay(task, budget->yield_ns);
        return;
    }
    if (!is_charged(task) || task->timer.state == TAKTI_READY || task->timer.state == TAKTI_DORMANT) {
        return;
    }
    bool inherits = owner_inherits(task);
    uint16_t *left = inherits ? &budget->locks_left : &budget->waits_left;
    bool timed = takti_timer_armed(&task->timer) && task->timer.at_ns != TAKT_FOREVER;
    bool counted = *left != 0 || !(in_job(task) || takti_is_served_always(task));
    if (timed && budget->waits == 0 && in_job(task) && !takti_is_shared(budget)) {
        pay(task, TAKT_FOREVER - 1); /* the proof includes no such timer */
        if (takti_process_of(task) != NULL && budget->policy == TAKT_BUDGET_STOP) {
            takti_timer_cancel(&task->timer); /* its process ends at once: the timer is not needed */
        }
    } else if (counted) {
        *left = (uint16_t)(*left - (*left != 0 ? 1u : 0u));
        pay_of_section(task, inherits ? 0 : less(budget->wait_ns, budget->hold_ns)); /* except for its own section */
    } else {
        pay(task, budget->wait_ns);
    }
    /* The kernel time of the wait is not waiting time; in a section it has been charged already. */
    wait_begins(task, in_section(task) ? less(budget->wait_ns, budget->hold_ns) : budget->wait_ns);
}

void takti_budget_yield(struct takt_task *task)
{
    if (enforced(task->config->budget)) {
        charge(takt_port_now_ns(), TAKT_PORT_CHARGE_NS);
        pay(task, task->config->budget->yield_ns);
    }
}

/* Switch from the running task to `next`. */
void takti_budget_switch(const struct takt_task *next)
{
    uint64_t now_ns = takt_port_now_ns();
    charge(now_ns, TAKT_PORT_CHARGE_NS);
    pay_for_wait(takti_kernel.ready.running);
    takti_server_rests(takti_kernel.ready.running);
    takti_timer_cancel(&takti_kernel.budgets->timer);
    watch(next, now_ns);
    takti_kernel.budgets->since_ns = takt_port_now_ns();
}

/* Begin or end of an interrupt. */
void takti_budget_pause(uint64_t now_ns)
{
    charge(now_ns, TAKT_PORT_CHARGE_NS);
}

void takti_budget_resume(void)
{
    if (*takti_kernel.interrupts == 0) {
        watch(takti_kernel.ready.running, takt_port_now_ns());
        takti_kernel.budgets->since_ns = takt_port_now_ns();
    }
}

static void renew(struct takt_budget *budget)
{
    budget->left_ns = budget->full_ns;
    budget->suspension_left_ns = budget->suspension_ns;
    budget->waits_left = budget->waits;
    budget->locks_left = budget->locks;
    budget->state = 0;
}

/* Start of a task. */
void takti_budget_prepare(struct takt_task *task)
{
    struct takt_budget *budget = task->config->budget;
    *task->held = NULL;
    if (budget != NULL) {
        TAKT_ASSERT(budget->full_ns != 0 && (budget->policy <= TAKT_BUDGET_STOP || takti_is_shared(budget)));
        TAKT_ASSERT(!takti_demotes(budget) || !takti_level_edf(&takti_kernel.ready, budget->level));
        renew(budget);
        budget->section_ns = TAKT_FOREVER;
        budget->waiting_since_ns = TAKT_FOREVER;
        if (TAKT_PROCESSES) {
            budget->in_process->section_end.function = takti_budget_section_due;
            budget->in_process->task = task;
        }
    }
}

/*
 * Begin of a job. A job that begins late after a demoted one stays demoted: otherwise it would execute for two budgets
 * in one period, which the proof does not include, and in an edf band with an old deadline.
 */
void takti_budget_begin(struct takt_task *task, bool late)
{
    struct takt_budget *budget = task->config->budget;
    if (budget == NULL || takti_server_begins(budget) || (late && (budget->state & TAKTI_BUDGET_DEMOTED) != 0)) {
        return;
    }
    bool demoted = (budget->state & TAKTI_BUDGET_DEMOTED) != 0;
    renew(budget);
    if (demoted) {
        takti_key_update(task);
    }
    if (late) { /* it continues without a release */
        takti_kernel.budgets->since_ns = takt_port_now_ns();
        watch(task, takti_kernel.budgets->since_ns);
    }
}

static void demote(struct takt_task *task)
{
    task->config->budget->state |= TAKTI_BUDGET_DEMOTED;
    takti_key_update(task);
}

/* Whether the task will be demoted at its last unlock. */
bool takti_budget_pending(const struct takt_task *task)
{
    return task->config->budget != NULL && (task->config->budget->state & TAKTI_BUDGET_PENDING) != 0;
}

/* At a last unlock with a pending stop or demotion: whether it was a demotion, which is made. */
bool takti_budget_demotes(struct takt_task *task)
{
    if (!takti_budget_pending(task)) {
        return false;
    }
    task->config->budget->state &= (uint8_t)~TAKTI_BUDGET_PENDING;
    if (!takti_server_unlocked(task)) {
        demote(task);
    }
    return true;
}

/* The task will be stopped at the last unlock, instead of demoted. */
void takti_budget_stops(struct takt_task *task)
{
    if (task->config->budget != NULL) {
        task->config->budget->state &= (uint8_t)~TAKTI_BUDGET_PENDING;
    }
}

/* Returns the timer to the running task. */
static void forget_spent(void)
{
    takti_kernel.budgets->spent = NULL;
    takti_timer_cancel(&takti_kernel.budgets->timer);
    if (*takti_kernel.interrupts == 0) {
        uint64_t now_ns = takt_port_now_ns();
        charge(now_ns, 0);
        watch(takti_kernel.ready.running, now_ns);
    }
}

/* A stopped task, which may still be the running one, is no longer watched. */
void takti_budget_ends(struct takt_task *task)
{
    if (task->config->budget != NULL) {
        task->config->budget->left_ns = TAKT_FOREVER;
        task->config->budget->section_ns = TAKT_FOREVER;
        task->config->budget->waiting_since_ns = TAKT_FOREVER;
        section_leave(task->config->budget);
    }
    if (TAKT_SERVERS) {
        charge(takti_clock_ns(), 0);
    }
    takti_server_ends(task);
    if (takti_kernel.budgets->spent == task) {
        forget_spent();
    }
}

/* Begins a section of `section_ns`; TAKT_FOREVER: ends it. */
static void begin_section(struct takt_task *task, uint64_t section_ns)
{
    struct takt_budget *budget = task->config->budget;
    bool runs = task == takti_kernel.ready.running;
    bool waits = budget->waiting_since_ns != TAKT_FOREVER;
    uint64_t now_ns = 0;
    if (runs) {
        now_ns = takt_port_now_ns();
        charge(now_ns, 0);
    }
    if (waits) { /* a mutex was handed over to a waiter, whose wait was before the section; or the section of a waiter
                    ends */
        takti_budget_wait_ends(task);
    }
    budget->section_ns = section_ns;
    if (waits || task->timer.state == TAKTI_SUSPENDED) {
        takti_budget_waits(task);
    }
    if (runs) {
        watch(task, now_ns);
    }
}

/* `task` owns one more mutex. */
void takti_budget_locked(struct takt_task *task)
{
    if (enforced(task->config->budget) && (task->holds & TAKTI_HOLDS_COUNT) == 1) {
        begin_section(task, task->config->budget->hold_ns);
    }
}

/* `task` owns one mutex less. */
void takti_budget_unlocked(struct takt_task *task)
{
    if (enforced(task->config->budget) && (task->holds & TAKTI_HOLDS_COUNT) == 0) {
        begin_section(task, TAKT_FOREVER);
    }
}

/* Stops a task in its section. */
static void break_section(struct takt_task *task)
{
    takti_fault_note(TAKT_FAULT_SECTION, task, (uintptr_t)*task->held);
    (void)takti_take_back(task); /* it may be blocked: an item handed over meanwhile is returned */
    takti_held_give_up_all(task);
    takti_task_end(task);
}

/* The job has used up its budget. */
static void exhaust(struct takt_task *task, struct takt_budget *budget, uint32_t lock)
{
    budget->left_ns = TAKT_FOREVER;
    budget->state |= TAKTI_BUDGET_SPENT;
    if (budget->policy == TAKT_BUDGET_NOTIFY) {
        if (budget->hook != NULL) {
            takt_port_leave(lock);
            budget->hook(task);
            (void)takt_port_enter();
        }
    } else if (budget->policy == TAKT_BUDGET_STOP) {
        (void)takti_task_stop(task);
    } else if (budget->section_ns == TAKT_FOREVER) {
        demote(task);
    } else if (!takti_stops_later(task)) {
        task->holds &= TAKTI_HOLDS_COUNT;
        task->hint = NULL; /* no longer needed: takti_last_unlock */
        budget->state |= TAKTI_BUDGET_PENDING;
    }
}

/* The budget of a task is used up, or its section: acts on it. `waited`: by a wait or a yield. */
static void take_effect(struct takt_task *task, struct takt_budget *budget, bool waited, uint32_t lock)
{
    bool broken = budget->section_ns <= takti_left_ns(budget);
    if (!broken && takti_server_continues(budget, lock)) {
        return;
    }
    budget->exhausted++;
    takti_trace(TAKT_EVENT_BUDGET, task, TAKT_TRACE_NO_OBJECT, broken ? TAKT_TRACE_BUDGET_BROKEN : budget->policy);
    if (TAKT_PROCESSES && takti_process_exhausted(task, broken, waited)) {
        return;
    }
    if (broken) {
        break_section(task);
    } else if (!takti_server_exhaust(task, lock)) {
        exhaust(task, budget, lock);
    }
}

/*
 * The timer is due, in an interrupt. If it was not at the begin of the interrupt, a handler took the time, and the
 * timer is armed again at the end. The running task may just have been preempted or stopped.
 */
void takti_budget_due(uint32_t lock)
{
    struct takt_task *task = takti_kernel.ready.running;
    struct takt_budget *budget = task->config->budget;
    bool waited = takti_kernel.budgets->spent != NULL;
    if (waited) { /* so it is another task */
        task = takti_kernel.budgets->spent;
        budget = task->config->budget;
        takti_kernel.budgets->spent = NULL;
        if (least_ns(budget) != 0) {
            return; /* its next job has begun */
        }
    } else if (takti_kernel.budgets->timer.at_ns > takti_kernel.budgets->since_ns || budget == NULL ||
               least_ns(budget) == TAKT_FOREVER) {
        return;
    }
    take_effect(task, budget, waited, lock);
}

/* With processes: the section has overrun during a wait. In the timer interrupt, unlocked. */
void takti_budget_section_due(struct takti_call *call)
{
    struct takt_budget *budget = TAKTI_TIMER_OWNER(call, struct takt_budget, in_process[0].section_end);
    uint32_t lock = takt_port_enter();
    bool waits = !takti_timer_armed(&call->timer) && budget->waiting_since_ns != TAKT_FOREVER;
    if (TAKT_PROCESSES && waits && in_section(budget->in_process->task)) {
        budget->section_ns = 0;
        take_effect(budget->in_process->task, budget, true, lock);
    } /* otherwise the wait ended before the lock closed */
    (void)takti_reschedule(lock);
}

uint64_t takt_task_budget_ns(const struct takt_task *task)
{
    uint32_t lock = takt_port_lock();
    const struct takt_budget *budget = task->config == NULL ? NULL : task->config->budget;
    uint64_t left_ns = TAKT_FOREVER;
    if (TAKT_SERVERS || task == takti_kernel.ready.running) {
        charge(takt_port_now_ns(), 0);
    }
    if (TAKT_SERVERS && budget != NULL && takti_is_shared(budget)) {
        left_ns = task->timer.state == TAKTI_DORMANT ? 0 : takti_server_left_ns(*budget->server, takti_clock_ns());
    } else if (budget != NULL) {
        bool none = task->timer.state == TAKTI_DORMANT || (budget->state & TAKTI_BUDGET_SPENT) != 0;
        left_ns = none ? 0 : less(budget->left_ns, less(waited_so_far(budget), budget->suspension_left_ns));
    }
    takt_port_unlock(lock);
    return left_ns;
}

uint32_t takt_task_exhausted(const struct takt_task *task)
{
    uint32_t lock = takt_port_lock();
    const struct takt_budget *budget = task->config == NULL ? NULL : task->config->budget;
    uint32_t exhausted = budget == NULL ? 0 : budget->exhausted;
    takt_port_unlock(lock);
    return exhausted;
}
#endif
