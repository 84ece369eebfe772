/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_INTERRUPT_H
#define TAKTI_INTERRUPT_H

/* Accounting of execution time, and begin and end of an interrupt that may call the kernel, in line on measured paths.
 * Called with the kernel locked. */
#include "kernel/core/kernel.h"

/* What a task that runs is charged at `ticks`, of the era that the trace knows: the time since the last charge. */
static inline uint64_t takti_execution_ns(uint32_t ticks)
{
    return (uint64_t)(ticks - *takti_kernel.charged_until) * TAKT_PORT_TICK_NS - TAKT_PORT_CHARGE_NS;
}

/* `from`, which runs and is interrupted by nothing, is switched out at `ticks`. */
static inline void takti_charge_switch(struct takt_task *from, uint32_t ticks)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        takti_charge(ticks);
        return;
    }
    from->trace->execution_ns += takti_execution_ns(ticks);
    *takti_kernel.charged_until = ticks;
}

/* An interrupt begins at `ticks`, and has a record of that. `interrupted`: how many interrupts it interrupts. */
static inline TAKTI_INLINE_ALWAYS void takti_charge_interrupted(uint32_t ticks, unsigned interrupted)
{
    if (interrupted == 0) {
        *takti_kernel.interrupted_at = ticks;
    }
}

/* It ends at `ticks`, and interrupts no other: neither the time since its begin was the task's, nor
 * TAKT_PORT_CHARGE_NS, or all, of that before. One charge at a switch then serves all stretches since the last one. */
static inline TAKTI_INLINE_ALWAYS void takti_charge_resumed(uint32_t ticks)
{
    uint32_t executed = *takti_kernel.interrupted_at - *takti_kernel.charged_until;
    uint32_t charge = takti_kernel.trace->charge_ticks;
    *takti_kernel.charged_until = ticks - (executed > charge ? executed - charge : 0);
}

static inline TAKTI_INLINE_ALWAYS void takti_interrupt_begin(uint16_t number, unsigned interrupted)
{
    uint64_t now_ns = 0;
    if (TAKT_TRACE) {
        uint32_t ticks = takti_trace_event_inline(TAKT_EVENT_INTERRUPT, NULL, number, 0);
        takti_charge_interrupted(ticks, interrupted);
        now_ns = TAKT_BUDGETS ? takt_port_ticks_ns(ticks) : 0;
    } else if (TAKT_BUDGETS) {
        now_ns = takt_port_now_ns();
    }
    if (TAKTI_TELLS_INTERRUPTS) {
        takti_budget_pause(now_ns);
        *takti_kernel.interrupts = (uint8_t)(interrupted + 1u);
    }
}

static inline TAKTI_INLINE_ALWAYS void takti_interrupt_end(uint16_t number, unsigned interrupted)
{
    uint32_t ticks = TAKT_TRACE ? takti_trace_event_inline(TAKT_EVENT_INTERRUPT_END, NULL, number, 0) : 0;
    if (TAKTI_TELLS_INTERRUPTS) {
        *takti_kernel.interrupts = (uint8_t)interrupted;
        takti_budget_resume();
    }
    if (TAKT_TRACE && interrupted == 0) {
        takti_charge_resumed(TAKT_BUDGETS ? takti_ticks_now() : ticks);
    }
}

#endif
