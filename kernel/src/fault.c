/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/src/kernel.h"

/* Not cleared by the start-up code: the next start can read what stopped the last one. */
__attribute__((section(".noinit"))) struct takt_fault takt_fault_record;

_Noreturn void takt_fault_raise(enum takt_fault_reason reason, const char *file, unsigned line, uintptr_t address)
{
    static bool raised; /* a fault on the way out must not come back here */
    (void)takt_port_lock();
    if (!raised) {
        raised = true;
        const struct takt_task *running = takti_kernel.ready.running;
        takt_fault_record.magic = 0;
        takt_fault_record.version = TAKT_FAULT_VERSION;
        takt_fault_record.reason = (uint16_t)reason;
        takt_fault_record.task = TAKT_TRACE_NONE;
        if (running != NULL) {
            takt_fault_record.task = running == &takti_kernel.idle ? TAKT_TRACE_IDLE : running->config->index;
        }
        takt_fault_record.line = (uint16_t)line;
        takt_fault_record.file = file;
        takt_fault_record.address = address;
        takt_fault_record.time_ns = takt_port_now_ns();
        takt_fault_record.magic = TAKT_FAULT_MAGIC;
        if (takti_kernel.timers.running) {
            takti_trace(TAKT_EVENT_FAULT, running, line, 0);
        }
    }
    takt_port_halt();
}
