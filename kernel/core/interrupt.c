/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of interrupts that may call the kernel, and the accounting of execution time. */
#include "kernel/core/interrupt.h"

/* Charges the running task's job `execution_ns`, up to `ticks` of the era that the trace knows then. In an interrupt
 * its end does. */
static void charge_running(uint64_t execution_ns, uint32_t ticks)
{
    if (*takti_kernel.interrupts == 0) {
        takti_kernel.ready.running->trace->execution_ns += execution_ns;
        *takti_kernel.charged_until = ticks;
    }
}

/* Charges the time since the last charge, up to `ticks`, of the era that the trace knows. */
void takti_charge(uint32_t ticks)
{
    if (TAKT_TRACE) {
        charge_running(takti_execution_ns(ticks), ticks);
    }
}

uint32_t takti_ticks_now(void)
{
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    if (TAKT_TRACE && !TAKT_PORT_NO_ERA && TAKTI_UNLIKELY(era != takti_kernel.trace->era)) {
        takti_trace_era(ticks);
    }
    return ticks;
}

void takti_charge_now(void)
{
    if (TAKT_TRACE) {
        takti_charge(takti_ticks_now());
    }
}

/* The time until now is charged to no task. Not in an interrupt. */
void takti_charge_from_now(void)
{
    if (TAKT_TRACE) {
        *takti_kernel.charged_until = takti_ticks_now();
    }
}

/* Ticks were read in another era than the last ones may have been: charges what one count does not tell. */
void takti_trace_era(uint32_t ticks)
{
    struct takti_trace *trace = takti_kernel.trace;
    uint32_t era;
    uint32_t now = takt_port_ticks(&era);
    if (TAKT_TRACE && !TAKT_PORT_NO_ERA && era != trace->era) {
        era -= now < ticks ? 1u : 0u; /* which began after `ticks` were read */
        charge_running((((uint64_t)(era - trace->era) << 32) + ticks - *takti_kernel.charged_until) * TAKT_PORT_TICK_NS,
                       ticks);
        trace->era = era;
    }
}

void takti_clock_far(void)
{
    if (TAKT_TRACE) {
        uint32_t era;
        uint32_t ticks = takt_port_ticks(&era);
        charge_running((uint64_t)(ticks - *takti_kernel.charged_until) * TAKT_PORT_TICK_NS, ticks);
        takti_kernel.trace->stop = takti_kernel.trace->next;
    }
}

/* Whether the edges of interrupts are nothing but their records and the accounting. */
#define EDGES_AT_ONCE (TAKT_TRACE && !TAKT_BUDGETS && !TAKTI_OPTIMIZE_SIZE)

/* Locked. */
void takti_interrupt_enter(uint16_t number)
{
    takti_interrupt_begin(number, TAKTI_TELLS_INTERRUPTS ? *takti_kernel.interrupts : 0);
}

void takti_interrupt_exit(uint16_t number)
{
    takti_interrupt_end(number, TAKTI_TELLS_INTERRUPTS ? *takti_kernel.interrupts - 1u : 0);
}

/* Begin and end where they are nothing else, locked, or where no interrupt can come that calls the kernel. False:
 * nothing was done. */
static inline bool enter_at_once(uint16_t number)
{
    uint32_t ticks;
    if (!EDGES_AT_ONCE ||
        !takti_trace_try(&ticks, TAKTI_TRACE_NOBODY | TAKT_EVENT_INTERRUPT, TAKT_TRACE_NO_JOB, number)) {
        return false;
    }
    uint8_t interrupted = *takti_kernel.interrupts;
    takti_charge_interrupted(ticks, interrupted);
    *takti_kernel.interrupts = (uint8_t)(interrupted + 1u);
    return true;
}

static inline bool exit_at_once(uint16_t number)
{
    uint32_t ticks;
    if (!EDGES_AT_ONCE ||
        !takti_trace_try(&ticks, TAKTI_TRACE_NOBODY | TAKT_EVENT_INTERRUPT_END, TAKT_TRACE_NO_JOB, number)) {
        return false;
    }
    if (--*takti_kernel.interrupts == 0) {
        takti_charge_resumed(ticks);
    }
    return true;
}

static TAKTI_NOINLINE_HOT void handle_slow_path(uint16_t number, void (*handler)(void))
{
    takti_interrupt_enter(number);
    handler();
    takti_interrupt_exit(number);
}

void takti_interrupt_traced(uint16_t number, void (*handler)(void))
{
    if (!enter_at_once(number)) {
        handle_slow_path(number, handler);
        return;
    }
    handler();
    if (!exit_at_once(number)) {
        takti_interrupt_exit(number);
    }
}

void takt_interrupt_enter(uint16_t number)
{
    if (TAKTI_TELLS_INTERRUPTS) {
        uint32_t lock = takt_port_enter();
        if (!enter_at_once(number)) {
            takti_interrupt_enter(number);
        }
        takt_port_leave(lock);
    }
}

void takt_interrupt_exit(uint16_t number)
{
    if (TAKTI_TELLS_INTERRUPTS) {
        uint32_t lock = takt_port_enter();
        if (!exit_at_once(number)) {
            takti_interrupt_exit(number);
        }
        takt_port_leave(lock);
    }
}
