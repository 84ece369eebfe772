/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs: release, completion, lateness. Release times are absolute and do not drift. The next release is armed when a
 * job ends: a release during an unfinished job causes no interrupt, and is detected and counted at that end. So a task
 * needs one timer, and overload causes no further load.
 */
#include "kernel/core/interrupt.h"
#include "kernel/jobs/burst.h"

#if TAKT_JOBS
static void count(const struct takt_task *task, enum takt_event event, uint32_t how_many)
{
    struct takt_task_statistics *statistics = task->config->statistics;
    if (statistics != NULL) {
        uint32_t *counter = event == TAKT_EVENT_OVERRUN ? &statistics->overruns
                            : event == TAKT_EVENT_LOST  ? &statistics->lost
                                                        : &statistics->misses;
        *counter += how_many;
    }
    takti_trace(event, task, TAKT_TRACE_NO_OBJECT, how_many > UINT8_MAX ? UINT8_MAX : how_many);
}

static void count_miss(struct takt_task *task)
{
    struct takt_task_statistics *statistics = task->config->statistics;
    task->timer.flags |= TAKTI_FLAG_MISSED;
    if (statistics != NULL && statistics->first_miss_deadline_ns == 0) {
        statistics->first_miss_deadline_ns = task->job_deadline_ns;
    }
    count(task, TAKT_EVENT_MISS, 1);
}

/* Whether the current job is unfinished at `now_ns`, past its deadline, and not yet counted. False for a task whose
 * process ends, for which it was checked then. */
bool takti_job_late(const struct takt_task *task, uint64_t now_ns)
{
    bool counts = (task->timer.flags & (TAKTI_FLAG_ACTIVE | TAKTI_FLAG_MISSED)) == TAKTI_FLAG_ACTIVE;
    return counts && now_ns > task->job_deadline_ns && !takti_is_ending(task);
}

static TAKTI_NOINLINE_SIZE uint64_t release_of(const struct takt_task *task)
{
    return task->job_deadline_ns - task->config->deadline_ns;
}

/* That of the own key of a task whose job has this deadline. */
static TAKTI_INLINE_ALWAYS inline uint64_t job_key_deadline_ns(const struct takt_task *task, uint64_t deadline_ns)
{
    return TAKT_SERVERS ? takti_own_deadline_ns(task) : deadline_ns;
}

/* Begins the task's next job, at its release or `late`, without making it ready. */
static TAKTI_INLINE_ALWAYS inline void job_set(struct takt_task *task, uint64_t release_ns, bool late)
{
    const struct takt_task_config *config = task->config;
    uint64_t deadline_ns = release_ns + config->deadline_ns;
    takti_budget_begin(task, late);
    task->timer.flags = (uint8_t)((task->timer.flags | TAKTI_FLAG_ACTIVE) & ~TAKTI_FLAG_MISSED);
    task->job_deadline_ns = deadline_ns;
    takti_key_deadline_set(task, takti_in_edf(&takti_kernel.ready, task) ? job_key_deadline_ns(task, deadline_ns) : 0);
    if (TAKT_TRACE) {
        task->trace->job_number++;
        task->trace->execution_ns = 0;
    }
    takti_trace_release(task, deadline_ns);
    if (config->deadline_timer != NULL) {
        takti_timer_arm(&config->deadline_timer->timer, deadline_ns);
    }
}

/* The same for a task that is in no queue, made ready. Returns whether it should run now. */
static bool job_begin(struct takt_task *task, uint64_t release_ns, bool late)
{
    job_set(task, release_ns, late);
    return takti_make_ready(task);
}

/* The pending sporadic release of this number, from the earliest on. */
static uint64_t *arrival_at(const struct takt_arrivals *arrivals, unsigned number)
{
    unsigned index = (unsigned)arrivals->first + number;
    return &arrivals->releases_ns[index >= arrivals->capacity ? index - arrivals->capacity : index];
}

static uint64_t arrival_take(struct takt_arrivals *arrivals)
{
    uint64_t release_ns = *arrival_at(arrivals, 0);
    arrivals->first = (uint16_t)(arrivals->first + 1u == arrivals->capacity ? 0 : arrivals->first + 1u);
    arrivals->count--;
    return release_ns;
}

/* Makes the task, whose job ended, wait for the next release. */
static void wait_for_release(struct takt_task *task, uint64_t release_ns)
{
    takti_timer_arm(&task->timer, release_ns);
}

/* Drops the releases from `next_ns` on that are before `now_ns`. Returns the first that is not. */
static TAKTI_NOINLINE_HOT uint64_t drop_releases(const struct takt_task *task, uint64_t next_ns, uint64_t now_ns)
{
    uint32_t lost = (uint32_t)takt_pass(&next_ns, now_ns - 1, task->config->period_ns);
    count(task, TAKT_EVENT_OVERRUN, lost);
    count(task, TAKT_EVENT_LOST, lost);
    return next_ns;
}

/* After a periodic job: its next release, which may have passed. */
static void next_periodic(struct takt_task *task, uint64_t now_ns)
{
    uint64_t next_ns = takt_add(release_of(task), task->config->period_ns);
    if (next_ns < now_ns) { /* a release at this time finds the job completed */
        if (task->config->on_miss != TAKT_MISS_SKIP) {
            count(task, TAKT_EVENT_OVERRUN, 1);
            (void)job_begin(task, next_ns, true);
            return;
        }
        next_ns = drop_releases(task, next_ns, now_ns);
    }
    if (next_ns != TAKT_FOREVER) {
        wait_for_release(task, next_ns);
    }
}

/* After a sporadic job: pending releases follow, or are dropped. */
static void next_sporadic(struct takt_task *task, uint64_t now_ns)
{
    struct takt_arrivals *arrivals = task->config->arrivals;
    while (arrivals->count > 0 && *arrival_at(arrivals, 0) < now_ns) { /* at most `capacity` */
        uint64_t release_ns = arrival_take(arrivals);
        count(task, TAKT_EVENT_OVERRUN, 1);
        if (task->config->on_miss != TAKT_MISS_SKIP) {
            (void)job_begin(task, release_ns, true);
            return;
        }
        count(task, TAKT_EVENT_LOST, 1);
    }
    if (arrivals->count > 0) {
        wait_for_release(task, *arrival_at(arrivals, 0));
    }
}

/* The job ends now, not in an interrupt. Returns the time. */
static inline uint64_t end_traced(const struct takt_task *task)
{
    if (TAKT_TRACE) {
        uint32_t ticks = takti_trace_task_inline(TAKT_EVENT_COMPLETE, task, TAKT_TRACE_NO_OBJECT, 0);
        takti_charge_switch(takti_kernel.ready.running, ticks);
        return takt_port_ticks_ns(ticks);
    }
    return takt_port_now_ns();
}

/* Updates the statistics with the job. */
static void account(struct takt_task *task, uint64_t now_ns)
{
    struct takt_task_statistics *statistics = task->config->statistics;
    if (takti_job_late(task, now_ns)) {
        count_miss(task);
    }
    if (statistics != NULL) {
        statistics->jobs_completed++;
    }
    if (TAKT_TRACE && statistics != NULL) {
        uint64_t response_ns = now_ns - release_of(task);
        if (response_ns > statistics->response_ns_max) {
            statistics->response_ns_max = response_ns;
        }
        if ((int64_t)task->trace->execution_ns > (int64_t)statistics->execution_ns_max) {
            statistics->execution_ns_max = task->trace->execution_ns;
        }
    }
}

/* Completes the running job of `task`, which stays ready only if a release has come meanwhile. */
void takti_job_end(struct takt_task *task)
{
    TAKT_ASSERT((task->timer.flags & TAKTI_FLAG_ACTIVE) != 0 && (task->holds & TAKTI_HOLDS_COUNT) == 0);
    uint64_t now_ns = end_traced(task);
    account(task, now_ns);
    if (task->config->deadline_timer != NULL) {
        takti_timer_cancel(&task->config->deadline_timer->timer);
    }
    if (task->timer.state == TAKTI_READY) {
        takti_ready_remove(task);
    } else { /* a cooperative job that suspended itself */
        task->timer.flags |= TAKTI_FLAG_SUSPENDED;
    }
    task->timer.state = TAKTI_BLOCKED_JOB;
    task->timer.flags &= (uint8_t)~TAKTI_FLAG_ACTIVE;
    if (TAKT_COOPERATIVE && task->holds == 0) {
        return; /* it was stopped: this was its last job */
    }
    if (task->config->release == TAKT_PERIODIC) {
        next_periodic(task, now_ns);
    } else {
        next_sporadic(task, now_ns);
    }
    bool next_begins = (task->timer.flags & TAKTI_FLAG_ACTIVE) != 0;
    if (TAKT_TRACE && next_begins) { /* the time of this end is not its execution */
        takti_charge_from_now();
    }
}

/* Abandons the job of a stopped task and its pending releases. A late job counts as missed. */
void takti_job_abandon(struct takt_task *task)
{
    if (takti_job_late(task, takti_clock_ns())) {
        count_miss(task);
    }
    if (task->config->deadline_timer != NULL) {
        takti_timer_cancel(&task->config->deadline_timer->timer);
    }
    task->timer.flags &= (uint8_t)~TAKTI_FLAG_ACTIVE;
}

/* At the end of its process: a late job counts as missed. */
void takti_job_fail(struct takt_task *task, uint64_t now_ns)
{
    if (TAKT_PROCESSES && takti_job_late(task, now_ns)) {
        count_miss(task);
    }
}

void takti_job_released(struct takt_task *task)
{
    if (TAKTI_QUIET) {
        job_set(task, task->timer.at_ns, false);
    }
}

/* The expiry of a release for which the task waits: periodic, or sporadic and deferred. */
void takti_job_release_due(struct takt_task *task)
{
    struct takt_arrivals *arrivals = task->config->arrivals;
    (void)job_begin(task, arrivals == NULL ? task->timer.at_ns : arrival_take(arrivals), false);
}

/* The deadline timer of `task` is due: policies notify and stop. */
void takti_job_deadline_due(struct takt_task *task, uint32_t lock)
{
    if (takti_is_ending(task)) {
        task->timer.flags |= TAKTI_FLAG_MISSED; /* it is not counted, and no timer is armed for it */
        return;
    }
    count_miss(task);
    if (task->config->on_miss == TAKT_MISS_STOP) {
        (void)takti_task_stop(task);
    } else if (task->config->miss_hook != NULL) {
        takt_port_leave(lock);
        task->config->miss_hook(task);
        (void)takt_port_enter();
    }
}

/*
 * A sporadic arrival for `at_ns`: released then, or at the earliest time after the previous release. Returns
 * whether its task should run now.
 */
static inline TAKTI_INLINE_ALWAYS bool arrive(struct takt_task *task, uint64_t at_ns)
{
    if (task->timer.state == TAKTI_DORMANT) {
        return false; /* no effect; it may never have been started */
    }
    if (takti_is_ending(task)) {
        return false; /* no effect */
    }
    TAKT_ASSERT(task->config->release == TAKT_SPORADIC);
    struct takt_arrivals *arrivals = task->config->arrivals;
    bool active = (task->timer.flags & TAKTI_FLAG_ACTIVE) != 0;
    uint64_t now_ns = takti_clock_ns();
    uint64_t release_ns = at_ns > now_ns ? at_ns : now_ns;
    if (arrivals->last_ns != TAKT_FOREVER) {
        uint64_t earliest_ns = takti_arrival_earliest(task, arrivals);
        release_ns = earliest_ns > release_ns ? earliest_ns : release_ns;
    }
    bool due = release_ns == now_ns; /* then no earlier release is pending */
    if (due && !active && arrivals->count == 0) {
        takti_arrival_note(task, arrivals, release_ns);
        return job_begin(task, release_ns, false);
    }
    bool never = release_ns == TAKT_FOREVER; /* the sum has overflowed */
    bool dropped = due && active && task->config->on_miss == TAKT_MISS_SKIP;
    if (never || dropped || arrivals->count == arrivals->capacity) {
        if (due && active) {
            count(task, TAKT_EVENT_OVERRUN, 1);
        }
        count(task, TAKT_EVENT_LOST, 1);
        return false;
    }
    takti_arrival_note(task, arrivals, release_ns);
    *arrival_at(arrivals, arrivals->count++) = release_ns;
    if (!active && arrivals->count == 1) {
        wait_for_release(task, release_ns);
    }
    return false;
}

bool takti_job_arrive(struct takt_task *task)
{
    if (TAKTI_OPTIMIZE_SIZE && task == NULL) {
        return false;
    }
    return arrive(task, 0);
}

/*
 * Number of releases up to `until_ns` that have come by `now_ns` while the job is active: overruns that its end will
 * count.
 */
uint32_t takti_job_behind(const struct takt_task *task, uint64_t now_ns, uint64_t until_ns)
{
    if ((task->timer.flags & TAKTI_FLAG_ACTIVE) == 0) {
        return 0;
    }
    uint64_t limit_ns = until_ns < now_ns ? until_ns : now_ns;
    if (task->config->release == TAKT_PERIODIC) {
        uint64_t next_ns = takt_add(release_of(task), task->config->period_ns);
        return (uint32_t)takt_pass(&next_ns, limit_ns, task->config->period_ns);
    }
    uint32_t behind = 0;
    const struct takt_arrivals *arrivals = task->config->arrivals;
    while (behind < arrivals->count && *arrival_at(arrivals, behind) <= limit_ns) {
        behind++;
    }
    return behind;
}

void takt_job_release(struct takt_task *task)
{
    uint32_t lock = takt_port_enter();
    if (takti_job_arrive(task)) {
        (void)takti_switch(lock);
    } else {
        takt_port_leave(lock);
    }
}

void takt_job_release_at(struct takt_task *task, uint64_t at_ns)
{
    uint32_t lock = takt_port_enter();
    if (arrive(task, at_ns)) {
        (void)takti_switch(lock);
    } else {
        takt_port_leave(lock);
    }
}

static inline void job_wait_general(struct takt_task *task, uint32_t lock)
{
    takti_job_end(task);
    if (!TAKTI_OPTIMIZE_SIZE) {
        struct takt_task *next = takti_select();
        takti_kernel.ready.next = next;
        if (next != task) {
            (void)takti_switch_to(next, task, 0);
            return;
        }
    }
    (void)takti_reschedule(lock);
}

static TAKTI_NOINLINE_HOT void job_wait_slow_path(struct takt_task *task, uint32_t lock)
{
    job_wait_general(task, lock);
}

/* Without a call, so that no register is saved. False: the job has not ended. */
static inline bool waits_quietly(struct takt_task *task, uint32_t lock)
{
    struct takt_task *next = takti_settle(task, TAKTI_JOB_ENDS);
    if (next == NULL) {
        return false;
    }
    if (TAKTI_UNLIKELY(next == task)) {
        (void)takti_reschedule(lock);
        return true;
    }
    takti_kernel.ready.next = next;
    (void)takti_switch_to(next, task, 0);
    return true;
}

void takt_job_wait(void)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && !TAKT_COOPERATIVE);
    if (!TAKTI_QUIET) {
        job_wait_general(task, lock);
    } else if (!waits_quietly(task, lock)) {
        job_wait_slow_path(task, lock);
    }
}

uint64_t takt_job_release_ns(void)
{
    TAKT_ASSERT(!takt_port_in_interrupt());
    return release_of(takti_kernel.ready.running);
}

uint64_t takt_job_deadline_ns(void)
{
    TAKT_ASSERT(!takt_port_in_interrupt());
    return takti_kernel.ready.running->job_deadline_ns;
}
#endif
