/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_KERNEL_H
#define TAKTI_KERNEL_H

/* Functions shared by the kernel's files. Called with the kernel locked unless stated otherwise. */
#include "base/arith.h"
#include "kernel/core/switch.h"
#include "kernel/engine/engine.h"
#include "takt/admission.h"

#include <string.h>

/* Whether the owner of a mutex takes the waiter's position in the ready queue: lend_position in wait.c, which keeps no
 * list of held mutexes. */
#define TAKTI_LENDS                                                                                               \
    (!TAKT_SINGLE_PATH && !TAKT_COOPERATIVE && !TAKT_TRACKS_HELD_MUTEXES && (!TAKT_EDF || TAKT_INHERITS_ORDER) && \
     !TAKTI_HINTS)

/* The task that an embedded timer belongs to. */
static inline struct takt_task *takti_timer_task(struct takt_timer *timer)
{
    return TAKTI_TIMER_OWNER(timer, struct takt_task, timer);
}

/* Arms a call that has a function and is not armed. */
static TAKT_INLINE void takti_call_arm(struct takti_call *call, uint64_t at_ns)
{
    call->timer.state = TAKTI_TIMER_CALL;
    takti_timer_arm(&call->timer, at_ns);
}

static inline void takti_timer_cancel(struct takt_timer *timer)
{
    if (takti_timer_armed(timer)) {
        takti_timer_remove(timer);
    }
}

/* Whether a task has jobs, i.e. is released repeatedly. */
#define TAKTI_HAS_JOBS(config) (TAKT_JOBS && (config)->release != TAKT_BACKGROUND)

/* The admission of the system, or NULL. */
static inline const struct takt_admission *takti_admission(void)
{
    return TAKT_JOBS ? takti_kernel.system->admission : NULL;
}

/*
 * Whether a waiting task has no timeout, was not suspended and gave no hint: `armed` is 0, and so are the lowest two
 * bits of `flags` right after it. One load and one test, which saves 2 instructions in every row with a waiter.
 */
static inline bool takti_has_plain_wait(const struct takt_task *task)
{
    _Static_assert(offsetof(struct takt_timer, flags) == offsetof(struct takt_timer, armed) + 2 &&
                       (TAKTI_FLAG_SUSPENDED | TAKTI_FLAG_HINTED) == 3 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                   "18 bits in a row");
    const uint32_t __attribute__((may_alias)) *word = (const void *)&task->timer.armed;
    return (*word & 0x3FFFFu) == 0;
}

/* Whether takti_ready_switch compares the task with `next` before the engine has it: not compiled for size. */
#define TAKTI_COMPARES_FIRST (!TAKT_EDF && !TAKT_COOPERATIVE && !TAKTI_OPTIMIZE_SIZE)

/* dispatch.c */
enum takt_status takti_switch_later(uint32_t lock);
enum takt_status takti_ready_general(struct takt_task *task, uint32_t lock);
enum takt_status takti_reschedule(uint32_t lock);
void takti_slice_due(void);
_Noreturn void takti_idle(void);
_Noreturn void takti_cooperate(void);

/* inherit.c */
void takti_key_raise(struct takt_task *task, const struct takt_task *waiter);
void takti_key_update(struct takt_task *task);
void takti_key_renew(struct takt_task *task); /* with servers, and the next */
void takti_key_follow(struct takt_task *task);
void takti_mutex_left(struct takt_mutex *mutex);
void takti_uncontend_among(struct takt_mutex *mutex);

/* wait.c */
enum takt_status takti_wait(struct takt_task **queue, uint16_t object);
enum takt_status takti_wait_until(struct takt_task **queue, uint16_t object, uint64_t until_ns);
enum takt_status takti_wait_for_mutex(struct takt_mutex *mutex);
enum takt_status takti_wait_for_mutex_until(struct takt_mutex *mutex, uint64_t until_ns);
enum takt_status takti_wait_as(enum takti_state state, struct takt_task **queue, uint16_t object, uint64_t until_ns);
void takti_wait_insert(struct takt_task *task);
void takti_wait_remove(struct takt_task *task);
void takti_lock_later(struct takt_task *task, struct takt_mutex *mutex);
void takti_lock_next(struct takt_task *task, struct takt_mutex *mutex, struct takt_task *before);
bool takti_wake(struct takt_task *task, enum takt_status status);
enum takt_status takti_wake_slow_path(struct takt_task *task, uint32_t lock);
bool takti_wake_first(struct takt_task **queue);
void takti_wake_all(struct takt_task **queue, enum takt_status status);
void takti_delete(struct takt_task **queue, struct takt_task **other, uint16_t object, uint32_t lock);
struct takt_mutex *takti_wait_leave(struct takt_task *task);
void takti_sleep_slow_path(uint64_t until_ns, struct takt_task *task);

/* interrupt.c */
void takti_charge(uint32_t ticks);
void takti_charge_now(void);
void takti_charge_from_now(void);
void takti_trace_era(uint32_t ticks);
uint32_t takti_ticks_now(void); /* of the era that the trace knows then */
void takti_interrupt_enter(uint16_t number);
void takti_interrupt_exit(uint16_t number);

/* job.c */
void takti_job_end(struct takt_task *task);
void takti_job_release_due(struct takt_task *task);
void takti_job_deadline_due(struct takt_task *task, uint32_t lock);
bool takti_job_arrive(struct takt_task *task); /* compiled for size: or NULL */
void takti_job_abandon(struct takt_task *task);
bool takti_job_late(const struct takt_task *task, uint64_t now_ns);
void takti_job_released(struct takt_task *task); /* as takti_job_release_due, of one that is in the ready queue */
uint32_t takti_job_behind(const struct takt_task *task, uint64_t now_ns, uint64_t until_ns);

/* Releases a job of an object's trigger; NULL: does nothing. Returns whether another task should run now. */
static inline bool takti_trigger(struct takt_task *trigger)
{
    return TAKT_JOBS && (TAKTI_OPTIMIZE_SIZE || trigger != NULL) && takti_job_arrive(trigger);
}

bool takti_is_thread(const struct takt_task *task); /* with quotas: process.c, or unprotected.c */

/* quota.c: frees the slot of a stopped thread or a deleted object, if a process created it */
#if TAKT_QUOTAS
void takti_task_ended(struct takt_task *task);
void takti_object_deleted(const void *object);
#else
#define takti_task_ended(task) ((void)(task))
#define takti_object_deleted(object) ((void)(object))
#endif

/* For a process, requirements on the caller are checked before the call and not asserted in it. */
#if TAKT_PROCESSES
#define TAKTI_CHECKS
bool takti_ceiling_for_caller(const struct takt_ceiling *ceiling, uint32_t lock);
bool takti_watchdog_valid(const struct takt_watchdog *watchdog);
#else
#define TAKTI_CHECKS static
#endif

/* alarm.c */
bool takti_alarm_came(struct takt_alarm *alarm);

/* task.c */
bool takti_task_start(struct takt_task *task, const struct takt_task_config *config);
bool takti_task_stop(struct takt_task *task);
void takti_task_end(struct takt_task *task);
bool takti_last_unlock(struct takt_task *task);
bool takti_stops_later(const struct takt_task *task);

/* A wait for `mutex`, or for something else (NULL), was abandoned. Another task may be the best afterwards. */
static inline void takti_wait_abandoned(struct takt_mutex *mutex)
{
    if (mutex != NULL) {
        if (TAKTI_OPTIMIZE_SIZE) { /* a system without mutexes is linked without inheritance */
            (*takti_kernel.mutex_left)(mutex);
        } else {
            takti_mutex_left(mutex);
        }
    }
}

/* Ends a wait without what it was for: by its timeout, or from outside. */
static inline void takti_wait_end(struct takt_task *task, enum takt_status status)
{
    struct takt_mutex *mutex = takti_wait_leave(task);
    (void)takti_wake(task, status);
    takti_wait_abandoned(mutex);
}

/* Notes that a task sleeps or was suspended: ends hinted waits ahead of a lock for it, direct or not. Returns whether
 * there may have been one. */
static inline bool takti_on_owner_blocked(const struct takt_task *task)
{
    if (TAKTI_HINTS && TAKTI_UNLIKELY(task->timer.contended != NULL) && takti_hints() != NULL) {
        takti_hints()->rest(task);
        return true;
    }
    return false;
}

/* The current time; 0 until the start sets the port's clock to 0, although that may run before. */
static inline uint64_t takti_clock_ns(void)
{
    return takti_kernel.clock_runs ? takt_port_now_ns() : 0;
}

/* The last step of a call that needs nothing after its record of `task`: opens the lock. Always TAKT_OK. */
static inline enum takt_status takti_trace_leave_of(enum takt_event event, const struct takt_task *task,
                                                    unsigned object, uint32_t lock)
{
    if (TAKT_TRACE && !TAKTI_OPTIMIZE_SIZE) {
        return takti_trace_write_last(takti_trace_identity(task) | (uint32_t)event, takti_trace_job(task), object,
                                      lock);
    }
    takti_trace(event, task, object, 0);
    takt_port_leave(lock);
    return TAKT_OK;
}

static inline enum takt_status takti_trace_leave(enum takt_event event, uint32_t lock, unsigned object)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        takti_trace_call(event, lock, object, 0);
        takt_port_leave(lock);
        return TAKT_OK;
    }
    return takti_trace_leave_of(event, TAKT_TRACE ? takti_caller(lock) : NULL, object, lock);
}

/*
 * Variables of a blocked call: on the stack of the running task; where a call is a trap, which ends before the wait, in
 * the task.
 */
#define TAKTI_KEPT(type, name)                                                                               \
    type name##_kept;                                                                                        \
    type *const name = TAKT_PROCESSES ? (void *)takti_kernel.ready.running->in_process->kept : &name##_kept; \
    _Static_assert(!TAKT_PROCESSES || sizeof(type) <= sizeof takti_kernel.idle.in_process->kept, "it fits")

/* The end of a try to send, which found no room: unlocks. wait.c */
enum takt_status takti_refuse_traced(uint32_t lock, unsigned object);
static inline enum takt_status takti_refuse(uint32_t lock, unsigned object)
{
    if (TAKT_TRACE) {
        return takti_refuse_traced(lock, object);
    }
    takt_port_leave(lock);
    return TAKT_BUSY;
}

/* Copies a message. Two tasks of a process may pass overlapping buffers, whose contents are then undefined. */
static inline void takti_copy_message(void *to, const void *from, uint32_t size)
{
    if (TAKT_PROCESSES) {
        (void)memmove(to, from, size);
    } else {
        (void)memcpy(to, from, size);
    }
}

/* Sets the result of the switch in which a task waits. */
static inline void takti_result_set(struct takt_task *task, enum takt_status status)
{
    *(uint32_t *)task->stack_pointer = status;
}

/* Whether the caller is a task, or an interrupt that may call the kernel. For assertions. */
static inline bool takti_allowed(uint32_t lock)
{
    return !TAKT_TRACE || takt_port_caller(lock) == 0 || *takti_kernel.interrupts != 0;
}

static inline void takti_wait_object_set(struct takt_task *task, uint16_t object)
{
    if (TAKT_TRACE) {
        task->trace->wait_object = object;
    }
}

static inline uint16_t takti_wait_object(const struct takt_task *task)
{
    return TAKT_TRACE ? task->trace->wait_object : 0;
}

/* The task that should run. Among equal deadlines of one edf level the running task stays. */
static inline TAKTI_INLINE_ONE_CALLER struct takt_task *takti_select(void)
{
    struct takt_task *best = takti_ready_first();
    if (TAKT_EDF) {
        struct takt_task *running = takti_kernel.ready.running;
        if (best != running && best->level == running->level && running->timer.state == TAKTI_READY &&
            takti_in_edf(&takti_kernel.ready, best) && takti_key_deadline_ns(best) == takti_key_deadline_ns(running)) {
            return running;
        }
    }
    return best;
}

/* In an interrupt, after changes that can make any task the best one, before the lock opens. With TAKT_SINGLE_PATH the
 * end of the interrupt selects. */
static inline void takti_reselect(void)
{
    if (!TAKT_SINGLE_PATH) {
        takti_kernel.ready.next = takti_select();
    }
}

/* Blocks the running task; not in an interrupt, which the callers assert. */
static inline struct takt_task *takti_block(struct takt_task **queue, enum takti_state state, uint16_t object)
{
    struct takt_task *task = takti_kernel.ready.running;
    TAKT_ASSERT(takti_kernel.timers.running && task != &takti_kernel.idle && !TAKT_COOPERATIVE);
    takti_ready_remove(task);
    if (TAKT_SINGLE_PATH || state != TAKTI_BLOCKED_DELAY) { /* otherwise timer.c sets it, and the queue is not read */
        task->timer.state = (uint8_t)state;
        task->wait_queue = queue;
    }
    takti_wait_object_set(task, object);
    if (!TAKTI_SWITCHES_AT_ONCE || state != TAKTI_BLOCKED_DELAY) { /* otherwise takti_switch_delayed */
        takti_trace(TAKT_EVENT_BLOCK, task, object, 0);
    }
    return task;
}

/* takti_wait_until with `buffer`, which describes what the call waits for, or is its destination. */
static inline enum takt_status takti_wait_with(const void *buffer, struct takt_task **queue, uint16_t object,
                                               const uint64_t *until_ns)
{
    takti_kernel.ready.running->wait_buffer = (void *)(uintptr_t)buffer; /* the waking call knows whether to write */
    return takti_wait_until(queue, object, *until_ns);
}

/* The same behind all waiters of an object whose waiters are in FIFO order, also if its key changes. `in_turn`: the
 * object's member. */
static inline enum takt_status takti_wait_in_order(const bool *in_turn, const void *buffer, struct takt_task **queue,
                                                   uint16_t object, const uint64_t *until_ns)
{
    if (TAKT_FIFO_WAITERS && *in_turn) {
        takti_kernel.ready.running->wait_buffer = (void *)(uintptr_t)buffer;
        return takti_wait_as(TAKTI_BLOCKED_FIFO, queue, object, *until_ns);
    }
    return takti_wait_with(buffer, queue, object, until_ns);
}

/* Switches from the running task, which is no longer ready, to the best one; as takt_port_switch. `caller`: a task. */
static inline enum takt_status takti_leave_as(struct takt_task *task, uint32_t caller, bool delays)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        return takti_reschedule(0);
    }
    struct takt_task *next = takti_ready_first();
    if (TAKTI_SWITCHES_AT_ONCE) {
        takti_kernel.ready.next = next;
        return delays ? takti_switch_delayed(next, task) : takti_switch_traced(next, task);
    }
    if (TAKTI_SWITCH_HOOK && !TAKTI_ONLY_SLICES) {
        next = takti_switch_prepare(next);
        takti_runs(next, caller);
        takti_kernel.ready.next = next;
        return takt_port_switch(next, task, caller);
    }
    return takti_switch_last(next, task, caller);
}

static inline enum takt_status takti_leave(struct takt_task *task)
{
    return takti_leave_as(task, 0, false);
}

/*
 * `takti_kernel.ready.next` has just become better than the running task. In thread mode: switches to it, and returns
 * TAKT_OK, unlocked, when the caller runs again. In an interrupt: requests the switch, and unlocks. With
 * TAKT_SINGLE_PATH it may also be no better: takti_reschedule decides.
 */
static inline enum takt_status takti_switch(uint32_t lock)
{
    if (TAKT_SINGLE_PATH) {
        return takti_reschedule(lock);
    }
    uint32_t caller = takt_port_caller(lock);
    if (TAKTI_UNLIKELY(caller != 0)) {
        return takti_switch_later(lock);
    }
    return takti_switch_to(takti_kernel.ready.next, takti_kernel.ready.running, caller);
}

/* Ends the wait of a task: it becomes ready or suspended, or waits for a mutex. Returns whether another task should run
 * now. */
static inline bool takti_make_ready(struct takt_task *task)
{
    takti_server_key(task); /* of one that does not become ready, too */
    if (TAKTI_UNLIKELY((task->timer.flags & (TAKTI_FLAG_SUSPENDED | TAKTI_FLAG_HINTED)) != 0)) {
        if ((task->timer.flags & TAKTI_FLAG_HINTED) == 0) {
            task->timer.flags &= (uint8_t)~TAKTI_FLAG_SUSPENDED;
            task->timer.state = TAKTI_SUSPENDED;
            takti_budget_wait_ends(task); /* and another begins, which is not charged yet */
            takti_budget_waits(task);
            return TAKTI_OPTIMIZE_SIZE;
        }
        if (TAKTI_HINTS) {
            return takti_hints()->ready(task);
        }
    }
    takti_budget_ready(task);
    task->timer.state = TAKTI_READY;
    return takti_ready_add(task);
}

/*
 * Last step of a call that made `task` ready: inserts it into the ready queue and switches to it if it is better. As
 * takti_ready_add and takti_switch, but in registers. `checked`: the call has asserted takti_allowed.
 */
static inline enum takt_status takti_ready_switch(struct takt_task *task, uint32_t lock, bool checked)
{
    if (!TAKTI_COMPARES_FIRST || !takti_before(task, takti_kernel.ready.next) ||
        !takti_ready_insert(task, TAKTI_BEST)) { /* its level is empty, since `next` is the best task */
        return takti_ready_general(task, lock);
    }
    TAKTI_COMPILER_BARRIER;
    uint32_t caller = takt_port_caller(lock);
    if (TAKTI_UNLIKELY(caller != 0)) {
        takti_kernel.ready.next = task;
        if (!checked || !TAKTI_SWITCHES_AT_ONCE) {
            return takti_switch_later(lock);
        }
        takt_port_pend_switch();
        takt_port_leave(lock);
        return TAKT_OK;
    }
    return takti_switch_last(task, takti_kernel.ready.running, caller);
}

/* Last step of a call after which a trigger may release a job: takti_trigger. */
static inline enum takt_status takti_trigger_last(struct takt_task *trigger, uint32_t lock)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        (void)takti_trigger(trigger);
        return takti_reschedule(lock);
    }
    if (takti_trigger(trigger)) {
        return takti_switch(lock);
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

/* The same for a waiter that is in the trace as ready; it has no timeout any more, was not suspended, gave no hint. */
static inline enum takt_status takti_wake_plain(struct takt_task *task, uint32_t lock, bool checked)
{
    takti_budget_ready(task);
    task->timer.state = TAKTI_READY;
    return takti_ready_switch(task, lock, checked);
}

/* Last step of a call that hands an item over to a task that has left its queue: takti_hand. */
static inline enum takt_status takti_wake_last(struct takt_task *task, uint32_t lock)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        (void)takti_hand(task);
        return takti_reschedule(lock);
    }
    if (TAKTI_UNLIKELY(!takti_has_plain_wait(task))) {
        return takti_wake_slow_path(task, lock);
    }
    takti_trace_inline(TAKT_EVENT_READY, task, takti_wait_object(task), TAKT_OK);
    takti_budget_ready(task);
    task->timer.state = TAKTI_READY;
    return takti_ready_switch(task, lock, false);
}

#endif
