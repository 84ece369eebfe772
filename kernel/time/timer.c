/* SPDX-License-Identifier: Apache-2.0 */
/* Timers that expire: the timer interrupt, and delays. The engine has the armed ones. */
#include "kernel/core/interrupt.h"

void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(struct takti_call *call))
{
    uint32_t lock = takt_port_lock();
    takti_timer_cancel(&call->timer);
    call->function = function;
    takti_call_arm(call, at_ns);
    takt_port_unlock(lock);
}

struct takt_task *takti_came(struct takt_task *task)
{
    if (TAKT_JOBS && task->timer.state == TAKTI_BLOCKED_JOB) {
        takti_job_released(task);
    }
    task->timer.state = TAKTI_READY;
    return task;
}

/* Around a function that opens the lock with the value that nest returned. `lock`: what serve was called with. */
static inline uint32_t nest(uint32_t lock)
{
    return TAKT_PORT_NESTS && lock == TAKT_PORT_ENTERED ? takt_port_nest_begin() : lock;
}

static inline void nest_end(uint32_t lock)
{
    if (TAKT_PORT_NESTS && lock == TAKT_PORT_ENTERED) {
        takt_port_nest_end();
    }
}

/* Serves a timer that is neither a release nor the end of a delay. */
static TAKTI_NOINLINE_HOT void serve(struct takt_timer *timer, uint32_t lock)
{
    if (timer->state == TAKTI_TIMER_CALL) { /* not in the switch, of which a compiler makes a table */
        struct takti_call *call = TAKTI_TIMER_OWNER(timer, struct takti_call, timer);
        takt_port_leave(nest(lock));
        call->function(call);
        (void)takt_port_lock();
        nest_end(lock);
        return;
    }
    switch ((enum takti_state)timer->state) {
    case TAKTI_TIMER_DEADLINE:
        if (TAKT_JOBS) {
            takti_job_deadline_due(TAKTI_TIMER_OWNER(timer, struct takt_deadline_timer, timer)->task, nest(lock));
            nest_end(lock);
            takti_reselect(); /* a stop, or the end of inheritance by the owner */
            break;
        }
        __attribute__((fallthrough)); /* without jobs there is none: as the others that there are not */
    case TAKTI_TIMER_SLICE:
        if (TAKT_SLICES) {
            takti_slice_due();
            takti_reselect();
            break;
        }
        __attribute__((fallthrough));
    case TAKTI_TIMER_BUDGET:
        if (TAKT_BUDGETS) {
            takti_budget_due(nest(lock));
            nest_end(lock);
            takti_reselect();
            break;
        }
        __attribute__((fallthrough));
    default:
        takti_wait_end(takti_timer_task(timer), TAKT_TIMEOUT);
        takti_reselect(); /* an owner may have fallen below others */
        break;
    }
}

/*
 * Wakes the sleeping task of an expired timer. If it has ready equals it is queued behind them, and so behind `next`.
 */
static inline TAKTI_INLINE_ALWAYS void awake(struct takt_task *task)
{
    takti_budget_ready(task);
    task->timer.state = TAKTI_READY;
    uint64_t deadline_ns = takti_key_deadline_ns(task); /* one load for both */
    bool first = takti_ready_insert(task, TAKTI_LAST);
    if ((TAKT_SERVERS || first) && takti_preempts(task, deadline_ns, takti_kernel.ready.next)) {
        takti_kernel.ready.next = task;
    }
}

/* Serves an expired timer. The lock opens after it, so that any other may be cancelled; where interrupts do not nest
 * (TAKT_PORT_NESTS), only with the value of takt_port_nest_begin. */
static TAKTI_INLINE_ALWAYS TAKTI_INLINE_ONE_CALLER inline void serve_one(struct takt_timer *timer, uint32_t lock)
{
    if (!TAKT_SINGLE_PATH && !TAKTI_UNLIKELY(timer->state != TAKTI_BLOCKED_DELAY)) {
        takti_trace_inline(TAKT_EVENT_READY, takti_timer_task(timer), TAKT_TRACE_NO_OBJECT, TAKT_TIMEOUT);
        awake(takti_timer_task(timer));
    } else if (TAKT_JOBS && timer->state == TAKTI_BLOCKED_JOB) {
        takti_job_release_due(takti_timer_task(timer));
    } else {
        serve(timer, lock);
    }
    if (!TAKT_PORT_NESTS || lock != TAKT_PORT_ENTERED) {
        takt_port_leave(lock);
        (void)takt_port_enter();
    }
}

/* Serves expired timers, at most one iteration per timer. One call site takes a timer, so that the compiler keeps one
 * copy of the loop, in which `which` is not tested. */
static inline __attribute__((always_inline)) void serve_all(enum takti_take first, uint32_t lock)
{
    enum takti_take further = first == TAKTI_TAKE_START ? TAKTI_TAKE_START : TAKTI_TAKE_NEXT;
    struct takt_timer *timer;
    for (enum takti_take which = first; (timer = takti_timers_take(which)) != NULL; which = further) {
        serve_one(timer, lock);
    }
}

void takti_timers_serve(uint32_t lock)
{
    serve_all(TAKTI_TAKE_START, lock);
}

/* Whether the record of the timer's interrupt is written together with that of the task whose delay ends. */
#define BEGINS_WITH_DELAY (TAKT_TRACE && !TAKT_BUDGETS && !TAKT_SINGLE_PATH && !TAKTI_OPTIMIZE_SIZE)

/* takti_interrupt_begin and the record of the first expired timer, with one reading of the clock. False: nothing was
 * done, it ends no delay, or the records have no room. */
static inline bool begin_with_delay(struct takt_timer *timer)
{
    struct takt_task *task = takti_timer_task(timer);
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    struct takt_trace_record *record = takti_kernel.trace->next;
    if (TAKTI_UNLIKELY(timer->state != TAKTI_BLOCKED_DELAY || !takti_trace_has_room_for(2, record, era))) {
        return false;
    }
    takti_kernel.trace->next = record + 2;
    takti_trace_fill(record, ticks, TAKTI_TRACE_NOBODY | TAKT_EVENT_INTERRUPT, TAKT_TRACE_NO_JOB, TAKT_TRACE_TIMER);
    takti_trace_fill_of(record + 1, ticks, TAKT_EVENT_READY, task, TAKT_TRACE_NO_OBJECT | TAKT_TIMEOUT << 16);
    takti_charge_interrupted(ticks, 0);
    *takti_kernel.interrupts = 1;
    return true;
}

/* takti_interrupt_begin and all expired timers. After the first one the lock opens only if it ends no delay. */
static inline void begin_and_serve(uint32_t lock)
{
    if (!BEGINS_WITH_DELAY && !TAKT_PORT_NESTS) {
        if (!TAKTI_OPTIMIZE_SIZE) {
            takti_interrupt_begin(TAKT_TRACE_TIMER, 0);
        } else if (TAKTI_TELLS_INTERRUPTS) {
            takti_interrupt_enter(TAKT_TRACE_TIMER);
        }
        serve_all(TAKTI_TAKE_DUE, lock);
        return;
    }
    struct takt_timer *timer = takti_timers_take(TAKTI_TAKE_DUE);
    if (BEGINS_WITH_DELAY && begin_with_delay(timer)) {
        awake(takti_timer_task(timer));
        timer = takti_timers_take(TAKTI_TAKE_NEXT);
    } else {
        takti_interrupt_begin(TAKT_TRACE_TIMER, 0);
        if (TAKT_PORT_NESTS) {
            serve_one(timer, lock);
            timer = takti_timers_take(TAKTI_TAKE_NEXT);
        }
    }
    if (TAKT_PORT_NESTS) {
        if (timer == NULL) {
            return; /* a single one costs nothing more */
        }
        lock = takt_port_nest_begin();
    }
    while (timer != NULL) { /* at most once per timer */
        serve_one(timer, lock);
        timer = takti_timers_take(TAKTI_TAKE_NEXT);
    }
    if (TAKT_PORT_NESTS) {
        takt_port_nest_end();
    }
}

/* Serves the timers that the one-shot was armed for, and those that have expired when it is armed again. */
void takti_timer_interrupt(void)
{
    uint32_t lock = TAKT_PORT_ENTERED;
    begin_and_serve(lock);
    bool other = takti_kernel.ready.next != takti_kernel.ready.running || takti_slice_over();
    if (!TAKT_SINGLE_PATH && !TAKT_COOPERATIVE && other) {
        takt_port_pend_switch();
    }
    if (!TAKTI_OPTIMIZE_SIZE) {
        takti_interrupt_end(TAKT_TRACE_TIMER, 0);
    } else if (TAKTI_TELLS_INTERRUPTS) {
        takti_interrupt_exit(TAKT_TRACE_TIMER);
    }
    if (TAKT_SINGLE_PATH) {
        (void)takti_reschedule(lock);
    } else {
        takt_port_leave(lock);
    }
}

/*
 * A delay is a wait in no queue, which the timer interrupt recognizes by the state. `directly`: with arming in line.
 * With TAKT_SINGLE_PATH: an ordinary timed wait.
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
        if (TAKTI_SWITCHES_AT_ONCE) {
            takti_trace(TAKT_EVENT_BLOCK, task, TAKT_TRACE_NO_OBJECT, 0);
        }
        takti_sleep_slow_path(until_ns, task);
        return;
    }
    uint32_t state = TAKTI_BLOCKED_DELAY;
    __asm("" : "+r"(state)); /* one register for both uses */
    task->timer.state = (uint8_t)state;
    if (directly) {
        takti_timer_arm_inline(&task->timer, until_ns, state);
    } else {
        takti_timer_arm(&task->timer, until_ns);
    }
    (void)takti_leave_as(
        task, 0, TAKTI_SWITCHES_AT_ONCE); /* TAKT_OK, or of an end in wait.c TAKT_TIMEOUT: a delay has no result */
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
