/* SPDX-License-Identifier: Apache-2.0 */
/* The naive model: jobs, misses, start and stop. */
#include "naive.h"

static struct figures *figures(void)
{
    return &naive.outcome->figures;
}

static void tell(unsigned event, unsigned task)
{
    naive_event(event, task, TAKT_TRACE_NO_OBJECT, 0);
}

static void note_first_miss(unsigned index)
{
    const struct naive_task *task = &naive.tasks[index];
    if (task->job_deadline_ns < figures()->first_miss_deadline_ns) {
        figures()->first_miss_deadline_ns = task->job_deadline_ns;
        figures()->first_miss_release_ns = task->release_ns;
        figures()->first_miss_task = (uint16_t)index;
    }
}

static void miss(unsigned index)
{
    naive.tasks[index].missed = true;
    figures()->misses[index]++;
    note_first_miss(index);
    tell(TAKT_EVENT_MISS, index);
}

static bool late(const struct naive_task *task)
{
    return task->active && !task->missed && naive.now_ns > task->job_deadline_ns;
}

static void overrun(unsigned index)
{
    figures()->overruns[index]++;
    tell(TAKT_EVENT_OVERRUN, index);
}

static void lost(unsigned index)
{
    figures()->lost[index]++;
    tell(TAKT_EVENT_LOST, index);
}

static void begin(unsigned index, uint64_t release_ns)
{
    struct naive_task *task = &naive.tasks[index];
    task->active = true;
    task->missed = false;
    task->job++;
    task->release_ns = release_ns;
    task->job_deadline_ns = release_ns + task->plan->deadline_ns;
    task->execution_ns = 0;
    task->level = task->plan->level;
    task->deadline_ns = naive.plan->level_edf[task->level] ? task->job_deadline_ns : 0;
    task->where = READY;
    naive_to_tail(task);
    tell(TAKT_EVENT_RELEASE, index);
    if (task->plan->on_miss == TAKT_MISS_STOP || task->plan->on_miss == TAKT_MISS_NOTIFY) {
        task->deadline_timer_ns = task->job_deadline_ns;
    }
}

static uint64_t take_waiting(struct naive_task *task)
{
    uint64_t release_ns = task->waiting_ns[0];
    task->waiting--;
    for (unsigned place = 0; place < task->waiting; place++) {
        task->waiting_ns[place] = task->waiting_ns[place + 1];
    }
    return release_ns;
}

void naive_job_end(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    uint64_t response_ns = naive.now_ns - task->release_ns;
    if (response_ns > figures()->response_ns_max[index]) {
        figures()->response_ns_max[index] = response_ns;
    }
    if (task->execution_ns > figures()->execution_ns_max[index]) {
        figures()->execution_ns_max[index] = task->execution_ns;
    }
    figures()->jobs[index]++;
    tell(TAKT_EVENT_COMPLETE, index);
    if (late(task)) {
        miss(index);
    }
    task->deadline_timer_ns = TAKT_FOREVER;
    task->active = false;
    task->where = AWAITS_RELEASE;
    if (task->stop_later) {
        return; /* the releases behind it are given up */
    }
    if (task->plan->release == TAKT_PERIODIC && task->waiting > 0) {
        task->waiting--;
        begin(index, task->release_ns + task->plan->period_ns);
    } else if (task->come > 0) {
        task->come--;
        begin(index, take_waiting(task));
    }
}

/* A sporadic release that waited comes at its instant. */
static void sporadic_due(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (!task->active) {
        begin(index, take_waiting(task));
    } else {
        overrun(index);
        if (task->plan->on_miss == TAKT_MISS_SKIP) {
            (void)take_waiting(task); /* none has come: they are dropped */
            lost(index);
        } else {
            task->come++;
        }
    }
    task->release_timer_ns = task->waiting > task->come ? task->waiting_ns[task->come] : TAKT_FOREVER;
}

void naive_release_due(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    uint64_t at_ns = task->release_timer_ns;
    if (task->plan->release == TAKT_SPORADIC) {
        sporadic_due(index);
        return;
    }
    task->release_timer_ns = at_ns + task->plan->period_ns;
    if (!task->active) {
        begin(index, at_ns);
        return;
    }
    overrun(index);
    if (task->plan->on_miss == TAKT_MISS_SKIP) {
        lost(index);
    } else {
        task->waiting++;
    }
}

/* A sporadic trigger. */
void naive_arrive(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (task->where == OUT) {
        return;
    }
    uint64_t release_ns = naive.now_ns;
    if (task->arrived && task->last_ns + task->plan->period_ns > naive.now_ns) {
        release_ns = task->last_ns + task->plan->period_ns;
    }
    bool comes_now = release_ns == naive.now_ns && task->come == task->waiting; /* none before it is still to come */
    if (comes_now && !task->active) {
        task->arrived = true;
        task->last_ns = release_ns;
        begin(index, release_ns);
        return;
    }
    if (comes_now) {
        overrun(index);
    }
    if (task->waiting == task->plan->pending_max || (comes_now && task->plan->on_miss == TAKT_MISS_SKIP)) {
        lost(index);
        return;
    }
    task->arrived = true;
    task->last_ns = release_ns;
    task->waiting_ns[task->waiting++] = release_ns;
    if (comes_now) {
        task->come++;
    } else if (task->release_timer_ns == TAKT_FOREVER) {
        task->release_timer_ns = release_ns;
    }
}

void naive_deadline_due(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    task->deadline_timer_ns = TAKT_FOREVER;
    miss(index);
    if (task->plan->on_miss == TAKT_MISS_STOP) {
        naive_stop(index);
    } else {
        naive_call(HOOK + index, &task->plan->hook);
    }
}

void naive_start(unsigned index, uint64_t now_ns)
{
    const struct task_plan *plan = &naive.plan->tasks[index];
    naive.tasks[index] = (struct naive_task){.plan = plan,
                                             .where = AWAITS_RELEASE,
                                             .level = plan->level,
                                             .timeout_ns = TAKT_FOREVER,
                                             .job = UINT32_MAX,
                                             .release_timer_ns = TAKT_FOREVER,
                                             .deadline_timer_ns = TAKT_FOREVER};
    struct naive_task *task = &naive.tasks[index];
    tell(TAKT_EVENT_START, index);
    if (plan->release == TAKT_PERIODIC) {
        task->release_timer_ns = now_ns + plan->offset_ns;
    } else if (plan->release == TAKT_BACKGROUND) {
        task->job = 0;
        task->where = READY;
        naive_to_tail(task);
    }
}

/* Now, or at the last unlock; a cooperative job that runs ends first. */
void naive_stop(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (task->where == OUT) {
        return;
    }
    if (naive_owned(index) != 0 || (naive.plan->cooperative && naive.running == index)) {
        task->stop_later = true;
        return;
    }
    if (late(task)) {
        miss(index);
    }
    task->where = OUT;
    task->active = false;
    task->stop_later = false;
    task->timeout_ns = TAKT_FOREVER;
    task->release_timer_ns = TAKT_FOREVER;
    task->deadline_timer_ns = TAKT_FOREVER;
    task->waiting = 0;
    task->come = 0;
    naive_settle();
    tell(TAKT_EVENT_STOP, index);
}

void naive_stop_if_due(unsigned index)
{
    if (naive.tasks[index].stop_later) {
        naive_stop(index);
    }
}

/* Unfinished jobs past their deadlines are misses too, those that wait behind them included. */
void naive_final_figures(void)
{
    for (unsigned index = 0; index < naive.plan->task_count; index++) {
        const struct naive_task *task = &naive.tasks[index];
        if (late(task)) {
            figures()->misses[index]++;
            note_first_miss(index);
        }
        for (unsigned place = 0; place < task->waiting; place++) {
            bool periodic = task->plan->release == TAKT_PERIODIC;
            uint64_t release_ns =
                periodic ? task->release_ns + (place + 1) * task->plan->period_ns : task->waiting_ns[place];
            figures()->misses[index] += naive.now_ns > release_ns + task->plan->deadline_ns ? 1 : 0;
        }
    }
}
