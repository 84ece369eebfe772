/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: release, completion, lateness. Releases are absolute instants, so they never drift. */
#include "kernel/src/kernel.h"

static uint64_t saturated_sum(uint64_t a, uint64_t b)
{
    return a > TAKT_FOREVER - b ? TAKT_FOREVER : a + b;
}

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
    task->job_deadline_ns = saturated_sum(release_ns, config->deadline_ns);
    task->execution_ns = 0;
    takti_key_base(task);
    takti_trace(TAKT_EVENT_RELEASE, task, TAKT_TRACE_NO_OBJECT, 0);
    if (config->on_miss == TAKT_MISS_STOP || config->on_miss == TAKT_MISS_NOTIFY) {
        takti_timer_arm(&task->deadline_timer, task->job_deadline_ns);
    }
    takti_make_ready(task, false);
}

/* The first of the sporadic releases that wait. */
static uint64_t pending_front(const struct takt_task *task)
{
    return task->config->pending_releases_ns[task->pending_first];
}

static uint64_t pending_take(struct takt_task *task)
{
    uint64_t release_ns = pending_front(task);
    task->pending_first = (uint16_t)((task->pending_first + 1u) % task->config->pending_max);
    task->pending--;
    return release_ns;
}

static void pending_put(struct takt_task *task, uint64_t release_ns)
{
    unsigned place = ((unsigned)task->pending_first + task->pending) % task->config->pending_max;
    task->config->pending_releases_ns[place] = release_ns;
    task->pending++;
}

/* After a job: begins the next one that was released meanwhile, if any. */
static void begin_pending(struct takt_task *task, uint64_t now_ns)
{
    if (task->pending == 0) {
        return;
    }
    if (task->config->release == TAKT_PERIODIC) {
        task->pending--;
        job_begin(task, task->job_release_ns + task->config->period_ns);
    } else if (pending_front(task) <= now_ns) {
        job_begin(task, pending_take(task));
    } else {
        takti_timer_arm(&task->release_timer, pending_front(task));
    }
}

/* The running job of `task` is done; the task is not ready any more unless a release is pending. */
void takti_job_end(struct takt_task *task)
{
    uint64_t now_ns = takt_port_now_ns();
    TAKT_ASSERT(task->job_active && task->held == NULL);
    if (TAKT_TRACE) {
        takti_charge();
        uint64_t response_ns = now_ns - task->job_release_ns;
        if (response_ns > task->statistics.response_ns_max) {
            task->statistics.response_ns_max = response_ns;
        }
        if (task->execution_ns > task->statistics.execution_ns_max) {
            task->statistics.execution_ns_max = task->execution_ns;
        }
    }
    if (takti_job_late(task, now_ns)) {
        count_miss(task);
    }
    task->statistics.jobs_completed++;
    takti_trace(TAKT_EVENT_COMPLETE, task, TAKT_TRACE_NO_OBJECT, 0);
    takti_timer_cancel(&task->deadline_timer);
    takti_make_unready(task);
    task->state = TAKTI_WAIT_JOB;
    task->job_active = false;
    begin_pending(task, now_ns);
}

/* The release timer of `task` is due: a periodic release, or a sporadic one that was deferred. */
void takti_job_release_due(struct takt_task *task, uint64_t at_ns)
{
    if (task->config->release == TAKT_SPORADIC) {
        job_begin(task, pending_take(task)); /* only armed while no job is active */
        return;
    }
    if (at_ns <= TAKT_FOREVER - task->config->period_ns) {
        takti_timer_arm(&task->release_timer, at_ns + task->config->period_ns);
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
    TAKT_ASSERT(task->config->release == TAKT_SPORADIC);
    if (task->state == TAKTI_STOPPED) {
        return; /* nobody listens */
    }
    uint64_t now_ns = takt_port_now_ns();
    uint64_t release_ns = now_ns;
    if (task->last_release_ns != TAKT_FOREVER && now_ns - task->last_release_ns < task->config->period_ns) {
        release_ns = saturated_sum(task->last_release_ns, task->config->period_ns);
    }
    if (task->last_release_ns != TAKT_FOREVER && task->last_release_ns > now_ns) {
        release_ns = saturated_sum(task->last_release_ns, task->config->period_ns);
    }
    bool now = release_ns == now_ns;
    if (task->job_active && now) {
        count_overrun(task);
    }
    if (!task->job_active && now) {
        task->last_release_ns = release_ns;
        job_begin(task, release_ns);
    } else if (task->pending == task->config->pending_max) {
        count_lost(task);
    } else {
        task->last_release_ns = release_ns;
        pending_put(task, release_ns);
        if (!task->job_active && task->pending == 1) {
            takti_timer_arm(&task->release_timer, release_ns);
        }
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
