/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: start, with their thread-local variables, stop, suspension. */
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"

/* Whether `config` is valid, for assertions. */
static bool config_valid(const struct takt_task_config *config)
{
    bool job = config->release != TAKT_BACKGROUND;
    bool kind = TAKT_JOBS || !job;
    bool watched = config->on_miss == TAKT_MISS_STOP || config->on_miss == TAKT_MISS_NOTIFY;
    bool stack = config->stack_size >= 64 && ((uintptr_t)config->stack & 7u) == 0;
    bool level = config->level < TAKT_LEVELS - 1u; /* the last is reserved for idle */
    bool times = job == (config->period_ns != 0) && job == (config->deadline_ns != 0);
    bool sums = config->deadline_ns <= TAKT_FOREVER / 2; /* a release plus its deadline does not overflow */
    bool own = job || takti_is_served(config);           /* a deadline: 0 would be the earliest */
    bool deadline = own || !takti_level_edf(&takti_kernel.ready, config->level);
    bool timer = (config->deadline_timer != NULL) == (job && watched);
    bool arrivals = (config->arrivals != NULL) == (config->release == TAKT_SPORADIC);
    return kind && stack && level && times && sums && deadline && timer && arrivals;
}

/* Prepares the fields that only some tasks have. */
static void extras_prepare(struct takt_task *task, const struct takt_task_config *config)
{
    struct takt_arrivals *arrivals = config->arrivals;
    task->job_deadline_ns = 0; /* it has had no job */
    if (arrivals != NULL) {
        TAKT_ASSERT(arrivals->capacity > 0 && arrivals->releases_ns != NULL);
        arrivals->first = 0;
        arrivals->count = 0;
        arrivals->last_ns = TAKT_FOREVER;
    }
    if (config->deadline_timer != NULL) {
        config->deadline_timer->task = task;
        config->deadline_timer->timer.state = TAKTI_TIMER_DEADLINE;
    }
}

/* Prepares a stopped task for a start with `config`. */
static inline void prepare(struct takt_task *task, const struct takt_task_config *config)
{
    TAKT_ASSERT(config_valid(config));
    task->config = config;
    task->level = &takti_kernel.ready.levels[config->level];
    task->level_bit = takt_bitmap_bit(TAKT_LEVEL_WORDS, config->level);
    takti_key_deadline_set(task, 0);
    takti_key_order_set(task, config->index);
    task->timer.flags = 0;
    task->timer.contended = NULL;
    task->holds = TAKTI_HOLDS;
    takti_budget_prepare(task);
    if (TAKT_SLICES) {
        *task->slice_left_ns = 0;
    }
    if (TAKT_TRACE) {
        task->trace->execution_ns = 0;
        task->trace->job_number = TAKTI_HAS_JOBS(config) ? TAKT_TRACE_NO_JOB : 0; /* so that the first is 0 */
    }
    takti_trace_identify(task);
    if (TAKT_STACK_CHECKS) {
        *(uint32_t *)config->stack = TAKT_FAULT_MAGIC; /* guard word */
    }
    takt_port_context_init(task);
    takti_trace(TAKT_EVENT_START, task, TAKT_TRACE_NO_OBJECT, config->level);
}

/* Begins the job of a prepared background task; returns whether it should run now. */
static inline bool begin(struct takt_task *task)
{
    takti_server_ready(task);
    task->timer.state = TAKTI_READY;
    return takti_ready_add(task);
}

bool takti_task_start(struct takt_task *task, const struct takt_task_config *config)
{
    prepare(task, config);
    if (!TAKTI_HAS_JOBS(config)) {
        return begin(task);
    }
    task->timer.state = TAKTI_BLOCKED_JOB;
    extras_prepare(task, config);
    if (config->release == TAKT_PERIODIC) {
        takti_timer_arm(&task->timer, takt_add(takti_clock_ns(), config->offset_ns));
    }
    return false;
}

/* A start that needs a proof, has no effect, or is that of a task with jobs. */
static TAKTI_NOINLINE_HOT enum takt_status start_general(struct takt_task *task, const struct takt_task_config *config,
                                                         uint32_t lock)
{
    const struct takt_admission *admission = takti_admission();
    enum takt_status status = task->timer.state == TAKTI_DORMANT ? TAKT_OK : TAKT_STATE;
    if (admission != NULL && status == TAKT_OK) {
        status = admission->add(task, config, lock); /* opens the lock in between */
    }
    if (status == TAKT_OK && takti_task_start(task, config)) {
        return takti_switch(lock);
    }
    takt_port_leave(lock);
    return status;
}

enum takt_status takt_task_start(struct takt_task *task, const struct takt_task_config *config)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(task->timer.state != TAKTI_DORMANT) ||
        TAKTI_UNLIKELY(takti_admission() != NULL) || TAKTI_UNLIKELY(TAKTI_HAS_JOBS(config))) {
        return start_general(task, config, lock);
    }
    prepare(task, config);
    if (TAKTI_UNLIKELY(begin(task))) {
        return takti_switch(lock);
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

/* The task continues to count for admission. Not inlined, so that a stop without admission saves fewer registers. */
static TAKTI_NOINLINE_HOT void count_on(const struct takt_task *task)
{
    takti_admission()->remove(task);
}

/* Stops a task that holds no mutex. */
void takti_task_end(struct takt_task *task)
{
    struct takt_mutex *mutex;
    if (TAKTI_UNLIKELY(takti_admission() != NULL)) {
        count_on(task);
    }
    if (TAKTI_HAS_JOBS(task->config)) {
        takti_job_abandon(task);
    }
    switch ((enum takti_state)task->timer.state) {
    case TAKTI_READY:
        takti_ready_remove(task);
        task->timer.state = TAKTI_DORMANT;
        break;
    case TAKTI_SUSPENDED:
        task->timer.state = TAKTI_DORMANT;
        break;
    case TAKTI_BLOCKED_JOB:
    case TAKTI_BLOCKED_DELAY:
        takti_timer_cancel(&task->timer);
        task->timer.state = TAKTI_DORMANT;
        break;
    default:
        mutex = takti_wait_leave(task);
        takti_timer_cancel(&task->timer);
        task->timer.state = TAKTI_DORMANT;
        task->wait_queue = NULL;
        takti_wait_abandoned(mutex);
        break;
    }
    takti_budget_ends(task);
    task->timer.flags = 0; /* a stopped task is not suspended */
    takti_trace_inline(TAKT_EVENT_STOP, task, TAKT_TRACE_NO_OBJECT, 0);
    takti_task_ended(task);
}

/* Whether a stop waits for the task's last unlock, or, of a cooperative job, for its end. */
bool takti_stops_later(const struct takt_task *task)
{
    bool ends = task->timer.state != TAKTI_DORMANT && (task->holds & TAKTI_HOLDS) == 0;
    return ends && !takti_hinted(task) && !takti_budget_pending(task);
}

/*
 * Last unlock of a task that gave a hint before its lock, or is to be demoted or stopped. Returns whether it stops now.
 */
bool takti_last_unlock(struct takt_task *task)
{
    if (takti_hinted(task) || takti_budget_demotes(task)) {
        task->timer.flags &= (uint8_t)~TAKTI_FLAG_HINTED;
        task->holds = TAKTI_HOLDS;
        return false;
    }
    takti_task_end(task);
    return true;
}

/*
 * Stops a task, or marks it when it holds mutexes or is a cooperative job that cannot be left. Returns whether an item
 * handed over to it was passed on: then another task may be the best.
 */
bool takti_task_stop(struct takt_task *task)
{
    bool went_on = false;
    (void)takti_settle(task, TAKTI_ASKED);
    if (task->timer.state == TAKTI_DORMANT) {
        return false;
    }
    bool handed = TAKTI_UNLIKELY(task->wait_queue != NULL); /* perhaps */
    bool holds = (task->holds & TAKTI_HOLDS_COUNT) != 0 && !(handed && takti_handed_lock(task));
    if (holds || (TAKT_COOPERATIVE && task == takti_kernel.ready.running)) {
        if (TAKT_TRACE && !takti_stops_later(task)) {
            takti_trace(TAKT_EVENT_STOP_LATER, task, TAKT_TRACE_NO_OBJECT, 0);
        }
        task->holds &= TAKTI_HOLDS_COUNT;
        if (TAKTI_HINTS) {
            task->hint = NULL; /* no longer needed: takti_last_unlock */
        }
        takti_budget_stops(task);
    } else {
        went_on = handed && takti_take_back(task);
        takti_task_end(task);
    }
    return went_on;
}

/* Whether a stop of this task, which is not the caller, is nothing but its removal: takti_task_end without the rest. In
 * a kernel with edf bands its job may end, too, which is not late. */
static inline bool stops_at_once(const struct takt_task *task)
{
    return !TAKTI_OPTIMIZE_SIZE && !TAKTI_QUIET && !TAKT_PROCESSES && !TAKT_QUOTAS &&
           task->timer.state == TAKTI_READY && task->holds == TAKTI_HOLDS && task->wait_queue == NULL &&
           takti_admission() == NULL &&
           (!TAKTI_HAS_JOBS(task->config) ||
            (TAKT_EDF && task->config->deadline_timer == NULL && takti_clock_ns() <= task->job_deadline_ns));
}

void takt_task_stop(struct takt_task *task)
{
    uint32_t lock = takt_port_enter();
    bool could_run = task->timer.state == TAKTI_READY || task->timer.state == TAKTI_SUSPENDED;
    bool other = task != takti_kernel.ready.running && takt_port_caller(lock) == 0;
    if (other && stops_at_once(task)) { /* the caller is still the best */
        takti_ready_remove(task);
        task->timer.state = TAKTI_DORMANT;
        takti_budget_ends(task);
        task->timer.flags = 0;
        (void)takti_trace_leave_of(TAKT_EVENT_STOP, task, TAKT_TRACE_NO_OBJECT, lock);
        return;
    }
    bool went_on = takti_task_stop(task);
    if (!TAKTI_OPTIMIZE_SIZE && could_run && other &&
        !went_on) { /* the caller is still the best, and no task inherited through this one */
        takt_port_leave(lock);
    } else {
        (void)takti_reschedule(lock);
    }
}

void takt_task_delete(struct takt_task *task)
{
    takt_task_stop(task);
}

bool takt_task_stopped(const struct takt_task *task)
{
    uint32_t lock = takt_port_lock();
    bool stopped = task->timer.state == TAKTI_DORMANT;
    takt_port_unlock(lock);
    return stopped;
}

/* Suspends a task that is not ready. */
static void suspend_waiting(struct takt_task *task, uint32_t lock)
{
    unsigned state = task->timer.state;
    bool rests = false;
    if (state != TAKTI_DORMANT && state != TAKTI_SUSPENDED && (task->timer.flags & TAKTI_FLAG_SUSPENDED) == 0) {
        task->timer.flags |= TAKTI_FLAG_SUSPENDED;
        if (!TAKT_SINGLE_PATH && state == TAKTI_BLOCKED_DELAY) {
            task->timer.state = TAKTI_BLOCKED; /* in no queue */
            task->wait_queue = NULL;           /* timer.c: sleep_until */
        }
        takti_trace(TAKT_EVENT_SUSPEND, task, TAKT_TRACE_NO_OBJECT, 0);
        rests = takti_on_owner_blocked(task);
    }
    if (rests) {
        (void)takti_reschedule(lock);
    } else {
        takt_port_leave(lock);
    }
}

/* Suspends another task, or suspends from an interrupt. */
static __attribute__((noinline)) void suspend_other(struct takt_task *task, uint32_t lock)
{
    (void)takti_settle(task, TAKTI_ASKED);
    if (task->timer.state != TAKTI_READY) {
        suspend_waiting(task, lock);
        return;
    }
    task->timer.state = TAKTI_SUSPENDED;
    takti_ready_remove(task);
    takti_trace(TAKT_EVENT_SUSPEND, task, TAKT_TRACE_NO_OBJECT, 0);
    if (TAKT_BUDGETS && (task != takti_kernel.ready.running || takt_port_caller(lock) != 0)) {
        takti_budget_waits(task); /* the wait of a task that suspends itself begins at the switch */
    }
    (void)takti_on_owner_blocked(task);
    (void)takti_reschedule(lock);
}

/* The running task suspends itself, and has equals or contended mutexes. */
static TAKTI_NOINLINE_HOT void suspend_general(void)
{
    struct takt_task *task = takti_kernel.ready.running; /* not an argument: the caller keeps one register less */
    task->timer.state = TAKTI_SUSPENDED;
    takti_ready_remove(task);
    takti_trace(TAKT_EVENT_SUSPEND, task, TAKT_TRACE_NO_OBJECT, 0);
    (void)takti_on_owner_blocked(task);
    (void)takti_leave(task);
}

void takt_task_suspend(struct takt_task *task)
{
    uint32_t lock = takt_port_enter();
    uint32_t caller = takt_port_caller(lock);
    struct takt_task *running = takti_kernel.ready.running;
    if (TAKT_COOPERATIVE || TAKT_SINGLE_PATH || TAKTI_UNLIKELY(caller != 0) || TAKTI_UNLIKELY(task != running)) {
        suspend_other(task, lock);
        return;
    }
    const struct takt_mutex *contended = running->timer.contended; /* both in one load */
    bool alone = takti_ready_alone(running);
    if (TAKTI_UNLIKELY(contended != NULL) || (!TAKT_EDF && TAKTI_UNLIKELY(!alone))) {
        suspend_general();
        return;
    }
    running->timer.state = TAKTI_SUSPENDED;
    takti_ready_remove(running);
    takti_trace(TAKT_EVENT_SUSPEND, running, TAKT_TRACE_NO_OBJECT, 0);
    if (!TAKTI_SWITCH_HOOK) {
        __asm("" : "+r"(caller)); /* reuses the register that contains 0 */
    }
    (void)takti_leave_as(running, caller, false);
}

void takt_task_resume(struct takt_task *task)
{
    uint32_t lock = takt_port_enter();
    if (TAKTI_UNLIKELY(task->timer.state != TAKTI_SUSPENDED) || TAKTI_UNLIKELY(takti_is_ending(task))) {
        if (!takti_is_ending(task) && (task->timer.flags & TAKTI_FLAG_SUSPENDED) != 0) {
            task->timer.flags &= (uint8_t)~TAKTI_FLAG_SUSPENDED;
            takti_trace(TAKT_EVENT_RESUME, task, TAKT_TRACE_NO_OBJECT, 0);
        }
        takt_port_leave(lock);
        return;
    }
    takti_budget_ready(task);
    task->timer.state = TAKTI_READY;
    takti_trace(TAKT_EVENT_RESUME, task, TAKT_TRACE_NO_OBJECT, 0);
    (void)takti_ready_switch(task, lock, false);
}

void takti_task_resume(struct takt_task *task)
{
    bool held = task->timer.state == TAKTI_SUSPENDED;
    if (takti_is_ending(task) || (!held && (task->timer.flags & TAKTI_FLAG_SUSPENDED) == 0)) {
        return;
    }
    takti_trace(TAKT_EVENT_RESUME, task, TAKT_TRACE_NO_OBJECT, 0);
    if (held) {
        takti_budget_ready(task);
        task->timer.state = TAKTI_READY;
        (void)takti_ready_add(task);
    } else {
        task->timer.flags &= (uint8_t)~TAKTI_FLAG_SUSPENDED;
    }
}

/*
 * Whether a task waits, and its wait may end without what it is for. Not if that was decided already: it waits ahead of
 * a lock, its call of a rendezvous is served, or it was signalled and waits for its mutex (`wait_buffer`).
 */
static bool may_cancel(const struct takt_task *task)
{
    if (takti_is_ending(task)) {
        return false;
    }
    switch ((enum takti_state)task->timer.state) {
    case TAKTI_BLOCKED_DELAY:
    case TAKTI_BLOCKED:
    case TAKTI_BLOCKED_PIPE:
    case TAKTI_BLOCKED_FIFO:
        return true;
    case TAKTI_BLOCKED_MUTEX: {
        const struct takt_mutex *mutex = (const struct takt_mutex *)task->wait_queue;
        bool ahead = TAKTI_HINTS && (task->timer.flags & TAKTI_FLAG_AHEAD) != 0;
        return !ahead && (task->wait_buffer == NULL || mutex->owner == NULL);
    }
    default:
        return false;
    }
}

enum takt_status takt_task_cancel(struct takt_task *task)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    (void)takti_settle(task, TAKTI_ASKED);
    if (!may_cancel(task)) {
        takt_port_leave(lock);
        return TAKT_STATE;
    }
    /* A task that sleeps is in no queue: its wait_queue is NULL since it ran (kernel/core/handed.h). */
    takti_wait_end(task, TAKT_CANCELLED);
    (void)takti_reschedule(lock);
    return TAKT_OK;
}

struct takt_task_statistics takt_task_statistics(const struct takt_task *task)
{
    uint32_t lock = takt_port_lock();
    struct takt_task_statistics statistics = {0};
    if (task->config != NULL && task->config->statistics != NULL) {
        statistics = *task->config->statistics;
    }
    takt_port_unlock(lock);
    return statistics;
}

/* Stops the running task. It is ready, so a system that stops no other tasks is linked without the code for other
 * states. */
static inline enum takt_status finish(struct takt_task *task)
{
    (void)takt_port_enter();
    task->timer.state = TAKTI_DORMANT;
    takti_trace(TAKT_EVENT_STOP, task, TAKT_TRACE_NO_OBJECT, 0);
    takti_ready_remove(task);
    return takti_leave(task);
}

/* Entry of every task. */
_Noreturn void takti_task_main(struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    do {
        config->entry(config->argument);
        if (TAKTI_HAS_JOBS(config) && config->style == TAKT_STYLE_ENTRY) {
            takt_job_wait();
        } else { /* a background or loop task that returns is stopped */
            TAKT_ASSERT((task->holds & TAKTI_HOLDS_COUNT) == 0);
            if (TAKTI_OPTIMIZE_SIZE && !TAKT_JOBS) {
                (void)finish(task);
            } else {
                takt_task_stop(task);
            }
        }
    } while (true);
}

#if TAKT_THREAD_LOCAL
/* The linker script's. Sizes are the addresses of their symbols. */
extern uint8_t takti_tls_start[], takti_tls_load[], takti_tls_data_size[], takti_tls_size[];

enum { BLOCK_ALIGNMENT = 16 }; /* of every port's stacks */

uintptr_t takti_thread_local_begin(struct takt_task *task, uintptr_t top)
{
    if (task == &takti_kernel.idle) {
        *task->tls = takti_tls_start;
        return top;
    }
    size_t size = (size_t)(uintptr_t)takti_tls_size;
    TAKT_ASSERT(size < task->config->stack_size);
    size_t data = (size_t)(uintptr_t)takti_tls_data_size;
    uintptr_t begin = top - ((size + BLOCK_ALIGNMENT - 1) & ~(size_t)(BLOCK_ALIGNMENT - 1));
    uint8_t *block = (uint8_t *)begin;
    memcpy(block, takti_tls_load, data);
    memset(block + data, 0, size - data);
    *task->tls = block;
    return begin;
}
#endif
