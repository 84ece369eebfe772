/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/protection.h"
#if TAKT_PROCESSES
#include "kernel/process/process.h"
#include "takt_rv32.h"

/* Contexts of user mode, and their faults. The traps are in trap_protected.c. */

#define MSTATUS_MPIE (UINT32_C(1) << 7)
#define MSTATUS_MPP (UINT32_C(3) << 11)
#define INTERRUPT (UINT32_C(1) << 31)  /* of mcause */
#define MSTATUS_TW (UINT32_C(1) << 21) /* WFI of user mode is a fault */

void takt_port_init(void)
{
    __asm volatile("csrw mie, zero");
    __asm volatile("csrc mstatus, %0" : : "r"(MSTATUS_MPP));
    __asm volatile("csrs mstatus, %0" : : "r"(MSTATUS_MPIE | MSTATUS_TW));
    takt_rv32_map = TAKT_RV32_NO_MAP; /* a system that starts after another */
}

void takt_port_start(struct takt_task *first)
{
    takt_rv32_clock_start();
    __asm volatile("csrw mie, %0" : : "r"(TAKT_RV32_INTERRUPTS));
    takt_rv32_enter(first);
}

/* Where idle starts, unlocked, s0 = its task. */
static __attribute__((naked, used)) void idle_begin(void)
{
    __asm volatile("mv    a0, s0\n\t"
                   "li    s0, 0\n\t"
                   "li    ra, 0\n\t"
                   "csrsi mstatus, %0\n\t"
                   "tail  takti_task_main"
                   :
                   : "i"(TAKT_RV32_MIE));
}

#define A0 TAKT_RV32_CONTEXT_A0
#define S0 3 /* x8 */

void takt_port_context_init(struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    struct takt_port_context *context = &task->in_process->context;
    *context = (struct takt_port_context){0};
    context->sp = ((uintptr_t)config->stack + config->stack_size) & ~(uintptr_t)15u;
    if (TAKT_THREAD_LOCAL) {
        context->sp = takti_thread_local_begin(task, context->sp);
    }
    if (config->process == NULL) {
        context->x5_to_x31[S0] = (uintptr_t)task;
        context->pc = (uintptr_t)idle_begin;
    } else {
        context->guard = (uintptr_t)config->stack >> 2 | (TAKT_RV32_GUARD_SIZE / 8u - 1u);
        context->x5_to_x31[A0] = (uintptr_t)config->entry;
        context->x5_to_x31[A0 + 1] = (uintptr_t)config->argument;
        context->x5_to_x31[A0 + 2] = takti_process_repeats(config);
        context->pc = (uintptr_t)takt_user_main;
        context->tp = (uintptr_t)(TAKT_THREAD_LOCAL ? *task->tls : config->process->config->tls);
    }
    task->stack_pointer = &context->x5_to_x31[A0];
}

void takt_rv32_user_fault(uint32_t cause, uintptr_t address, uintptr_t pc, const struct takt_port_context *context);

/* From trap_protected.c: an exception of the running task, or an interrupt that nobody enabled. */
void takt_rv32_user_fault(uint32_t cause, uintptr_t address, uintptr_t pc, const struct takt_port_context *context)
{
    const uint32_t *a0 = &context->x5_to_x31[A0];
    const uint32_t registers[TAKT_RV32_FAULT_WORDS] = {
        context->ra, context->sp, a0[0], a0[1], a0[2], a0[3], a0[4], a0[5], context->x5_to_x31[S0], pc, cause, address};
    uintptr_t above_guard = address - (context->guard & ~(uintptr_t)(TAKT_RV32_GUARD_SIZE / 8u - 1u)) * 4u;
    bool load = cause == 5;
    bool store = cause == 7;
    enum takt_process_fault what = TAKT_PROCESS_STRAY;
    if (cause >= INTERRUPT) {
        takt_rv32_fault(pc, registers);
    }
    if (cause == 2 || cause == 3) {
        what = TAKT_PROCESS_ILLEGAL;
    } else if ((load || store) && above_guard < TAKT_RV32_GUARD_SIZE) {
        what = TAKT_PROCESS_STACK;
    }
    takti_process_fault(what, address, pc, TAKT_RV32_FAULT_NAMES, registers);
}

uintptr_t takt_port_call_pc(void)
{
    const struct takt_task *task = takt_task_running();
    return task == NULL ? 0 : task->in_process->context.ra;
}

/* Of the outermost interrupt. While another may interrupt it (nested.c) its own source, the timer, is masked. */
static uintptr_t interrupted_pc(void)
{
    uintptr_t pc;
    __asm volatile("csrr %0, mepc" : "=r"(pc));
#if TAKT_PORT_NESTS
    uint32_t enabled;
    __asm volatile("csrr %0, mie" : "=r"(enabled));
    pc = (enabled & TAKT_RV32_MIE_TIMER) == 0 ? takt_rv32_interrupted.pc : pc;
#endif
    return pc;
}

/* From user mode mscratch is the task, and the context has what calls need not keep; in a call, ra and sp. */
const char *takt_port_user_registers(const struct takt_task *task, uint32_t *registers, uintptr_t *pc)
{
    const struct takt_port_context *context = &task->in_process->context;
    const struct takt_task *interrupted;
    __asm volatile("csrr %0, mscratch" : "=r"(interrupted));
    registers[0] = context->ra;
    registers[1] = context->sp;
    if (interrupted != task) {
        *pc = context->ra;
        return "ra sp";
    }
    *pc = interrupted_pc();
    for (unsigned number = 0; number < 8; number++) {
        registers[2 + number] = context->x5_to_x31[A0 + number];
    }
    registers[10] = *pc;
    return "ra sp a0 a1 a2 a3 a4 a5 a6 a7 pc";
}

void takt_port_map_changed(void)
{
    takt_rv32_map = TAKT_RV32_NO_MAP;
    takt_port_pend_switch();
}
#endif
