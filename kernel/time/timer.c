/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/time/timer_queue.h"

#if TAKT_ENGINE_RTM
/* The queue is in hardware/driver/rtm.c. */
static void arm_as(struct takt_timer *timer, uint64_t at_ns, uint32_t state)
{
    (void)state;
    takti_timer_arm(timer, at_ns);
}
#elif TAKTI_OPTIMIZE_SIZE
/*
 * Compiled for size: a list sorted by expiry in place of the array. Arming or cancelling a timer passes the timers
 * before it, at most all.
 */
void takti_timers_init(void)
{
}

static uint64_t first_ns(void)
{
    const struct takt_timer *first = takti_kernel.timers.first;
    return first == NULL ? TAKT_FOREVER : first->at_ns;
}

uint64_t takti_timers_first_ns(void)
{
    return first_ns();
}

void takti_timers_program(void)
{
    (void)takt_port_timer_set(first_ns());
}

/* The timer that `link` points at changed: perhaps the first of the queue. */
static __attribute__((noinline)) void changed(struct takt_timer *const *link)
{
    if (link == &takti_kernel.timers.first && takti_kernel.timers.running) {
        takti_timers_program();
    }
}

/* Among equals the new one is the last. */
static void arm_as(struct takt_timer *timer, uint64_t at_ns, uint32_t state)
{
    (void)state;
    struct takt_timer **link = &takti_kernel.timers.first;
    TAKT_ASSERT(!takti_timer_armed(timer));
    while (*link != NULL && (*link)->at_ns <= at_ns) {
        link = &(*link)->next;
    }
    timer->at_ns = at_ns;
    timer->next = *link;
    timer->armed = 1;
    *link = timer;
    changed(link);
}

/* Cancels a timer that is armed. */
void takti_timer_remove(struct takt_timer *timer)
{
    struct takt_timer **link = &takti_kernel.timers.first;
    while (*link != timer) {
        link = &(*link)->next;
    }
    *link = timer->next;
    timer->armed = 0;
    changed(link);
}
#else
/* After the last entry, so that there is always a first. */
static const struct takt_timer forever = {.at_ns = TAKT_FOREVER};

void takti_timers_init(void)
{
    const struct takt_timer_space *space = takti_kernel.system->timers;
    TAKT_ASSERT(space != NULL && space->capacity >= takti_kernel.system->task_count);
    struct takt_timer **end = space->places + TAKT_TIMERS_MARGIN + space->capacity;
    takti_kernel.timers.first = end;
    takti_kernel.timers.last = end - 1;
    *end = (struct takt_timer *)&forever; /* never written to */
}

static inline uint64_t first_ns(void)
{
    return (*takti_kernel.timers.first)->at_ns;
}

uint64_t takti_timers_first_ns(void)
{
    return first_ns();
}

void takti_timers_program(void)
{
    (void)takt_port_timer_set(takti_timers_first_ns());
}

/* The first expiry changed. The end of the start arms the one-shot itself. */
static void first_changed(const struct takti_timers *timers)
{
    if (timers->running) {
        takti_timers_program();
    }
}

/* `state`: the timer's, already in a register where a task goes to sleep: one instruction less. */
static inline __attribute__((always_inline)) void arm_as(struct takt_timer *timer, uint64_t at_ns, uint32_t state)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer **first = timers->first;
    TAKT_ASSERT(!takti_timer_armed(timer));
    timer->next = NULL;
    if ((uint32_t)(at_ns >> 32) == UINT32_MAX) {
        TAKTI_COMPILER_BARRIER; /* one instruction less */
        if (at_ns == TAKT_FOREVER) {
            return; /* never expires */
        }
    }
    TAKT_ASSERT(first > takti_kernel.system->timers->places + TAKT_TIMERS_MARGIN);
    timer->at_ns = at_ns;
    timer->armed = (uint16_t)state; /* 0 for no timer */
    if (at_ns < (*first)->at_ns) {
        timer->previous = timer;
        *--first = timer;
        timers->first = first;
        first_changed(timers);
        return;
    }
    struct takt_timer **place = find(timers, at_ns);
    struct takt_timer *head = *place;
    if ((uint32_t)head->at_ns == (uint32_t)at_ns && (uint32_t)(head->at_ns >> 32) == (uint32_t)(at_ns >> 32)) {
        struct takt_timer *last = head->previous;
        timer->previous = last;
        last->next = timer;
        head->previous = timer;
        return;
    }
    timer->previous = timer;
    timers->first = --first;
    move_down(first, place);
    *place = timer;
}

/*
 * Cancels a timer that is armed. A timer whose chain is being served is in no chain of the queue, although there may be
 * one with the same expiry by now; the last of such a chain needs no update.
 */
void takti_timer_remove(struct takt_timer *timer)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer *next = timer->next;
    struct takt_timer *previous = timer->previous;
    timer->armed = 0;
    if (timer == timers->due) {
        timers->due = next;
        return;
    }
    struct takt_timer **place = timers->first;
    if (*place != timer) {
        place = find(timers, timer->at_ns);
    }
    struct takt_timer *head = *place;
    if (head != timer) {
        previous->next = next;
        if (next != NULL) {
            next->previous = previous;
        } else if (head->previous == timer) {
            head->previous = previous;
        }
    } else if (next != NULL) {
        next->previous = previous;
        *place = next;
    } else {
        struct takt_timer **first = timers->first++;
        if (place == first) {
            first_changed(timers);
        } else {
            move_up(first, place);
        }
    }
}
#endif

#if !TAKT_ENGINE_RTM
void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns)
{
    arm_as(timer, at_ns, timer->state);
}
#endif

void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(struct takti_call *call))
{
    uint32_t lock = takt_port_lock();
    takti_timer_cancel(&call->timer);
    call->function = function;
    takti_call_arm(call, at_ns);
    takt_port_unlock(lock);
}

/* Ends a wait by its timeout. */
static void wait_ends(struct takt_task *task)
{
    struct takt_mutex *mutex = takti_wait_leave(task);
    (void)takti_wake(task, TAKT_TIMEOUT);
    takti_wait_abandoned(mutex);
}

#if TAKTI_QUIET
struct takt_task *takti_came(struct takt_task *task)
{
    if (TAKT_JOBS && task->timer.state == TAKTI_BLOCKED_JOB) {
        takti_job_released(task);
    }
    task->timer.state = TAKTI_READY;
    return task;
}
#endif

/* Serves a timer that is neither a release nor the end of a delay. */
static TAKTI_NOINLINE_HOT void serve(struct takt_timer *timer, uint32_t lock)
{
    switch ((enum takti_state)timer->state) {
#if TAKT_JOBS
    case TAKTI_TIMER_DEADLINE:
        takti_job_deadline_due(TAKTI_TIMER_OWNER(timer, struct takt_deadline_timer, timer)->task, lock);
        takti_reselect(); /* a stop, or the end of inheritance by the owner */
        break;
#endif
    case TAKTI_TIMER_CALL: {
        struct takti_call *call = TAKTI_TIMER_OWNER(timer, struct takti_call, timer);
        takt_port_leave(lock);
        call->function(call);
        (void)takt_port_lock();
        break;
    }
#if TAKT_BUDGETS
    case TAKTI_TIMER_BUDGET:
        takti_budget_due(lock);
        takti_reselect();
        break;
#endif
#if TAKT_SLICES
    case TAKTI_TIMER_SLICE:
        takti_slice_due();
        takti_reselect();
        break;
#endif
    default:
        wait_ends(takti_timer_task(timer));
        takti_reselect(); /* an owner may have fallen below others */
        break;
    }
}

#if TAKT_SINGLE_PATH
/* Serves a timer that is no longer armed; the lock opens after it, so that any timer may be cancelled. */
static inline __attribute__((always_inline)) void serve_one(struct takt_timer *timer, uint32_t lock)
{
    if (TAKT_JOBS && timer->state == TAKTI_BLOCKED_JOB) {
        takti_job_release_due(takti_timer_task(timer));
    } else {
        serve(timer, lock);
    }
    takt_port_leave(lock);
    (void)takt_port_enter();
}
#endif

#if TAKT_ENGINE_RTM
/* Serves all expired timers. */
static void serve_due(uint32_t lock)
{
    struct takt_timer *timer;
    while ((timer = takti_timers_take()) != NULL) { /* at most one iteration per timer */
        serve_one(timer, lock);
    }
}
#elif TAKTI_OPTIMIZE_SIZE
/* Serves the first. */
static void serve_first(struct takti_timers *timers, uint32_t lock)
{
    struct takt_timer *timer = timers->first;
    timers->first = timer->next;
    timer->armed = 0;
    serve_one(timer, lock);
}
#else
/*
 * Wakes the sleeping task of an expired timer. If it has ready equals it is queued behind them, and so behind `next`.
 */
static inline void awake(struct takt_task *task)
{
    takti_budget_wait_ends(task);
    task->timer.state = TAKTI_READY;
#if !TAKT_EDF
    if ((*takti_occupied(&takti_kernel.ready, task->level) & task->level_bit) != 0) {
        takti_ready_insert(&takti_kernel.ready, task, false);
        return;
    }
#endif
    (void)takti_ready_add(task);
}

/* Serves the first chain; the lock opens between its timers, so that any timer may be cancelled. */
static inline __attribute__((always_inline)) void serve_first(struct takti_timers *timers, uint32_t lock)
{
    struct takt_timer **first = timers->first;
    struct takt_timer *timer = *first;
    TAKTI_COMPILER_BARRIER; /* one instruction less: load and step on */
    timers->first = first + 1;
    do { /* at most one iteration per timer */
        timers->due = timer->next;
        timer->armed = 0;
        if (!TAKT_TRACE && !TAKTI_UNLIKELY(timer->state != TAKTI_BLOCKED_DELAY)) {
            awake(takti_timer_task(timer));
        } else if (TAKT_JOBS && timer->state == TAKTI_BLOCKED_JOB) {
            takti_job_release_due(takti_timer_task(timer));
        } else {
            serve(timer, lock);
        }
        takt_port_leave(lock);
        (void)takt_port_enter();
        timer = timers->due;
    } while (timer != NULL);
}

#endif

/* The synchronous first release. */
void takti_timers_serve(uint64_t now_ns, uint32_t lock)
{
#if TAKT_ENGINE_RTM
    (void)now_ns; /* 0 */
    serve_due(lock);
#else
    while (takti_timers_first_ns() <= now_ns) {
        serve_first(&takti_kernel.timers, lock);
    }
#endif
}

/* Serves the timers that the one-shot was armed for, and those that have expired when it is armed again. */
void takti_timer_interrupt(void)
{
    uint32_t lock = TAKT_PORT_ENTERED;
    if (TAKTI_TELLS_INTERRUPTS) {
        takti_interrupt_enter(takt_port_now_ns(), TAKT_TRACE_TIMER);
    }
#if TAKT_ENGINE_RTM
    serve_due(lock);
    if (TAKT_COOPERATIVE || !takti_kernel.timers.running) { /* nothing else updates the one-shot */
        (void)takti_ready_first(&takti_kernel.ready);
    }
#else
    struct takti_timers *timers = &takti_kernel.timers;
    TAKT_ASSERT(takti_timers_first_ns() <= takt_port_now_ns());
    do { /* at most one iteration per expiry */
        serve_first(timers, lock);
    } while (TAKTI_UNLIKELY(!takt_port_timer_set(first_ns())));
#endif
    bool other = takti_kernel.ready.next != takti_kernel.ready.running || takti_slice_over();
    if (!TAKT_SINGLE_PATH && !TAKT_COOPERATIVE && other) {
        takt_port_pend_switch();
    }
    if (TAKTI_TELLS_INTERRUPTS) {
        takti_interrupt_exit(TAKT_TRACE_TIMER);
    }
    if (TAKT_SINGLE_PATH) {
        (void)takti_reschedule(lock);
    } else {
        takt_port_leave(lock);
    }
}

/*
 * A delay is a wait in no queue, which the timer interrupt recognizes by the state. `directly`: arm_as is inlined. With
 * TAKT_SINGLE_PATH: an ordinary timed wait.
 */
static inline __attribute__((always_inline)) void sleep_until(uint64_t until_ns, bool directly)
{
    if (TAKTI_QUIET) {
        struct takt_task *task = takti_block(NULL, TAKTI_BLOCKED_DELAY, TAKT_TRACE_NO_OBJECT);
        takti_timer_arm(&task->timer, until_ns);
        (void)takti_leave(task);
        return;
    }
    if (TAKT_SINGLE_PATH) {
        (void)takti_wait_until(NULL, TAKT_TRACE ? TAKT_TRACE_NO_OBJECT : 0, until_ns);
        return;
    }
    struct takt_task *task = takti_block(NULL, TAKTI_BLOCKED_DELAY, TAKT_TRACE_NO_OBJECT);
    if (TAKTI_HINTS && TAKTI_UNLIKELY(task->holds != TAKTI_HOLDS)) {
        takti_sleep_slow_path(until_ns, task);
        return;
    }
    uint32_t state = TAKTI_BLOCKED_DELAY;
    __asm("" : "+r"(state)); /* one register for both uses */
    task->timer.state = (uint8_t)state;
    if (TAKT_TRACE) {
        task->wait_queue = NULL; /* here the timer interrupt reads it */
    }
    if (directly) {
        arm_as(&task->timer, until_ns, state);
    } else {
        takti_timer_arm(&task->timer, until_ns);
    }
    (void)takti_leave(task); /* always TAKT_TIMEOUT, the end of the delay */
}

void takt_delay_until(uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    if (until_ns > takt_port_now_ns()) {
        sleep_until(until_ns, true);
        return;
    }
    takt_port_leave(lock);
}

void takt_delay(uint64_t duration_ns)
{
    uint32_t lock = takt_port_enter();
    uint64_t now_ns = takt_port_now_ns();
    (void)lock;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && duration_ns < TAKT_FOREVER - now_ns);
    sleep_until(now_ns + duration_ns, false);
}
