/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of interrupts that may call the kernel, and the accounting of execution time. */
#include "kernel/core/kernel.h"

/* Charges the running task's job, except while an interrupt is active. */
static void charge_running(uint64_t execution_ns)
{
    if (*takti_kernel.interrupts == 0) {
        takti_kernel.ready.running->trace->execution_ns += execution_ns;
    }
}

/* Charges the time since the last charge, up to `ticks`, of the era that the trace knows. */
void takti_charge(uint32_t ticks)
{
    if (TAKT_TRACE) {
        uint32_t passed = ticks - *takti_kernel.charged_until;
        charge_running((uint64_t)passed * TAKT_PORT_TICK_NS - TAKT_PORT_CHARGE_NS);
        *takti_kernel.charged_until = ticks;
    }
}

/* The current ticks, of the era that the trace knows then. */
static uint32_t ticks_now(void)
{
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    if (!TAKT_PORT_NO_ERA && TAKTI_UNLIKELY(era != takti_kernel.trace->era)) {
        takti_trace_era(ticks);
    }
    return ticks;
}

void takti_charge_now(void)
{
    if (TAKT_TRACE) {
        takti_charge(ticks_now());
    }
}

/* The time until now is charged to no task. */
void takti_charge_from_now(void)
{
    if (TAKT_TRACE) {
        *takti_kernel.charged_until = ticks_now();
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
        charge_running((((uint64_t)(era - trace->era) << 32) + ticks - *takti_kernel.charged_until) *
                       TAKT_PORT_TICK_NS);
        *takti_kernel.charged_until = ticks;
        trace->era = era;
    }
}

void takti_clock_far(void)
{
    if (TAKT_TRACE) {
        uint32_t era;
        uint32_t ticks = takt_port_ticks(&era);
        charge_running((uint64_t)(ticks - *takti_kernel.charged_until) * TAKT_PORT_TICK_NS);
        *takti_kernel.charged_until = ticks;
        takti_kernel.trace->stop = takti_kernel.trace->next;
    }
}

/* Locked. */
void takti_interrupt_enter(uint16_t number)
{
    uint64_t now_ns = 0;
    if (TAKT_TRACE) {
        uint32_t ticks = takti_trace_event(TAKT_EVENT_INTERRUPT, NULL, number, 0);
        takti_charge(ticks);
        now_ns = TAKT_BUDGETS ? takt_port_ticks_ns(ticks) : 0;
    } else if (TAKT_BUDGETS) {
        now_ns = takt_port_now_ns();
    }
    if (TAKTI_TELLS_INTERRUPTS) {
        takti_budget_pause(now_ns);
        (*takti_kernel.interrupts)++;
    }
}

void takti_interrupt_exit(uint16_t number)
{
    if (TAKT_TRACE) {
        *takti_kernel.charged_until = takti_trace_event(TAKT_EVENT_INTERRUPT_END, NULL, number, 0);
    }
    if (TAKTI_TELLS_INTERRUPTS) {
        (*takti_kernel.interrupts)--;
        takti_budget_resume();
    }
    if (TAKT_BUDGETS) {
        takti_charge_from_now();
    }
}

void takt_interrupt_enter(uint16_t number)
{
    if (TAKTI_TELLS_INTERRUPTS) {
        uint32_t lock = takt_port_enter();
        takti_interrupt_enter(number);
        takt_port_leave(lock);
    }
}

void takt_interrupt_exit(uint16_t number)
{
    if (TAKTI_TELLS_INTERRUPTS) {
        uint32_t lock = takt_port_enter();
        takti_interrupt_exit(number);
        takt_port_leave(lock);
    }
}
