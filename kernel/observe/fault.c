/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/core/kernel.h"

/* Not cleared by the start-up code: the next start can read why the last run stopped. */
__attribute__((section(".noinit"))) struct takt_fault takt_fault_record;

__attribute__((weak)) void takt_hook_fault(void)
{
}

/* Begins a record, which is not valid yet, with one register per name. */
static void record_begin(const char *names, const uint32_t *registers)
{
    unsigned count = names == NULL ? 0 : 1;
    for (const char *letter = names; letter != NULL && *letter != '\0'; letter++) { /* bounded by the port's constant */
        count += *letter == ' ' ? 1 : 0;
    }
    takt_fault_record.magic = 0;
    takt_fault_record.register_names = names;
    for (unsigned index = 0; index < TAKT_FAULT_REGISTERS; index++) {
        takt_fault_record.registers[index] = index < count ? registers[index] : 0;
    }
}

static void record_end(enum takt_fault_reason reason, const struct takt_task *task, const char *file, unsigned line,
                       uintptr_t address)
{
    takt_fault_record.version = TAKT_FAULT_VERSION;
    takt_fault_record.reason = (uint16_t)reason;
    takt_fault_record.task = TAKT_TRACE_NONE;
    if (task != NULL) {
        takt_fault_record.task = task == &takti_kernel.idle ? TAKT_TRACE_IDLE : task->config->index;
    }
    takt_fault_record.line = (uint16_t)line;
    takt_fault_record.file = file;
    takt_fault_record.address = address;
    takt_fault_record.time_ns = takt_port_now_ns();
    takt_fault_record.magic = TAKT_FAULT_MAGIC;
}

static _Noreturn void fault_raise(enum takt_fault_reason reason, const char *file, unsigned line, uintptr_t address,
                                  const char *names, const uint32_t *registers)
{
    static bool raised; /* a fault during the halt must not recurse */
    (void)takt_port_lock();
    if (!raised) {
        const struct takt_task *running = takti_kernel.ready.running;
        raised = true;
        record_begin(names, registers);
        record_end(reason, running, file, line, address);
        if (takti_kernel.timers.running) {
            takti_trace(TAKT_EVENT_FAULT, running, line, 0);
        }
        if (TAKT_TRACE) {
            takt_hook_fault();
        }
    }
    takt_port_halt();
}

_Noreturn void takt_fault_raise(enum takt_fault_reason reason, const char *file, unsigned line, uintptr_t address)
{
    fault_raise(reason, file, line, address, NULL, NULL);
}

_Noreturn void takt_fault_raise_exception(uintptr_t address, const char *names, const uint32_t *registers)
{
    fault_raise(TAKT_FAULT_EXCEPTION, NULL, 0, address, names, registers);
}

void takti_fault_note(enum takt_fault_reason reason, const struct takt_task *task, uintptr_t address)
{
    if (TAKT_ASSERTIONS) {
        record_begin(NULL, NULL);
        record_end(reason, task, NULL, 0, address);
    }
}
