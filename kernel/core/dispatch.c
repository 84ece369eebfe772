/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatching: selection, the switch, time slices, idle. */
#include "kernel/core/interrupt.h"
#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"
#include "kernel/process/process.h"

struct takti_kernel takti_kernel;

/* The time since the last charge was the kernel's, which kept slices and budgets. The next charge subtracts what this
 * one adds. */
static void charge_nobody(void)
{
    if (TAKT_TRACE) {
        if (*takti_kernel.interrupts == 0) {
            takti_kernel.ready.running->trace->execution_ns += TAKT_PORT_CHARGE_NS;
        }
        takti_charge_from_now();
    }
}

static uint64_t quantum_ns(const struct takt_task *task)
{
    const uint64_t *quanta_ns = takti_kernel.system->level_quanta_ns;
    return quanta_ns == NULL || task == &takti_kernel.idle
               ? 0
               : quanta_ns[takti_level_index(&takti_kernel.ready, task->level)];
}

bool takti_slice_ended(void)
{
    return !takti_timer_armed(takti_kernel.slice) && quantum_ns(takti_kernel.ready.running) != 0;
}

static void slice_enter(struct takt_task *task)
{
    uint64_t quantum = quantum_ns(task);
    if (quantum != 0) {
        uint64_t length_ns = *task->slice_left_ns == 0 ? quantum : *task->slice_left_ns;
        takti_timer_arm(takti_kernel.slice, takt_port_now_ns() + length_ns);
    }
}

/* The time slice is over. By now the task may have lost the processor, or inherited a level without slices. */
void takti_slice_due(void)
{
    struct takt_task *running = takti_kernel.ready.running;
    if (running->timer.state == TAKTI_READY && quantum_ns(running) != 0) {
        takti_ready_remove(running);
        (void)takti_ready_insert(running, TAKTI_LAST);
    }
}

/*
 * Saves the rest of the slice of the running task, which is switched out; a task that blocks starts a new slice, and a
 * task whose slice is over, although the timer was not served yet, yields.
 */
static void slice_leave(struct takt_task *task)
{
    *task->slice_left_ns = 0;
    if (takti_timer_armed(takti_kernel.slice)) {
        uint64_t end_ns = takti_kernel.slice->at_ns;
        uint64_t now_ns = takt_port_now_ns();
        if (end_ns <= now_ns) {
            takti_slice_due();
        } else if (task->timer.state == TAKTI_READY || task->timer.state == TAKTI_SUSPENDED) {
            *task->slice_left_ns = end_ns - now_ns;
        }
        takti_timer_remove(takti_kernel.slice);
    }
}

static void slice_switch(struct takt_task *next)
{
    struct takt_task *from = takti_kernel.ready.running;
    if (!takti_has_slices() || (next == from && !takti_slice_over())) {
        return;
    }
    takti_charge_now();
    if (next == from) {
        *from->slice_left_ns = 0; /* its slice ended and it has no equals: a new one begins */
    } else {
        slice_leave(from);
    }
    slice_enter(next);
    charge_nobody();
}

/* Budgets are not charged during the work of a switch. */
static void budget_leave(void)
{
    if (TAKT_BUDGETS) {
        takti_budget_pause(takt_port_now_ns());
    }
}

static void budget_switch(const struct takt_task *next)
{
    if (TAKT_BUDGETS) {
        takti_charge_now();
        takti_budget_switch(next);
        charge_nobody();
    }
}

/* Ports without it have tasks whose stacks are not where the configuration says. */
#ifdef TAKT_PORT_STACK_POINTER
#define CHECKS_STACK_POINTER TAKT_ASSERTIONS
#else
#define CHECKS_STACK_POINTER 0
#define TAKT_PORT_STACK_POINTER(task) 0u
#endif

/* A stopped task's stack may be the caller's again. */
static TAKTI_NOINLINE_HOT void stack_left(const struct takt_task *task)
{
    if (task->timer.state != TAKTI_DORMANT) {
        takt_fault_raise(TAKT_FAULT_STACK, NULL, 0, (uintptr_t)task->config->stack);
    }
}

/* Checks the guard word of the stack of `task`, which belongs to no process, and that its stack pointer is in the
 * stack: a large frame may have passed over the guard. Returns whether one of them is wrong. */
static inline bool has_left_stack(const struct takt_task *task, uintptr_t stack_pointer)
{
    const struct takt_task_config *config = task->config;
    bool left = false;
    if (CHECKS_STACK_POINTER && !TAKT_PROCESSES) {
        uintptr_t size = config->stack_size;
        uintptr_t stack = (uintptr_t)config->stack;
        TAKTI_PAIR(size, stack);
        left = stack_pointer - stack > size;
    }
    bool full = TAKT_STACK_CHECKS && *(const uint32_t *)config->stack != TAKT_FAULT_MAGIC;
    return TAKTI_UNLIKELY(left || full);
}

static void check_stack(const struct takt_task *task, uintptr_t stack_pointer)
{
    if (has_left_stack(task, stack_pointer)) {
        stack_left(task);
    }
}

/* Checks the stack of `from` at a switch to `next`. Returns the task to run: another one if `from` overflowed its
 * stack, which ends its process. The port guards such a stack. */
static inline struct takt_task *stack_checked(struct takt_task *from, uintptr_t stack_pointer, struct takt_task *next)
{
    const struct takt_task_config *config = from->config;
    if (takti_process_of(from) != NULL) {
        uintptr_t above = stack_pointer - (uintptr_t)config->stack;
        return CHECKS_STACK_POINTER && TAKTI_UNLIKELY(above > config->stack_size)
                   ? takti_process_stack_left(from, stack_pointer, next)
                   : next;
    }
    check_stack(from, stack_pointer);
    return next;
}

/* `from`, which runs, is switched out: it is charged up to now. */
static inline void trace_run(struct takt_task *from, const struct takt_task *next)
{
    if (TAKT_TRACE) {
        takti_charge_switch(from, takti_trace_task_inline(TAKT_EVENT_RUN, next, TAKT_TRACE_NO_OBJECT, 0));
    }
}

static inline struct takt_task *switch_prepare(struct takt_task *next, uintptr_t stack_pointer)
{
    struct takt_task *from = takti_kernel.ready.running;
    if (next != from) {
        next = stack_checked(from, stack_pointer, next);
        budget_leave();
    }
    slice_switch(next);
    if (next != from) {
        budget_switch(next);
        trace_run(from, next);
    }
    return next;
}

/*
 * switch_prepare where it is nothing but records of one time: of `from`, which runs, unless the event is
 * TAKT_EVENT_RUN, and of the switch. False: nothing was done, the stack is wrong or the records have no room.
 */
static inline bool switch_at_once(struct takt_task *from, const struct takt_task *next, uintptr_t stack_pointer,
                                  enum takt_event event)
{
    unsigned first = event == TAKT_EVENT_RUN ? 0 : 1;
    if (takti_has_slices() || has_left_stack(from, stack_pointer)) {
        return false;
    }
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    struct takt_trace_record *record = takti_kernel.trace->next;
    if (!(first == 0 ? takti_trace_has_room(record, era) : takti_trace_has_room_for(2, record, era))) {
        return false;
    }
    takti_kernel.trace->next = record + first + 1;
    if (first != 0) {
        takti_trace_fill_of(record, ticks, event, from, TAKT_TRACE_NO_OBJECT);
    }
    takti_trace_fill_of(record + first, ticks, TAKT_EVENT_RUN, next, TAKT_TRACE_NO_OBJECT);
    takti_charge_switch(from, ticks);
    return true;
}

/*
 * Work of slices, trace and checks at a switch from the running task, the caller, to `next`. Returns the task to run.
 */
struct takt_task *takti_switch_prepare(struct takt_task *next)
{
    return switch_prepare(next, CHECKS_STACK_POINTER ? TAKT_PORT_STACK_POINTER(takti_kernel.ready.running) : 0);
}

/* takti_switch_to of a system that has time slices, where nothing else is to be done at a switch. */
TAKTI_NOINLINE_HOT enum takt_status takti_switch_sliced(struct takt_task *next, struct takt_task *from)
{
    slice_switch(next);
    takti_runs(next, 0);
    return takt_port_switch(next, from, 0);
}

static TAKTI_NOINLINE_HOT enum takt_status traced_slow_path(struct takt_task *next, struct takt_task *from)
{
    next = takti_switch_prepare(next);
    takti_runs(next, 0);
    return takt_port_switch(next, from, 0);
}

static TAKTI_NOINLINE_HOT enum takt_status delayed_slow_path(struct takt_task *next, struct takt_task *from)
{
    takti_trace(TAKT_EVENT_BLOCK, from, TAKT_TRACE_NO_OBJECT, 0);
    return traced_slow_path(next, from);
}

enum takt_status takti_switch_traced(struct takt_task *next, struct takt_task *from)
{
    uintptr_t stack_pointer = CHECKS_STACK_POINTER ? TAKT_PORT_STACK_POINTER(from) : 0;
    if (!TAKTI_SWITCHES_AT_ONCE || !switch_at_once(from, next, stack_pointer, TAKT_EVENT_RUN)) {
        return traced_slow_path(next, from);
    }
    takti_runs(next, 0);
    return takt_port_switch(next, from, 0);
}

enum takt_status takti_switch_delayed(struct takt_task *next, struct takt_task *from)
{
    uintptr_t stack_pointer = CHECKS_STACK_POINTER ? TAKT_PORT_STACK_POINTER(from) : 0;
    if (!TAKTI_SWITCHES_AT_ONCE || !switch_at_once(from, next, stack_pointer, TAKT_EVENT_BLOCK)) {
        return delayed_slow_path(next, from);
    }
    takti_runs(next, 0);
    return takt_port_switch(next, from, 0);
}

static inline struct takt_task *pended_general(void)
{
    struct takt_task *next = takti_kernel.ready.next;
    if (TAKTI_SWITCH_HOOK) {
        const struct takt_task *from = takti_kernel.ready.running;
        bool checks = CHECKS_STACK_POINTER && TAKT_PROCESSES;
        next = switch_prepare(next, checks ? TAKT_PORT_STACK_POINTER(from) : (uintptr_t)from->stack_pointer);
    }
    takti_runs(next, 0);
    return next;
}

static TAKTI_NOINLINE_HOT struct takt_task *pended_slow_path(void)
{
    return pended_general();
}

/* Called by the port after an interrupt requested a switch; returns the task to run. */
struct takt_task *takti_switch_pended(void)
{
    if (!TAKTI_SWITCHES_AT_ONCE) {
        return pended_general();
    }
    struct takt_task *next = takti_kernel.ready.next;
    struct takt_task *from = takti_kernel.ready.running;
    if (next == from || !switch_at_once(from, next, (uintptr_t)from->stack_pointer, TAKT_EVENT_RUN)) {
        return pended_slow_path();
    }
    takti_runs(next, 0);
    return next;
}

/* In an interrupt: requests the switch to takti_kernel.ready.next. Opens the lock. Always TAKT_OK. */
enum takt_status takti_switch_later(uint32_t lock)
{
    TAKT_ASSERT(takti_allowed(lock)); /* for calls that do not check earlier */
    takt_port_pend_switch();
    takt_port_leave(lock);
    return TAKT_OK;
}

/* takti_ready_switch for a task that is no better than `next`, or was not compared with it. */
enum takt_status takti_ready_general(struct takt_task *task, uint32_t lock)
{
    if (TAKTI_COMPARES_FIRST && !TAKT_SINGLE_PATH) {
        (void)takti_ready_insert(task, TAKTI_LAST);
    } else if (takti_ready_add(task)) {
        return takti_switch(lock);
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

/* Compiled for size: not inlined, although calls in the same file would save the lock argument. */
static TAKTI_NOINLINE_SIZE enum takt_status reschedule(uint32_t lock)
{
    if (!TAKT_COOPERATIVE && takti_kernel.timers.running) {
        uint32_t caller = takt_port_caller(lock);
        struct takt_task *running = takti_kernel.ready.running;
        struct takt_task *next = takti_select();
        takti_kernel.ready.next = next;
        if (next != running && caller == 0) {
            return takti_switch_to(next, running, caller);
        }
        if (caller == 0 && takti_slice_over()) {
            (void)takti_switch_prepare(running);
        } else if (caller != 0 && (next != running || takti_slice_over())) {
            takt_port_pend_switch();
        }
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

/* The same in any context: switches, or requests the switch. Opens the lock. Always TAKT_OK. */
extern inline TAKTI_INLINE_ONE_CALLER enum takt_status takti_reschedule(uint32_t lock)
{
    return reschedule(lock);
}

__attribute__((weak)) void takt_hook_idle(void)
{
}

static void idle_once(void)
{
    takt_hook_idle();
#if TAKT_PROCESSES
    if (TAKTI_UNLIKELY(takti_admission() != NULL) && *takti_admission()->state->asked) {
        takti_admission()->threads->prove();
    }
#endif
    uint32_t lock = takt_port_enter();
    if (!TAKT_COOPERATIVE || takti_ready_first() == &takti_kernel.idle) {
        takt_port_idle(takti_timers_first_ns());
    }
    takt_port_serve_idle();
    takt_port_leave(lock);
}

_Noreturn void takti_idle(void)
{
    for (;;) { /* the kernel never ends the system */
        idle_once();
    }
}

/* Cooperative: jobs run to completion, one after another, on the idle task's stack (the seed's NOS). */
_Noreturn void takti_cooperate(void)
{
    for (;;) {
        uint32_t lock = takt_port_lock();
        struct takt_task *task = takti_ready_first();
        if (task == &takti_kernel.idle) {
            takt_port_unlock(lock);
            idle_once();
            continue;
        }
        trace_run(takti_kernel.ready.running, task);
        takti_kernel.ready.running = task;
        takt_port_unlock(lock);
        task->config->entry(task->config->argument);
        lock = takt_port_lock();
        check_stack(&takti_kernel.idle, CHECKS_STACK_POINTER ? TAKT_PORT_STACK_POINTER(&takti_kernel.idle) : 0);
        TAKT_ASSERT((task->holds & TAKTI_HOLDS_COUNT) == 0);
        takti_charge_now();
        takti_kernel.ready.running = &takti_kernel.idle;
        if (TAKTI_HAS_JOBS(task->config)) {
            takti_job_end(task);
        }
        if (!TAKTI_HAS_JOBS(task->config) || task->holds == 0) { /* done, or stopped meanwhile */
            takti_task_end(task);
        }
        if (takti_ready_first() == &takti_kernel.idle) {
            takti_trace(TAKT_EVENT_RUN, &takti_kernel.idle, TAKT_TRACE_NO_OBJECT, 0);
        }
        takt_port_unlock(lock);
    }
}

struct takt_task *takt_task_running(void)
{
    struct takt_task *running = takti_kernel.ready.running;
    return running == &takti_kernel.idle ? NULL : running;
}

static inline void yield_general(struct takt_task *task, uint32_t lock)
{
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_trace(TAKT_EVENT_YIELD, task, TAKT_TRACE_NO_OBJECT, 0);
    if (!TAKT_COOPERATIVE && TAKT_SINGLE_PATH && (!TAKTI_OPTIMIZE_SIZE || !TAKT_SLICES)) {
        if (!takti_in_edf(&takti_kernel.ready, task) && !takti_ready_alone(task)) {
            takti_budget_yield(task);
        }
        takti_ready_remove(task);
        (void)takti_ready_insert(task, TAKTI_LAST);
        (void)takti_reschedule(lock);
        return;
    }
    if (TAKT_COOPERATIVE) {
        if (task->timer.state == TAKTI_READY) { /* a job may have suspended itself */
            takti_ready_remove(task);
            (void)takti_ready_insert(task, TAKTI_LAST);
        }
    } else if (!takti_in_edf(&takti_kernel.ready, task)) {
        if (!takti_ready_alone(task)) {
            takti_budget_yield(task);
            struct takt_task *next = takti_ready_rotate(task);
            takti_kernel.ready.next = next;
            (void)takti_switch_to(next, task, 0);
            return;
        }
    }
    takt_port_leave(lock);
}

static TAKTI_NOINLINE_HOT void yield_slow_path(uint32_t lock)
{
    yield_general(takti_kernel.ready.running, lock);
}

/* The records of a yield have no room for both. */
static TAKTI_NOINLINE_HOT void yield_one_by_one(struct takt_task *task)
{
    takti_trace_inline(TAKT_EVENT_YIELD, task, TAKT_TRACE_NO_OBJECT, 0);
    struct takt_task *next = takti_ready_rotate(task);
    takti_kernel.ready.next = next;
    trace_run(task, next);
    takti_runs(next, 0);
    (void)takt_port_switch(next, task, 0);
}

/*
 * The running task, which has equals, yields to the next one. Returns false if there is anything else to do: without
 * calls this saves no registers. An interrupt has another stack, so the check of the stack is also the assertion that a
 * task calls.
 */
static inline bool yield_at_once(struct takt_task *task, uint32_t lock)
{
    bool interrupts = !CHECKS_STACK_POINTER && takt_port_caller(lock) != 0;
    if (takti_has_slices() || interrupts ||
        has_left_stack(task, CHECKS_STACK_POINTER ? TAKT_PORT_STACK_POINTER(task) : 0)) {
        return false;
    }
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    struct takt_trace_record *record = takti_kernel.trace->next;
    if (!takti_trace_has_room_for(2, record, era)) {
        yield_one_by_one(task);
        return true;
    }
    struct takt_task *next = takti_ready_rotate(task);
    takti_kernel.ready.next = next;
    takti_kernel.trace->next = record + 2;
    takti_trace_fill_of(record, ticks, TAKT_EVENT_YIELD, task, TAKT_TRACE_NO_OBJECT);
    takti_trace_fill_of(record + 1, ticks, TAKT_EVENT_RUN, next, TAKT_TRACE_NO_OBJECT);
    takti_charge_switch(task, ticks);
    takti_runs(next, 0);
    (void)takt_port_switch(next, task, 0);
    return true;
}

void takt_task_yield(void)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    if (!TAKTI_SWITCHES_AT_ONCE) {
        yield_general(task, lock);
    } else if (takti_in_edf(&takti_kernel.ready, task) || takti_ready_alone(task) || !yield_at_once(task, lock)) {
        yield_slow_path(lock);
    }
}
