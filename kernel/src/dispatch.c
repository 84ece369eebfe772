/* SPDX-License-Identifier: Apache-2.0 */
/* Who runs: selection, the switch, time slices, idle. */
#include "kernel/src/kernel.h"

struct takti_kernel takti_kernel;

void takti_make_ready(struct takt_task *task, bool first)
{
    task->state = TAKTI_READY;
    if (!task->suspended) {
        takti_ready_insert(task, first);
    }
}

void takti_make_unready(struct takt_task *task)
{
    if (task->state == TAKTI_READY && !task->suspended) {
        takti_ready_remove(task);
    }
}

/* The task to run now. Among equal deadlines of one edf level the running task stays. */
static struct takt_task *select_task(void)
{
    struct takt_task *running = takti_kernel.running;
    struct takt_task *best = takti_ready_first();
    if (best == NULL) {
        return &takti_kernel.idle;
    }
    if (best != running && best->level == running->level && running->state == TAKTI_READY && !running->suspended &&
        takti_is_edf(best->level) && best->key_deadline_ns == running->key_deadline_ns) {
        return running;
    }
    return best;
}

static uint64_t quantum_ns(const struct takt_task *task)
{
    const uint64_t *quanta_ns = takti_kernel.system->level_quanta_ns;
    return quanta_ns == NULL || task == &takti_kernel.idle ? 0 : quanta_ns[task->level];
}

static const uint64_t *slice_end_ns(void)
{
    return &takti_kernel.idle.timers_ns[TAKTI_TIMER_SLICE];
}

/* Whether the running task's slice is over and it needs a new one. */
static bool slice_over(void)
{
    return *slice_end_ns() == TAKT_FOREVER && quantum_ns(takti_kernel.running) != 0;
}

static void slice_enter(struct takt_task *task)
{
    uint64_t quantum = quantum_ns(task);
    if (quantum != 0) {
        uint64_t length_ns = task->slice_left_ns == 0 ? quantum : task->slice_left_ns;
        takti_timer_arm(&takti_kernel.idle, (enum takti_timer)TAKTI_TIMER_SLICE, takt_port_now_ns() + length_ns);
    }
}

/* The running task goes behind its equals. */
static void give_way(struct takt_task *task)
{
    takti_ready_remove(task);
    takti_ready_insert(task, false);
}

/* The time slice is over. By now the task may have lost the processor, or inherited a level without slices. */
void takti_slice_due(void)
{
    struct takt_task *running = takti_kernel.running;
    if (running->state == TAKTI_READY && !running->suspended && quantum_ns(running) != 0) {
        give_way(running);
    }
}

/*
 * Saves what is left of the slice of the running task, which leaves the processor; one that blocks starts a new one,
 * and one whose slice is over, though the timer was not served yet, gives way.
 */
static void slice_leave(struct takt_task *task)
{
    uint64_t end_ns = *slice_end_ns();
    task->slice_left_ns = 0;
    if (end_ns != TAKT_FOREVER) {
        uint64_t now_ns = takt_port_now_ns();
        if (end_ns <= now_ns) {
            takti_slice_due();
        } else if (task->state == TAKTI_READY) {
            task->slice_left_ns = end_ns - now_ns;
        }
        takti_timer_cancel(&takti_kernel.idle, (enum takti_timer)TAKTI_TIMER_SLICE);
    }
}

/* The time up to now is the running task's ... */
static void charge_running(void)
{
    if (TAKT_TRACE) {
        takti_charge(takt_port_now_ns());
    }
}

/* ... and the time since then the kernel's: it keeps slices. The next charge finds what it takes off by itself. */
static void charge_nobody(void)
{
    if (TAKT_TRACE) {
        takti_kernel.charged_until_ns = takt_port_now_ns() - TAKT_PORT_CHARGE_NS;
    }
}

/* The processor goes from the running task to `next`. */
static void run(struct takt_task *next)
{
    if (TAKT_TRACE) {
        uint64_t now_ns = takt_port_now_ns();
        takti_charge(now_ns);
        takti_trace_at(now_ns, TAKT_EVENT_RUN, next);
    }
    takti_kernel.running = next;
}

/* The guard word of the stack that `task` runs on. That of a stopped task may be the caller's again. */
static void check_stack(const struct takt_task *task)
{
    bool in_use = task->state != TAKTI_STOPPED || task == &takti_kernel.idle;
    if (TAKT_STACK_CHECKS && in_use && *(const uint32_t *)task->config->stack != TAKT_FAULT_MAGIC) {
        takt_fault_raise(TAKT_FAULT_STACK, NULL, 0, (uintptr_t)task->config->stack);
    }
}

static void switch_to(struct takt_task *next)
{
    struct takt_task *from = takti_kernel.running;
    if (next == from) {
        if (slice_over()) {
            from->slice_left_ns = 0; /* its slice ended and it has no equal: the next one begins */
            charge_running();
            slice_enter(from);
            charge_nobody();
        }
        return;
    }
    check_stack(from);
    if (takti_kernel.system->level_quanta_ns != NULL) {
        charge_running();
        slice_leave(from);
        slice_enter(next);
        charge_nobody();
    }
    run(next);
    takt_port_switch(from, next);
}

/* Switches to the best task, or asks for it where an interrupt is active. Every change of readiness ends here. */
void takti_reschedule(void)
{
    if (!takti_kernel.started || takti_kernel.system->cooperative) {
        return;
    }
    if (!takt_port_in_interrupt()) {
        switch_to(select_task());
        return;
    }
    TAKT_ASSERT(!TAKT_TRACE || takti_kernel.interrupts != 0); /* an interrupt that may not call the kernel did */
    if (takti_ready_first() != takti_kernel.running || slice_over()) { /* or it turns out when it is taken */
        takt_port_pend_switch();
    }
}

void takti_switch_pended(void)
{
    switch_to(select_task());
}

__attribute__((weak)) void takt_hook_idle(void)
{
}

static void idle_once(void)
{
    takt_hook_idle();
    uint32_t state = takt_port_lock();
    if (takti_ready_first() == NULL) {
        takt_port_idle(takti_kernel.programmed_ns);
    }
    takt_port_unlock(state);
}

_Noreturn void takti_idle(void)
{
    for (;;) { /* the end of the system's life is not the kernel's to decide */
        idle_once();
    }
}

/* Cooperative: jobs run to completion, one after the other, on the idle task's stack (the seed's NOS). */
_Noreturn void takti_cooperate(void)
{
    for (;;) {
        uint32_t state = takt_port_lock();
        struct takt_task *task = takti_ready_first();
        if (task == NULL) {
            takt_port_unlock(state);
            idle_once();
            continue;
        }
        run(task);
        takt_port_unlock(state);
        task->config->entry(task->config->argument);
        state = takt_port_lock();
        check_stack(&takti_kernel.idle);
        TAKT_ASSERT(task->held == NULL);
        if (TAKT_TRACE) {
            takti_charge(takt_port_now_ns());
        }
        takti_kernel.running = &takti_kernel.idle;
        if (task->config->release == TAKT_BACKGROUND) {
            takti_task_stop(task);
        } else {
            takti_job_end(task);
        }
        takti_task_stop_pending(task);
        if (takti_ready_first() == NULL) {
            takti_trace(TAKT_EVENT_RUN, &takti_kernel.idle, TAKT_TRACE_NO_OBJECT, 0);
        }
        takt_port_unlock(state);
    }
}

struct takt_task *takt_task_running(void)
{
    struct takt_task *running = takti_kernel.running;
    return running == &takti_kernel.idle ? NULL : running;
}

void takt_task_yield(void)
{
    uint32_t state = takt_port_lock();
    struct takt_task *task = takti_kernel.running;
    TAKT_ASSERT(!takt_port_in_interrupt());
    bool can_run = task->state == TAKTI_READY && !task->suspended; /* a cooperative job may have suspended itself */
    if (can_run && !takti_is_edf(task->level)) {
        give_way(task);
        takti_reschedule();
    }
    takt_port_unlock(state);
}
