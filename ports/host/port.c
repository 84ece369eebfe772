/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host port: a Linux process with virtual time. A task that executes charges time in steps up to the next event, so
 * it is preempted at the exact time. Work that ends at the time of an event ends before it.
 */
#include "kernel/port.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ports/host/host.h"
#include "ports/host/lock.h"
#include "ports/host/trap.h"
#include "takt/fault.h"
#include "takt/system.h"
#include "takt/task.h"

enum { CONTEXTS = 1024 };

struct source {       /* of an interrupt */
    uint64_t next_ns; /* UINT64_MAX: never */
    uint64_t period_ns;
    uint64_t (*gap_ns)(unsigned number);
    void (*handler)(void);
    bool kernel;
    bool masked;  /* takt_port_irq_mask */
    bool pending; /* raised meanwhile */
};

struct context_slot { /* the context that belongs to a task's storage */
    const struct takt_task *task;
    struct takt_host_context *context;
};

static struct {
    uint64_t now_ns;
    uint64_t timer_ns;
    struct source sources[TAKT_HOST_INTERRUPTS];
    uint64_t sources_ns; /* the least next_ns of them: looked at for every step of every task, and it seldom changes */
    bool in_interrupt;
    bool switch_pended;
    bool in_trap;  /* a call of a process */
    bool unmasked; /* a source that is pending may be no more masked */
} host;

static struct context_slot context_slots[CONTEXTS];
static unsigned context_count;
static struct takt_host_context *outside; /* the caller of takt_port_start */
static struct takt_host_context *current; /* whose stack is in use */
static void (*on_deadlock)(void);
static uint64_t (*on_wait)(uint64_t now_ns, uint64_t to_ns);
static jmp_buf leave_point;
#if TAKT_PROCESSES
static struct takt_host_context *trap_context; /* whose stack is the kernel's in traps */
static bool trap_begun;                        /* it waits for the next one */
#endif
static bool exiting;
static int exit_status;

void takt_host_reset(void)
{
    memset(&host, 0, sizeof host);
    memset(&takt_host_lock, 0, sizeof takt_host_lock);
    host.timer_ns = UINT64_MAX;
    host.sources_ns = UINT64_MAX;
    for (unsigned number = 0; number < TAKT_HOST_INTERRUPTS; number++) {
        host.sources[number].next_ns = UINT64_MAX;
    }
    for (unsigned context_slot = 0; context_slot < context_count; context_slot++) {
        context_slots[context_slot].task = NULL;
    }
}

static void source_set(struct source *source, uint64_t next_ns)
{
    source->next_ns = next_ns;
    host.sources_ns = UINT64_MAX;
    for (unsigned number = 0; number < TAKT_HOST_INTERRUPTS; number++) {
        if (host.sources[number].next_ns < host.sources_ns) {
            host.sources_ns = host.sources[number].next_ns;
        }
    }
}

static void source_start(unsigned number, uint64_t first_ns, uint64_t period_ns, uint64_t (*gap_ns)(unsigned))
{
    if (number >= TAKT_HOST_INTERRUPTS) {
        fprintf(stderr, "host port: interrupt %u is beyond %d\n", number, TAKT_HOST_INTERRUPTS - 1);
        exit(2);
    }
    source_set(&host.sources[number], first_ns);
    host.sources[number].period_ns = period_ns;
    host.sources[number].gap_ns = gap_ns;
}

void takt_host_interrupt_every(unsigned number, uint64_t first_ns, uint64_t period_ns)
{
    source_start(number, first_ns, period_ns, NULL);
}

void takt_host_interrupt_gaps(unsigned number, uint64_t first_ns, uint64_t (*gap_ns)(unsigned number))
{
    source_start(number, first_ns, 0, gap_ns);
}

void takt_host_on_deadlock(void (*handler)(void))
{
    on_deadlock = handler;
}

void takt_host_on_wait(uint64_t (*wait)(uint64_t now_ns, uint64_t to_ns))
{
    on_wait = wait;
}

/* The time that has come when it may advance to `to_ns`. */
static uint64_t waited_ns(uint64_t to_ns)
{
    return on_wait != NULL && to_ns > host.now_ns ? on_wait(host.now_ns, to_ns) : to_ns;
}

/* The time of the next interrupt. */
static uint64_t next_event_ns(void)
{
    uint64_t next_ns = host.timer_ns < host.sources_ns ? host.timer_ns : host.sources_ns;
    return host.unmasked ? host.now_ns : next_ns;
}

static void handle(unsigned number)
{
    const struct source *source = &host.sources[number];
    if (source->kernel) {
        takt_interrupt_enter((uint16_t)number);
    }
    source->handler();
    if (source->kernel) {
        takt_interrupt_exit((uint16_t)number);
    }
}

static void raise_source(unsigned number)
{
    struct source *source = &host.sources[number];
    uint64_t gap_ns = source->gap_ns != NULL ? source->gap_ns(number) : source->period_ns;
    bool last = gap_ns == 0 || gap_ns > UINT64_MAX - source->next_ns;
    source_set(source, last ? UINT64_MAX : source->next_ns + gap_ns);
    if (source->handler == NULL) {
        return; /* nobody attached: masked at the controller */
    }
    if (source->masked) {
        source->pending = true;
        return;
    }
    handle(number);
}

/* Takes an interrupt that came while it was masked. */
static bool deliver_unmasked(void)
{
    for (unsigned number = 0; host.unmasked && number < TAKT_HOST_INTERRUPTS; number++) {
        if (host.sources[number].pending && !host.sources[number].masked) {
            host.sources[number].pending = false;
            handle(number);
            return true;
        }
    }
    host.unmasked = false;
    return false;
}

/* Takes one interrupt that is due: the timer first, then the lowest number. False when none is. */
static bool deliver_one(void)
{
    if (host.timer_ns <= host.now_ns) {
        host.timer_ns = UINT64_MAX;
        takt_host_lock.closed = true;
        takti_timer_interrupt();
        return true;
    }
    for (unsigned number = 0; host.sources_ns <= host.now_ns; number++) { /* ends at the source that is due */
        if (host.sources[number].next_ns <= host.now_ns) {
            raise_source(number);
            return true;
        }
    }
    return deliver_unmasked();
}

static bool started(void)
{
    return current != NULL && current != outside;
}

/* Takes every interrupt that is due, then the switch that they asked for. Called unlocked in thread mode. */
static void deliver(void)
{
    host.in_interrupt = true;
    if (started()) { /* interrupts have the variables of start-up */
        takt_host_context_variables(current, outside);
    }
    while (deliver_one()) { /* bounded by virtual time: what is raised again lies later */
    }
    if (started()) {
        takt_host_context_variables(outside, current);
    }
    host.in_interrupt = false;
    if (host.switch_pended && !host.in_trap) {
        host.switch_pended = false;
        takt_host_lock.closed = true;
        struct takt_host_context *self = current;
        current = takti_switch_pended()->stack_pointer;
        if (current != self) {
            (void)takt_host_context_switch(self, current);
        }
        takt_host_lock.closed = false;
    }
}

void takt_port_init(void)
{
    if (outside == NULL) {
        outside = takt_host_context_new();
    }
    host.now_ns = 0;
    host.timer_ns = UINT64_MAX;
}

uint32_t takt_port_caller(uint32_t entered)
{
    (void)entered;
    return host.in_interrupt;
}

static struct takt_host_context *context_of(const struct takt_task *task)
{
    struct context_slot *free_slot = NULL;
    for (unsigned context_slot = 0; context_slot < context_count; context_slot++) {
        if (context_slots[context_slot].task == task) {
            return context_slots[context_slot].context;
        }
        if (context_slots[context_slot].task == NULL && free_slot == NULL) {
            free_slot = &context_slots[context_slot];
        }
    }
    if (free_slot == NULL) {
        if (context_count == CONTEXTS) {
            fprintf(stderr, "host port: more than %d tasks\n", CONTEXTS);
            exit(3);
        }
        free_slot = &context_slots[context_count++];
        free_slot->context = takt_host_context_new();
    }
    free_slot->task = task;
    return free_slot->context;
}

static void task_entry(void *argument)
{
    takt_host_lock.closed = false;
#if TAKT_PROCESSES
    if (((const struct takt_task *)argument)->config->process != NULL) {
        takt_host_task_begin(argument);
    }
#endif
    takti_task_main(argument);
}

void takt_port_context_init(struct takt_task *task)
{
    struct takt_host_context *context = context_of(task);
    takt_host_context_init(context, task_entry, task);
    task->stack_pointer = context;
}

_Noreturn void takt_port_start(struct takt_task *first)
{
#if TAKT_PROCESSES
    trap_begun = false;
#endif
    current = first->stack_pointer;
    takt_host_context_switch(outside, current);
    if (exiting) {
        exit(exit_status);
    }
    longjmp(leave_point, 1); /* takt_host_leave came back here */
}

void takt_host_enter(void (*start)(void *argument), void *argument)
{
    takti_reset();
    if (setjmp(leave_point) == 0) {
        start(argument);
    }
}

_Noreturn void takt_host_leave(void)
{
    struct takt_host_context *self = current;
    current = outside;
    (void)takt_host_context_switch(self, outside);
    abort(); /* nobody comes back to it */
}

_Noreturn void takt_host_exit(int status)
{
    if (!started()) {
        exit(status);
    }
    exiting = true;
    exit_status = status;
    takt_host_leave();
}

enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    struct takt_host_context *self = from->stack_pointer;
    if (host.in_trap) { /* its end goes on with the task that runs then */
        takt_host_lock.closed = true;
        return TAKT_OK;
    }
    current = to->stack_pointer;
    uint32_t result = takt_host_context_switch(self, current);
    takt_host_unlock(task);
    return (enum takt_status)result;
}

#if TAKT_PROCESSES
uint64_t takt_host_trap_enter(void (*serve)(void *argument))
{
    struct takt_host_context *self = current;
    if (trap_context == NULL) {
        trap_context = takt_host_context_new();
    }
    if (!trap_begun) {
        takt_host_context_init(trap_context, serve, NULL);
        trap_begun = true;
    }
    takt_host_lock.closed = true;
    host.in_trap = true;
    current = trap_context;
    (void)takt_host_context_switch(self, trap_context);
    takt_host_unlock(0);
    return takt_host_context_result(self);
}

bool takt_host_in_trap(void)
{
    return host.in_trap && !host.in_interrupt;
}

void takt_host_trap_leave(struct takt_task *running)
{
    host.in_trap = false;
    takt_host_lock.closed = true;
    if (host.switch_pended) {
        host.switch_pended = false;
        running = takti_switch_pended();
    }
    current = running->stack_pointer;
    (void)takt_host_context_switch(trap_context, current);
}

void takt_port_irq_mask(unsigned number, bool masked)
{
    host.sources[number].masked = masked;
    host.unmasked = host.unmasked || !masked;
}
#endif

void takt_port_pend_switch(void)
{
    host.switch_pended = true;
}

uint64_t takt_port_now_ns(void)
{
    return host.now_ns;
}

bool takt_port_timer_set(uint64_t until_ns)
{
    host.timer_ns = until_ns;
    return until_ns > host.now_ns;
}

void takt_port_idle(uint64_t until_ns)
{
    (void)until_ns;
    uint64_t next_ns = waited_ns(next_event_ns());
    if (next_ns == UINT64_MAX) {
        if (on_deadlock != NULL) {
            on_deadlock();
        }
        fprintf(stderr, "host port: nothing will ever happen again after %llu ns\n", (unsigned long long)host.now_ns);
        takt_host_exit(3);
    }
    if (next_ns > host.now_ns) {
        host.now_ns = next_ns;
    }
    takt_host_lock.deliver = true;
}

void takt_work(uint64_t duration_ns)
{
    if (!started()) {
        return; /* an alarm at 0 ns, or the application's init: as on boards, the clock does not run yet */
    }
    if (host.in_interrupt || takt_host_lock.closed) {
        host.now_ns += duration_ns; /* interrupts do not nest on this port, and wait for the end of a locked section */
        takt_host_lock.deliver = takt_host_lock.deliver || !host.in_interrupt;
        return;
    }
    while (duration_ns > 0) {
        uint64_t next_ns = next_event_ns();
        if (next_ns <= host.now_ns) {
            deliver();
            continue;
        }
        uint64_t step_ns = next_ns - host.now_ns;
        if (step_ns > duration_ns) {
            step_ns = duration_ns;
        }
        step_ns = waited_ns(host.now_ns + step_ns) - host.now_ns;
        host.now_ns += step_ns;
        duration_ns -= step_ns;
    }
}

void takt_host_interrupts_take(void)
{
    deliver();
}

bool takt_host_interrupts_due(void)
{
    return !host.in_interrupt && next_event_ns() <= host.now_ns;
}

void takt_port_irq_attach(unsigned number, void (*handler)(void), bool kernel)
{
    if (number >= TAKT_HOST_INTERRUPTS) {
        fprintf(stderr, "host port: interrupt %u is beyond %d\n", number, TAKT_HOST_INTERRUPTS - 1);
        exit(2);
    }
    host.sources[number].handler = handler;
    host.sources[number].kernel = kernel;
}

_Noreturn void takt_port_halt(void)
{
    const struct takt_fault *fault = &takt_fault_record;
    fflush(stdout);
    static const char *const reasons[] = {[TAKT_FAULT_ASSERTION] = "assertion",
                                          [TAKT_FAULT_EXCEPTION] = "exception",
                                          [TAKT_FAULT_STACK] = "stack",
                                          [TAKT_FAULT_WATCHDOG] = "watchdog",
                                          [TAKT_FAULT_INVARIANT] = "invariant"};
    fprintf(stderr, "\ntakt: fault %s", reasons[fault->reason]);
    if (fault->file != NULL) {
        fprintf(stderr, " %s:%u", fault->file, fault->line);
    }
    fprintf(stderr, " address 0x%llx task %u time_ns %llu\n", (unsigned long long)fault->address, fault->task,
            (unsigned long long)fault->time_ns);
    takt_host_exit(4);
}
