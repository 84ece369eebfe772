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

static void tell_many(unsigned event, unsigned task, unsigned how_many)
{
    naive_event(event, task, TAKT_TRACE_NO_OBJECT, how_many < UINT8_MAX ? how_many : UINT8_MAX);
}

static void note_first_miss(unsigned index)
{
    const struct naive_task *task = &naive.tasks[index];
    uint64_t first_ns = figures()->first_miss_deadline_ns;
    if (task->job_deadline_ns < first_ns || (task->job_deadline_ns == first_ns && index < figures()->first_miss_task)) {
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
    tell_many(TAKT_EVENT_MISS, index, 1);
}

static bool late(const struct naive_task *task)
{
    return task->active && !task->missed && naive.now_ns > task->job_deadline_ns;
}

static void overrun(unsigned index, unsigned how_many)
{
    figures()->overruns[index] += how_many;
    tell_many(TAKT_EVENT_OVERRUN, index, how_many);
}

static void lost(unsigned index, unsigned how_many)
{
    figures()->lost[index] += how_many;
    tell_many(TAKT_EVENT_LOST, index, how_many);
}

/* A release tells how far its deadline is, or that comes in a record of its own. */
static void tell_release(unsigned index, uint64_t deadline_ns)
{
    bool near = deadline_ns >= naive.now_ns && deadline_ns - naive.now_ns < UINT32_MAX;
    uint32_t left_ns = near ? (uint32_t)(deadline_ns - naive.now_ns) : UINT32_MAX;
    naive_event(TAKT_EVENT_RELEASE, index, left_ns & 0xFFFFu, left_ns >> 16);
    if (!near) {
        log_add(&naive.outcome->trace, (struct entry){.time_ns = naive.now_ns,
                                                      .event = TAKT_EVENT_DEADLINE,
                                                      .band = UINT8_MAX,
                                                      .task = (uint16_t)index,
                                                      .job = (uint32_t)deadline_ns,
                                                      .object = (uint16_t)(deadline_ns >> 32),
                                                      .value = (uint16_t)(deadline_ns >> 48)});
    }
}

static void begin(unsigned index, uint64_t release_ns, bool late)
{
    struct naive_task *task = &naive.tasks[index];
    bool demoted = task->demoted;
    naive_budget_begin(task, late);
    if (demoted && !task->demoted) {
        naive_own_key(task, &task->level, &task->deadline_ns);
        naive_event(TAKT_EVENT_KEY, index, TAKT_TRACE_NO_OBJECT, task->level);
    }
    task->active = true;
    task->missed = false;
    task->job++;
    task->release_ns = release_ns;
    task->job_deadline_ns = release_ns + task->plan->deadline_ns;
    task->execution_ns = 0;
    naive_own_key(task, &task->level, &task->deadline_ns);
    task->order = index;
    task->where = READY;
    naive_to_tail(task);
    tell_release(index, task->job_deadline_ns);
    if (task->plan->on_miss == TAKT_MISS_STOP || task->plan->on_miss == TAKT_MISS_NOTIFY) {
        task->deadline = naive_expect(task->job_deadline_ns);
    }
    naive_server_key(index);
    naive_hint_ready(index, false);
    naive_server_ready(index);
}

static uint64_t take_waiting(struct naive_task *task)
{
    uint64_t release_ns = task->waiting_ns[0];
    task->waiting--;
    for (unsigned position = 0; position < task->waiting; position++) {
        task->waiting_ns[position] = task->waiting_ns[position + 1];
    }
    return release_ns;
}

/* The releases of a periodic task that come before `limit_ns` behind its last job. */
static unsigned behind(const struct naive_task *task, uint64_t limit_ns)
{
    unsigned count = 0;
    for (uint64_t at_ns = task->release_ns + task->plan->period_ns; at_ns < limit_ns; at_ns += task->plan->period_ns) {
        count++;
    }
    return count;
}

/* After a periodic job: the release that has come already, or the next one. */
static void periodic_follows(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    unsigned come = behind(task, naive.now_ns); /* one of this very time finds the job done */
    if (come > 0 && task->plan->on_miss != TAKT_MISS_SKIP) {
        overrun(index, 1);
        begin(index, task->release_ns + task->plan->period_ns, true);
        return;
    }
    if (come > 0) {
        overrun(index, come);
        lost(index, come);
    }
    task->next_release = naive_expect(task->release_ns + (come + 1) * task->plan->period_ns);
}

/* After a sporadic job: one that came meanwhile and was not dropped, or the one to come. */
static void sporadic_follows(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    while (task->waiting > 0) {
        if (task->waiting_ns[0] >= naive.now_ns) {
            task->next_release = naive_expect(task->waiting_ns[0]);
            return;
        }
        uint64_t release_ns = take_waiting(task);
        overrun(index, 1);
        if (task->plan->on_miss != TAKT_MISS_SKIP) {
            begin(index, release_ns, true);
            return;
        }
        lost(index, 1);
    }
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
    naive.lives[index]++;
    tell(TAKT_EVENT_COMPLETE, index);
    if (late(task)) {
        miss(index);
    }
    task->deadline.at_ns = TAKT_FOREVER;
    task->active = false;
    task->where = AWAITS_RELEASE;
    if (task->stop_later) {
        return; /* the releases behind it are given up */
    }
    if (task->plan->release == TAKT_PERIODIC) {
        periodic_follows(index);
    } else {
        sporadic_follows(index);
    }
}

/* The time of the next release has come; the task waits for it. */
void naive_release_due(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    uint64_t at_ns = task->next_release.at_ns;
    task->next_release.at_ns = TAKT_FOREVER;
    begin(index, task->plan->release == TAKT_PERIODIC ? at_ns : take_waiting(task), false);
}

/* A sporadic trigger, or the wish for one. */
void naive_arrive(unsigned index, uint64_t at_ns)
{
    struct naive_task *task = &naive.tasks[index];
    if (task->where == OUT) {
        return;
    }
    uint64_t release_ns = at_ns > naive.now_ns ? at_ns : naive.now_ns;
    if (task->arrived && task->last_ns + task->plan->period_ns > release_ns) {
        release_ns = task->last_ns + task->plan->period_ns;
    }
    bool now = release_ns == naive.now_ns;
    if (now && !task->active && task->waiting == 0) {
        task->arrived = true;
        task->last_ns = release_ns;
        begin(index, release_ns, false);
        return;
    }
    if (task->waiting == task->plan->pending_max || (now && task->active && task->plan->on_miss == TAKT_MISS_SKIP)) {
        if (now && task->active) {
            overrun(index, 1);
        }
        lost(index, 1);
        return;
    }
    task->arrived = true;
    task->last_ns = release_ns;
    task->waiting_ns[task->waiting++] = release_ns;
    if (!task->active && task->next_release.at_ns == TAKT_FOREVER) {
        task->next_release = naive_expect(release_ns);
    }
}

void naive_deadline_due(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    task->deadline.at_ns = TAKT_FOREVER;
    miss(index);
    if (task->plan->on_miss == TAKT_MISS_STOP) {
        naive_stop(index);
    } else {
        naive_timer_opens();
        naive_call(HOOK + index, &task->plan->hook);
    }
}

void naive_start(unsigned index, uint64_t now_ns)
{
    const struct task_plan *plan = &naive.plan->tasks[index];
    naive_slots_forget(index);
    naive.lives[index]++;
    unsigned exhausted = naive.tasks[index].exhausted;
    naive.tasks[index] =
        (struct naive_task){.plan = plan,
                            .reserved_in = naive.tasks[index].reserved_in, /* it has what it reserved */
                            .priority = naive.tasks[index].priority,
                            .where = AWAITS_RELEASE,
                            .level = plan->level,
                            .order = index,
                            .timeout = {TAKT_FOREVER, 0},
                            .next_release = {TAKT_FOREVER, 0},
                            .deadline = {TAKT_FOREVER, 0}};
    struct naive_task *task = &naive.tasks[index];
    task->exhausted = exhausted;
    naive_budget_start(task);
    naive_sync_begin(index);
    task->job = plan->release == TAKT_BACKGROUND ? 0 : UINT32_MAX;
    naive_event(TAKT_EVENT_START, index, TAKT_TRACE_NO_OBJECT, plan->level);
    if (plan->release == TAKT_PERIODIC) {
        task->first_ns = now_ns + plan->offset_ns;
        task->next_release = naive_expect(task->first_ns);
    } else if (plan->release == TAKT_BACKGROUND) {
        task->where = READY;
        naive_to_tail(task);
        naive_server_ready(index);
    }
}

/* Now, or at the last unlock; a cooperative job that runs ends first. */
void naive_stop(unsigned index)
{
    struct naive_task *task = &naive.tasks[index];
    if (task->where == OUT) {
        return;
    }
    bool holds = naive_holds(index) && !naive_handed_lock(index);
    if (holds || (naive.plan->cooperative && naive.running == index)) {
        if (!task->stop_later) {
            tell(TAKT_EVENT_STOP_LATER, index);
        }
        task->stop_later = true;
        task->demote_later = false;
        return;
    }
    naive_take_back(index);
    if (late(task)) {
        miss(index);
    }
    task->where = OUT;
    task->suspended = false;
    task->active = false;
    task->stop_later = false;
    task->timeout.at_ns = TAKT_FOREVER;
    task->next_release.at_ns = TAKT_FOREVER;
    task->deadline.at_ns = TAKT_FOREVER;
    task->waiting = 0;
    naive_budget_stop(task);
    naive_settle();
    tell(TAKT_EVENT_STOP, index);
}

void naive_stop_if_due(unsigned index)
{
    naive_budget_demote_if_due(index);
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
        if (!task->active) {
            continue;
        }
        bool skip = task->plan->on_miss == TAKT_MISS_SKIP;
        unsigned come = 0;
        unsigned late_ones = 0;
        for (unsigned position = 0;; position++) { /* releases behind the unfinished job */
            bool periodic = task->plan->release == TAKT_PERIODIC;
            if (!periodic && position == task->waiting) {
                break;
            }
            uint64_t release_ns =
                periodic ? task->release_ns + (position + 1) * task->plan->period_ns : task->waiting_ns[position];
            if (task->plan->release == TAKT_BACKGROUND || release_ns > naive.now_ns) {
                break;
            }
            come++;
            late_ones += naive.now_ns > release_ns + task->plan->deadline_ns ? 1 : 0;
        }
        figures()->overruns[index] += come;
        figures()->lost[index] += skip ? come : 0;
        figures()->misses[index] += skip ? 0 : late_ones;
    }
}
