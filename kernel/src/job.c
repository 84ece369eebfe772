/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: release, completion, lateness. Releases are absolute instants, so they never drift. */
#include "kernel/src/kernel.h"

static void count_miss(struct takt_task *task)
{
    task->job_missed = true;
    task->statistics.misses++;
    if (task->job_deadline_ns < takti_kernel.first_miss_deadline_ns) {
        takti_kernel.first_miss_deadline_ns = task->job_deadline_ns;
        takti_kernel.first_miss_release_ns = task->job_release_ns;
        takti_kernel.first_miss_task = task->config->index;
    }
    takti_trace(TAKT_EVENT_MISS, task, TAKT_TRACE_NO_OBJECT, 0);
}

/* Whether the current job is unfinished at `now_ns`, past its deadline, and not yet counted. */
bool takti_job_late(const struct takt_task *task, uint64_t now_ns)
{
    return task->job_active && !task->job_missed && task->config->deadline_ns != 0 && now_ns > task->job_deadline_ns;
}

static void count_lost(struct takt_task *task)
{
    task->statistics.lost++;
    takti_trace(TAKT_EVENT_LOST, task, TAKT_TRACE_NO_OBJECT, 0);
}

static void count_overrun(struct takt_task *task)
{
    task->statistics.overruns++;
    takti_trace(TAKT_EVENT_OVERRUN, task, TAKT_TRACE_NO_OBJECT, 0);
}

/* The task's next job begins; the task waits for it and is in no queue. */
static void job_begin(struct takt_task *task, uint64_t release_ns)
{
    const struct takt_task_config *config = task->config;
    task->job_active = true;
    task->job_missed = false;
    task->job_number++;
    task->job_release_ns = release_ns;
    task->job_deadline_ns = takt_add(release_ns, config->deadline_ns);
    task->execution_ns = 0;
    takti_key_base(task);
    takti_trace(TAKT_EVENT_RELEASE, task, TAKT_TRACE_NO_OBJECT, 0);
    if (config->on_miss == TAKT_MISS_STOP || config->on_miss == TAKT_MISS_NOTIFY) {
        takti_timer_arm(task, TAKTI_TIMER_DEADLINE, task->job_deadline_ns);
    }
    takti_make_ready(task, false);
}

/* The place-th of the sporadic releases that wait. */
static uint64_t *pending_at(const struct takt_task *task, unsigned place)
{
    return &task->config->pending_releases_ns[(task->pending_first + place) % task->config->pending_max];
}

uint64_t takti_job_pending_ns(const struct takt_task *task, unsigned place)
{
    if (task->config->release == TAKT_PERIODIC) {
        return task->job_release_ns + (place + 1u) * task->config->period_ns;
    }
    return *pending_at(task, place);
}

static uint64_t pending_take(struct takt_task *task)
{
    uint64_t release_ns = *pending_at(task, 0);
    task->pending_first = (uint8_t)((task->pending_first + 1u) % task->config->pending_max);
    task->pending--;
    return release_ns;
}

static void pending_put(struct takt_task *task, uint64_t release_ns)
{
    *pending_at(task, task->pending) = release_ns;
    task->pending++;
}

/* After a job: begins the next one that was released meanwhile, if any. */
static void begin_pending(struct takt_task *task)
{
    if (task->pending_due > 0) {
        task->pending_due--;
        job_begin(task, pending_take(task));
    } else if (task->config->release == TAKT_PERIODIC && task->pending > 0) {
        task->pending--;
        job_begin(task, task->job_release_ns + task->config->period_ns);
    }
}

/* The running job of `task` is done; the task is not ready any more unless a release is pending. */
void takti_job_end(struct takt_task *task)
{
    uint64_t now_ns = takt_port_now_ns();
    TAKT_ASSERT(task->job_active && task->held == NULL);
    if (TAKT_TRACE) {
        takti_charge(now_ns);
        takti_trace_at(now_ns, TAKT_EVENT_COMPLETE, task);
        uint64_t response_ns = now_ns - task->job_release_ns;
        if (response_ns > task->statistics.response_ns_max) {
            task->statistics.response_ns_max = response_ns;
        }
        if ((int64_t)task->execution_ns > (int64_t)task->statistics.execution_ns_max) {
            task->statistics.execution_ns_max = task->execution_ns;
        }
    }
    if (takti_job_late(task, now_ns)) {
        count_miss(task);
    }
    task->statistics.jobs_completed++;
    takti_timer_cancel(task, TAKTI_TIMER_DEADLINE);
    takti_make_unready(task);
    task->state = TAKTI_WAIT_JOB;
    task->job_active = false;
    if (!task->stop_pending) { /* a cooperative job that was stopped is the last */
        begin_pending(task);
    }
    if (TAKT_TRACE && task->job_active) { /* it goes straight on: this end was not the next job's execution */
        takti_kernel.charged_until_ns = takt_port_now_ns();
    }
}

/* The task stops: its job and the releases behind it are given up. A job that is late counts as missed. */
void takti_job_abandon(struct takt_task *task)
{
    if (takti_job_late(task, takti_clock_ns())) {
        count_miss(task);
    }
    takti_timer_cancel(task, TAKTI_TIMER_RELEASE);
    takti_timer_cancel(task, TAKTI_TIMER_DEADLINE);
    task->job_active = false;
    task->pending = 0;
    task->pending_due = 0;
}

/* A sporadic release that was deferred comes; the timer goes on to the next that has not come. */
static void sporadic_due(struct takt_task *task)
{
    if (!task->job_active) {
        job_begin(task, pending_take(task));
    } else {
        count_overrun(task);
        if (task->config->on_miss == TAKT_MISS_SKIP) {
            (void)pending_take(task); /* what has come before was dropped too: it is the first */
            count_lost(task);
        } else {
            task->pending_due++;
        }
    }
    if (task->pending > task->pending_due) {
        takti_timer_arm(task, TAKTI_TIMER_RELEASE, *pending_at(task, task->pending_due));
    }
}

/* The release timer of `task` is due: a periodic release, or a sporadic one that was deferred. */
void takti_job_release_due(struct takt_task *task, uint64_t at_ns)
{
    if (task->config->release == TAKT_SPORADIC) {
        sporadic_due(task);
        return;
    }
    if (at_ns <= TAKT_FOREVER - task->config->period_ns) {
        takti_timer_arm(task, TAKTI_TIMER_RELEASE, at_ns + task->config->period_ns);
    }
    if (!task->job_active) {
        job_begin(task, at_ns);
        return;
    }
    count_overrun(task);
    if (task->config->on_miss == TAKT_MISS_SKIP || task->pending == UINT16_MAX) {
        count_lost(task);
    } else {
        task->pending++;
    }
}

/* The deadline timer of `task` is due: policies notify and stop. */
void takti_job_deadline_due(struct takt_task *task)
{
    count_miss(task);
    if (task->config->on_miss == TAKT_MISS_STOP) {
        takti_task_stop(task);
    } else if (task->config->miss_hook != NULL) {
        takt_port_unlock(0);
        task->config->miss_hook(task);
        (void)takt_port_lock();
    }
}

/* A sporadic arrival now: its release is now, or the minimum inter-arrival after the release before it. */
void takti_job_arrive(struct takt_task *task)
{
    if (task->state == TAKTI_STOPPED) {
        return; /* nobody listens; it may never have been started */
    }
    TAKT_ASSERT(task->config->release == TAKT_SPORADIC);
    uint64_t now_ns = takti_clock_ns();
    uint64_t release_ns = now_ns;
    if (task->last_release_ns != TAKT_FOREVER) {
        uint64_t earliest_ns = takt_add(task->last_release_ns, task->config->period_ns);
        release_ns = earliest_ns > now_ns ? earliest_ns : now_ns;
    }
    bool due = release_ns == now_ns && task->pending == task->pending_due; /* none before it is still to come */
    if (due && !task->job_active) {
        task->last_release_ns = release_ns;
        job_begin(task, release_ns);
        return;
    }
    if (due) {
        count_overrun(task);
    }
    bool never = release_ns == TAKT_FOREVER; /* the minimum inter-arrival reaches beyond the end of time */
    if (never || task->pending == task->config->pending_max || (due && task->config->on_miss == TAKT_MISS_SKIP)) {
        count_lost(task);
        return;
    }
    task->last_release_ns = release_ns;
    pending_put(task, release_ns);
    if (due) {
        task->pending_due++;
    } else if (task->timers_ns[TAKTI_TIMER_RELEASE] == TAKT_FOREVER) {
        takti_timer_arm(task, TAKTI_TIMER_RELEASE, release_ns);
    }
}

void takt_job_release(struct takt_task *task)
{
    uint32_t state = takt_port_lock();
    takti_job_arrive(task);
    takti_reschedule();
    takt_port_unlock(state);
}

void takt_job_wait(void)
{
    uint32_t state = takt_port_lock();
    TAKT_ASSERT(!takt_port_in_interrupt() && !takti_kernel.system->cooperative);
    takti_job_end(takti_kernel.running);
    takti_reschedule();
    takt_port_unlock(state);
}

uint64_t takt_job_release_ns(void)
{
    return takti_kernel.running->job_release_ns;
}

uint64_t takt_job_deadline_ns(void)
{
    return takti_kernel.running->job_deadline_ns;
}
