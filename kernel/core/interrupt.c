/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of interrupts that may call the kernel, and the accounting of execution time. */
#include "kernel/core/kernel.h"

/* Charges the time since the last charge to the running task's job, except while an interrupt is active. */
void takti_charge(uint64_t now_ns)
{
    if (!TAKT_TRACE) {
        return;
    }
    if (*takti_kernel.interrupts == 0) {
        takti_kernel.ready.running->trace->execution_ns +=
            now_ns - *takti_kernel.charged_until_ns - TAKT_PORT_CHARGE_NS;
    }
    *takti_kernel.charged_until_ns = now_ns;
}

/* Locked. */
void takti_interrupt_enter(uint64_t now_ns, uint16_t number)
{
    if (TAKTI_TELLS_INTERRUPTS) {
        takti_charge(now_ns);
        takti_budget_pause(now_ns);
        (*takti_kernel.interrupts)++;
    }
    if (TAKT_TRACE) {
        takti_trace_write(now_ns, takti_trace_word(TAKT_EVENT_INTERRUPT, number, 0), NULL);
    }
}

void takti_interrupt_exit(uint16_t number)
{
    if (TAKT_TRACE) {
        uint64_t now_ns = takt_port_now_ns();
        takti_trace_write(now_ns, takti_trace_word(TAKT_EVENT_INTERRUPT_END, number, 0), NULL);
        *takti_kernel.charged_until_ns = now_ns;
    }
    if (TAKTI_TELLS_INTERRUPTS) {
        (*takti_kernel.interrupts)--;
        takti_budget_resume();
    }
    if (TAKT_TRACE && TAKT_BUDGETS) {
        *takti_kernel.charged_until_ns = takt_port_now_ns(); /* the time until here is charged to no task */
    }
}

void takt_interrupt_enter(uint16_t number)
{
    if (TAKTI_TELLS_INTERRUPTS) {
        uint32_t lock = takt_port_enter();
        takti_interrupt_enter(takt_port_now_ns(), number);
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
