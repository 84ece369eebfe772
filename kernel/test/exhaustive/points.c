/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked with --wrap of what opens and closes the lock at the edges of a call. A point is before a call closes it,
 * after it has opened it, and after it comes back from a wait or from tasks that ran meanwhile; where idle closes it;
 * and in the timer's interrupt wherever it opens it: between two timers, before what one of them calls, and before that
 * calls a handler or hook. There everything that the kernel keeps must agree. An interrupt is not interrupted
 * otherwise: kernel/test/unit/core/interrupted_test.c does that at random.
 */
#include "base/test/check.h"
#include "exhaustive.h"
#include "kernel/core/ring.h"
#include "kernel/test/model/drive/consistent.h"
#include "kernel/test/model/drive/drive.h"

static struct {
    struct plan *plan;
    const struct service *service;
    const struct outcome *outcome;
    unsigned operations; /* that may still be chosen */
    unsigned menu;
    unsigned interrupts;
    unsigned raised;
    unsigned seen;
    unsigned timer_points;
    unsigned middle;
    unsigned about_to;        /* tasks interrupted before a call */
    unsigned position[THREE]; /* of the operation in its script */
    bool closed[THREE];       /* its script is as long as it stays */
    bool ends[THREE];         /* it is behind its script */
    bool entered[THREE];      /* the operation has come to the kernel */
    uint32_t done[THREE];
    bool ending[THREE];    /* it is about to end its job */
    unsigned lives[THREE]; /* as in naive.h */
} run;

static bool deletes(const struct op *op)
{
    static const uint8_t kinds[] = {OP_DELETE_MUTEX,      OP_DELETE_SEMAPHORE, OP_DELETE_MAILBOX,
                                    OP_DELETE_EVENTS,     OP_DELETE_POOL,      OP_DELETE_CONDITION,
                                    OP_DELETE_RENDEZVOUS, OP_DELETE_LETTERS,   OP_PIPE_DELETE};
    return memchr(kinds, op->kind, sizeof kinds) != NULL;
}

/*
 * Whether it makes sense: only the owner of a slot takes messages from it, only a task kicks its watchdog, and nothing
 * is deleted that somebody is just about to use.
 */
static bool offered(unsigned task, const struct op *op)
{
    bool owners = op->kind >= OP_SLOT_TAKE && op->kind <= OP_SLOT_DEALLOCATE;
    if (op->kind == OP_WATCHDOG_KICK) {
        return run.plan->watchdogs[op->object].task == task;
    }
    return (!owners || run.plan->slot_owner[op->object] == task) && (!deletes(op) || run.about_to == 0);
}

/* The operation of the menu that a task does next, or NULL for none any more. The last task does all that is left. */
static const struct op *next_of(unsigned task)
{
    const struct op *menu[MENU];
    unsigned length = 0;
    bool last = true;
    for (unsigned index = 0; index < list_length(run.service->tasks, run.menu); index++) {
        menu[length] = &run.service->tasks[index];
        length += offered(task, menu[length]) ? 1 : 0;
    }
    for (unsigned other = 0; other < THREE; other++) {
        last = last && (other == task || run.closed[other]);
    }
    if (run.operations == 0) {
        return NULL;
    }
    unsigned choice = last ? 1 + choose(length) : choose(length + 1);
    return choice == 0 ? NULL : menu[choice - 1];
}

/* Whether a task has another operation: a task that was started anew does again what it did. */
static bool extend(unsigned task, unsigned position)
{
    struct task_plan *plan = &run.plan->tasks[task];
    run.entered[task] = false;
    run.ending[task] = false;
    run.done[task] = run.outcome->done[task];
    if (position == plan->length && !run.closed[task]) {
        const struct op *next = next_of(task);
        if (next != NULL) {
            run.operations--;
            plan->script[plan->length++] = *next;
        } else {
            run.closed[task] = true;
        }
    }
    run.position[task] = position;
    run.ends[task] = position == plan->length;
    return !run.ends[task];
}

void points_begin(struct plan *plan, const struct service *service, const struct bounds *bounds,
                  const struct outcome *outcome)
{
    memset(&run, 0, sizeof run);
    run.plan = plan;
    run.service = service;
    run.operations = bounds->operations;
    run.menu = bounds->menu;
    run.interrupts = bounds->interrupts;
    run.outcome = outcome;
    plan->extend = extend;
    plan->intrusion_count = 0;
}

unsigned points_seen(void)
{
    return run.seen;
}

unsigned points_middle(void)
{
    return run.middle;
}

/* Operations of several calls. Where the lock is open between them they are done, or not yet begun. */
static bool in_sections(const struct plan *plan, unsigned task, const struct op *op)
{
    return (op->kind >= OP_SIGNAL_SEND && op->kind <= OP_SIGNAL_TRY_RECEIVE) || op->kind == OP_ALARM_SERVE ||
           (op->kind >= OP_SLOT_RESERVE && op->kind <= OP_SLOT_DEALLOCATE && plan->slot_owner[op->object] == task);
}

/* An interrupt may come here. */
static void intrude(struct intrusion point, bool with_timer, bool middle)
{
    unsigned menu = list_length(run.service->interrupts, MENU);
    run.seen++;
    static unsigned points; /* of all runs, which come by the same states again and again: one in eleven is looked at */
    if (!choices_known() && ++points % 11 == 0) {
        check_consistent(drive_given());
    }
    if (run.plan->intrusion_count == run.interrupts) {
        return;
    }
    with_timer = with_timer && takti_timers_first_ns() < run.plan->sources[1].first_ns;
    unsigned choice = choose(menu + 1 + with_timer);
    if (choice == 0) {
        return;
    }
    point.timer = choice > menu;
    point.at_ns = takt_port_now_ns();
    run.middle |= (unsigned)middle << run.plan->intrusion_count;
    run.plan->intrusions[run.plan->intrusion_count++] = point;
    if (!point.timer) {
        run.plan->sources[0].script[run.raised++] = run.service->interrupts[choice - 1];
        run.plan->sources[0].length = (uint8_t)run.raised;
    }
    drive_intrude(point.timer);
}

static void task_point(unsigned task, bool entering)
{
    const struct task_plan *plan = &run.plan->tasks[task];
    struct intrusion point = {.point = intrusion_point(run.outcome->results.count, run.lives[task]),
                              .actor = (uint8_t)task};
    if (run.done[task] != run.outcome->done[task]) { /* what its script does when it knows a result */
        if (!run.ends[task]) {
            return;
        }
        run.entered[task] = false;
        run.done[task] = run.outcome->done[task];
    }
    point.in_call = run.entered[task];
    const struct op *op = run.ends[task] ? NULL : &plan->script[run.position[task]];
    bool middle = op != NULL && point.in_call && in_sections(run.plan, task, op);
    if (point.in_call || op == NULL || !deletes(op)) { /* which the driver has noted by now */
        run.about_to += point.in_call ? 0 : 1;
        intrude(point, true, middle);
        run.about_to -= point.in_call ? 0 : 1;
    }
    run.entered[task] = run.entered[task] || entering;
}

static void point_here(bool entering)
{
    if (!takti_kernel.timers.running || takti_kernel.idle.level == NULL || takt_port_caller(0) != 0) {
        return;
    }
    const struct takt_task *task = takti_kernel.ready.running;
    if (task != &takti_kernel.idle) {
        task_point(task->config->index, entering);
    } else if (entering) {
        unsigned point = intrusion_point(run.outcome->results.count, run.timer_points);
        intrude((struct intrusion){.point = point, .actor = NOBODY}, false, false);
    }
}

uint32_t __real_takt_port_enter(void);
uint32_t __wrap_takt_port_enter(void);
void __real_takt_port_leave(uint32_t entered);
void __wrap_takt_port_leave(uint32_t entered);
enum takt_status __real_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);
enum takt_status __wrap_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task);
void __real_takti_timer_interrupt(void);
void __wrap_takti_timer_interrupt(void);

void __real_takt_port_context_init(struct takt_task *task);
void __wrap_takt_port_context_init(struct takt_task *task);
void __real_takt_job_wait(void);
void __wrap_takt_job_wait(void);

static bool in_timer;

/*
 * A timer interrupt that begins with the end of a delay does not open the lock behind it, where both records are
 * written at once (kernel/time/timer.c). The model has that point too, at which nothing comes here.
 */
static const struct takt_trace_record *second; /* of the timer interrupt's records; NULL: it opens the lock */
static unsigned sleeping;                      /* mask of tasks, when it began */

static void point_left_out(void)
{
    bool written = TAKT_TRACE && second != NULL && takti_kernel.trace->next > second;
    if (written && second->event == TAKT_EVENT_READY && (sleeping >> second->task & 1u) != 0) {
        run.timer_points++;
    }
    second = NULL;
}

static void timer_begins(void)
{
    const struct takt_trace_record *next = takti_kernel.trace->next;
    uint32_t era;
    (void)takt_port_ticks(&era);
    second = takti_trace_has_room_for(2, next, era) ? next + 1 : NULL;
    sleeping = 0;
    for (unsigned index = 0; index < THREE; index++) {
        bool sleeps = drive_objects().tasks[index].timer.state == TAKTI_BLOCKED_DELAY;
        sleeping |= (unsigned)sleeps << index;
    }
}

void __wrap_takt_port_context_init(struct takt_task *task)
{
    __real_takt_port_context_init(task);
    if (task != &takti_kernel.idle) { /* it was started */
        run.lives[task->config->index]++;
    }
}

void __wrap_takt_job_wait(void)
{
    run.ending[takti_kernel.ready.running->config->index] = true;
    __real_takt_job_wait();
}

/* The lock closes, and the job ends: the next point is before the first operation of another one. */
static void end_of_job(void)
{
    const struct takt_task *task = takti_kernel.ready.running;
    bool idle = task == &takti_kernel.idle || takt_port_caller(0) != 0;
    if (!idle && run.ending[task->config->index]) {
        unsigned index = task->config->index;
        run.ending[index] = false;
        run.lives[index]++;
        run.entered[index] = false;
        run.done[index] = run.outcome->done[index];
    }
}

void __wrap_takti_timer_interrupt(void)
{
    if (TAKT_TRACE && !TAKT_BUDGETS) {
        timer_begins();
    }
    in_timer = true;
    __real_takti_timer_interrupt();
    in_timer = false;
}

uint32_t __wrap_takt_port_enter(void)
{
    point_here(true);
    if (takti_kernel.timers.running && takti_kernel.idle.level != NULL) {
        end_of_job();
    }
    return __real_takt_port_enter();
}

void __wrap_takt_port_leave(uint32_t entered)
{
    __real_takt_port_leave(entered);
    if (in_timer && drive_in_hook()) {
        return; /* the lock opens again right behind it */
    }
    if (in_timer) {
        in_timer = false;
        point_left_out();
        intrude((struct intrusion){.point = run.timer_points++, .actor = INTRUDED_TIMER}, false, false);
        in_timer = true;
    } else {
        point_here(false);
    }
}

enum takt_status __wrap_takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    enum takt_status status = __real_takt_port_switch(to, from, task);
    point_here(false);
    return status;
}
