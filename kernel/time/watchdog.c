/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/watchdog.h"

#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

/* takt_watchdog.state */
enum { WATCHDOG_STOPPED, WATCHDOG_WATCHES, WATCHDOG_RESTARTS };

void takt_watchdog_init(struct takt_watchdog *watchdog, uint16_t trace_id, struct takt_task *task, uint64_t time_ns,
                        enum takt_watchdog_action action, void (*hook)(struct takt_watchdog *watchdog))
{
    *watchdog = (struct takt_watchdog){.call = {.function = takti_watchdog_due},
                                       .task = task,
                                       .hook = hook,
                                       .time_ns = time_ns,
                                       .id = trace_id,
                                       .action = (uint8_t)action};
}

/* Whether the parameters are valid, for assertions. */
TAKTI_CHECKS bool takti_watchdog_valid(const struct takt_watchdog *watchdog)
{
    bool hooked = (watchdog->hook != NULL) == (watchdog->action == TAKT_WATCHDOG_NOTIFY);
    bool proved = watchdog->action == TAKT_WATCHDOG_RESTART && takti_admission() != NULL;
    bool known = watchdog->task != NULL && watchdog->task->config != NULL;
    bool counted = TAKT_PROCESSES; /* a declared task stays in the set of admission */
    return known && watchdog->time_ns > 0 && hooked && (counted || !proved);
}

static void watchdog_begin(struct takt_watchdog *watchdog, uint64_t now_ns)
{
    watchdog->state = WATCHDOG_WATCHES;
    watchdog->until_ns = takt_add(now_ns, watchdog->time_ns);
    takti_call_arm(&watchdog->call, watchdog->until_ns);
}

enum takt_status takt_watchdog_start(struct takt_watchdog *watchdog)
{
    enum takt_status status = TAKT_STATE;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock) && takti_watchdog_valid(watchdog));
    if (watchdog->state == WATCHDOG_STOPPED) {
        takti_trace(TAKT_EVENT_WATCHDOG, watchdog->task, watchdog->id, TAKT_WATCHDOG_STARTED);
        watchdog_begin(watchdog, takti_clock_ns());
        status = TAKT_OK;
    }
    takt_port_leave(lock);
    return status;
}

void takt_watchdog_kick(struct takt_watchdog *watchdog)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0 && takti_kernel.ready.running == watchdog->task);
    takti_trace(TAKT_EVENT_WATCHDOG, watchdog->task, watchdog->id, TAKT_WATCHDOG_KICKED);
    watchdog->until_ns = takt_add(takt_port_now_ns(), watchdog->time_ns);
    takt_port_leave(lock);
}

enum takt_status takt_watchdog_stop(struct takt_watchdog *watchdog)
{
    enum takt_status status = TAKT_STATE;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    if (watchdog->state != WATCHDOG_STOPPED || takti_watchdog_paused(watchdog)) {
        takti_trace(TAKT_EVENT_WATCHDOG, watchdog->task, watchdog->id, TAKT_WATCHDOG_STOPPED);
        watchdog->state = WATCHDOG_STOPPED;
        takti_timer_cancel(&watchdog->call.timer);
        if (TAKT_PROCESSES) {
            watchdog->in_process->paused = false;
        }
        status = TAKT_OK;
    }
    takt_port_leave(lock);
    return status;
}

uint32_t takt_watchdog_expired(const struct takt_watchdog *watchdog)
{
    return watchdog->expired; /* one word */
}

/*
 * Arms for the next release of the task after now, as if none were lost. A background task: for the end of `time_ns`.
 */
static void watchdog_await_release(struct takt_watchdog *watchdog, uint64_t now_ns)
{
    const struct takt_task *task = watchdog->task;
    const struct takt_task_config *config = task->config;
    uint64_t next_ns = now_ns;
    uint64_t period_ns = config->period_ns;
    if (!TAKTI_HAS_JOBS(config)) {
        period_ns = watchdog->time_ns;
    } else if (config->arrivals != NULL) {
        next_ns = config->arrivals->last_ns == TAKT_FOREVER ? now_ns : config->arrivals->last_ns;
    } else if (task->job_deadline_ns != 0) {
        next_ns = task->job_deadline_ns - config->deadline_ns;
    } else {
        next_ns = task->timer.at_ns; /* it waits for its first */
    }
    (void)takt_pass(&next_ns, now_ns, period_ns);
    takti_call_arm(&watchdog->call, next_ns);
}

/* The watchdog of the task has expired: stops the task, and opens the lock. */
static void watchdog_stop_task(struct takt_watchdog *watchdog, uint64_t now_ns, uint32_t lock)
{
    watchdog->state = WATCHDOG_STOPPED;
    if (watchdog->action == TAKT_WATCHDOG_RESTART) {
        watchdog->state = WATCHDOG_RESTARTS;
        watchdog_await_release(watchdog, now_ns);
    }
    (void)takti_task_stop(watchdog->task);
    (void)takti_reschedule(lock);
}

/* Restarts the stopped task, unless it was started. Its first release is the time for which this was armed. */
static void watchdog_restart(struct takt_watchdog *watchdog, uint64_t now_ns, uint32_t lock)
{
    struct takt_task *task = watchdog->task;
    bool left = TAKT_COOPERATIVE || task != takti_kernel.ready.running; /* otherwise its context must still be saved */
    bool stopped = task->timer.state == TAKTI_DORMANT;
    if (takti_stops_later(task) || (stopped && !(left && takti_process_runs(task)))) {
        watchdog_await_release(watchdog, now_ns);
        takt_port_leave(lock);
        return;
    }
    if (stopped) {
        (void)takti_task_start(task, task->config);
        if (TAKTI_HAS_JOBS(task->config) && task->config->release == TAKT_PERIODIC) {
            takti_timer_cancel(&task->timer);
            takti_timer_arm(&task->timer, watchdog->call.timer.at_ns);
        }
    }
    watchdog_begin(watchdog, now_ns);
    (void)takti_reschedule(lock);
}

static void watchdog_expire(struct takt_watchdog *watchdog, uint64_t now_ns, uint32_t lock)
{
    watchdog->expired++;
    takti_trace(TAKT_EVENT_WATCHDOG, watchdog->task, watchdog->id, TAKT_WATCHDOG_EXPIRED);
    if (watchdog->action == TAKT_WATCHDOG_HALT) {
        takt_fault_raise(TAKT_FAULT_WATCHDOG, NULL, watchdog->task->config->index, 0);
    }
    if (watchdog->action == TAKT_WATCHDOG_NOTIFY) {
        watchdog_begin(watchdog, now_ns);
        takt_port_leave(lock);
        watchdog->hook(watchdog);
        return;
    }
    watchdog_stop_task(watchdog, now_ns, lock);
}

#if TAKT_PROCESSES
void takti_watchdog_pause(struct takt_watchdog *watchdog)
{
    watchdog->in_process->paused = watchdog->state != WATCHDOG_STOPPED;
    watchdog->state = WATCHDOG_STOPPED;
    takti_timer_cancel(&watchdog->call.timer);
}

void takti_watchdog_renew(struct takt_watchdog *watchdog, bool ends)
{
    bool watches = takti_watchdog_watches(watchdog);
    watchdog->in_process->by = 0;
    if (ends || watches != watchdog->in_process->declared) {
        takti_watchdog_pause(watchdog);
        watchdog->in_process->paused = watchdog->in_process->declared;
        if (!ends) {
            takti_watchdog_continue(watchdog);
        }
    }
}

bool takti_watchdog_watches(const struct takt_watchdog *watchdog)
{
    return watchdog->state != WATCHDOG_STOPPED;
}

void takti_watchdog_declare(struct takt_watchdog *watchdog)
{
    watchdog->in_process->declared = takti_watchdog_watches(watchdog);
}

void takti_watchdog_continue(struct takt_watchdog *watchdog)
{
    if (watchdog->in_process->paused && watchdog->state == WATCHDOG_STOPPED) {
        watchdog_begin(watchdog, takti_clock_ns());
    }
    watchdog->in_process->paused = false;
}
#endif

/* `time_ns` has passed since a kick. In the timer interrupt, unlocked. */
void takti_watchdog_due(struct takti_call *call)
{
    struct takt_watchdog *watchdog = (struct takt_watchdog *)call;
    uint32_t lock = takt_port_enter();
    uint64_t now_ns = takti_clock_ns();
    if (TAKT_PROCESSES && !takti_process_whole(watchdog->task)) { /* its task cannot kick; it will be paused, or was
                                                                      started */
        watchdog->until_ns = takt_add(now_ns, watchdog->time_ns);
    }
    if (watchdog->state == WATCHDOG_STOPPED || takti_timer_armed(&call->timer)) {
        takt_port_leave(lock); /* it was stopped or restarted before the lock closed */
    } else if (watchdog->state == WATCHDOG_RESTARTS) {
        watchdog_restart(watchdog, now_ns, lock);
    } else if (watchdog->until_ns > now_ns) {
        takti_call_arm(&watchdog->call, watchdog->until_ns);
        takt_port_leave(lock);
    } else {
        watchdog_expire(watchdog, now_ns, lock);
    }
}
