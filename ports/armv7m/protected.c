/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/protection.h"

#if TAKT_PROCESSES
#include "frame.h"
#include "kernel/process/process.h"
#include "takt/task.h"
#include "takt_armv7m.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* a naked function finds them in registers */

/*
 * Contexts with processes. Tasks run in thread mode, unprivileged, on PSP; idle likewise but privileged. MSP is the one
 * stack of interrupts and of traps, which begin with it empty: SVC and PendSV have the lowest priority, one for both,
 * so none comes during the other. Faults have the next one: a task's own, as that of storing the frame of an SVC, is
 * taken before SVC and PendSV, which would else use a frame that is not there. What interrupts one of those two is a
 * fault of the kernel's, the machine's.
 *
 * What the processor keeps of a task on the task's stack it stores and loads with the task's rights. All else is in
 * takt_task.in_process->context while the task does not run.
 */
#define CONTEXT offsetof(struct takt_task, in_process[0].context)

#define MPU_CTRL (*(volatile uint32_t *)0xE000ED94u)
#define MPU_RBAR (*(volatile uint32_t *)0xE000ED9Cu)
#define MPU_RASR (*(volatile uint32_t *)0xE000EDA0u)
#define CTRL_ENABLE 1u
#define CTRL_PRIVDEFENA 4u
/* MPU_RASR of the guard: 32 bytes for the kernel alone, which may write a task's results there. */
#define RASR_GUARD (UINT32_C(1) << 28 | UINT32_C(1) << 24 | UINT32_C(1) << 17 | 4u << 1 | 1u)

/* Under the kernel's lock, and of the trap. */
static __attribute__((used)) struct {
    struct takt_task *live; /* whose registers are on the processor; NULL: of one that began anew meanwhile */
    const struct takt_port_map *mapped; /* what the MPU has; NULL: not what any task wants */
} processor;

_Static_assert(TAKT_ARMV7M_PRIORITY_FAULTS < TAKT_ARMV7M_PRIORITY_SVC, "a frame is stored before it is used");
_Static_assert(TAKT_ARMV7M_PRIORITY_FAULTS > TAKT_ARMV7M_PRIORITY_TIMER, "interrupts do not wait for a fault");
_Static_assert(TAKT_ARMV7M_PRIORITY_SVC == TAKT_ARMV7M_PRIORITY_PENDSV, "a switch waits for the end of a call");
_Static_assert(offsetof(struct takt_process, map) == 0, "the pointer to one is the pointer to the other");

static struct takt_process *process_of(const struct takt_task *task)
{
    return task->config->process;
}

void takt_port_context_init(struct takt_task *task)
{
    const struct takt_task_config *config = task->config;
    struct takt_port_context *context = &task->in_process->context;
    uintptr_t stack = (uintptr_t)config->stack;
    uintptr_t top = (stack + config->stack_size) & ~(uintptr_t)7u;
    if (TAKT_THREAD_LOCAL) {
        top = takti_thread_local_begin(task, top);
    }
    context->guard = (stack & ~(uintptr_t)31u) | TAKT_ARMV7M_RBAR_VALID | TAKT_ARMV7M_REGIONS;
    if (processor.live == task) {
        processor.live = NULL;
    }
    if (config->process == NULL) { /* idle: takt_port_start */
        context->psp = top;
        context->control = 2; /* SPSEL */
        context->map = NULL;
        return;
    }
    struct frame *frame = (struct frame *)top - 1;
    *frame = (struct frame){
        .r0_to_r3 = {(uint32_t)(uintptr_t)config->entry, (uint32_t)(uintptr_t)config->argument,
                     takti_process_repeats(config)},
        .pc = (uint32_t)(uintptr_t)takt_user_main & ~1u,
        .xpsr = UINT32_C(1) << 24, /* Thumb */
    };
    for (unsigned i = 0; i < 8; i++) {
        context->r4_to_r11[i] = 0;
    }
    context->psp = (uint32_t)(uintptr_t)frame;
    context->control = 3; /* SPSEL, nPRIV */
    context->map = &process_of(task)->map;
    task->stack_pointer = frame;
}

/*
 * A call may return to a frame only where it stays the process's for as long as the call lasts: in its own memory.
 * A task that waits elsewhere goes on with no memory at all, and its first step, to load the frame, is a fault.
 */
static void set_result_frame(struct takt_task *task)
{
    static uint32_t nowhere;
    uintptr_t psp;
    __asm volatile("mrs %0, psp" : "=r"(psp));
    const struct takt_region *memory = &process_of(task)->regions[2];
    if (psp - memory->base <= memory->size - sizeof(struct frame)) {
        task->stack_pointer = (void *)psp;
    } else {
        task->stack_pointer = &nowhere;
        task->in_process->context.map = &takt_armv7m_map_of_nothing;
    }
}

/* In a trap its end switches; in idle PendSV does. */
enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    if (takt_armv7m_exception() != 0) {
        set_result_frame(from);
    } else {
        takt_port_pend_switch();
        takt_port_leave(0);
        __asm volatile("isb" : : : "memory"); /* it is taken before the next instruction */
    }
    return TAKT_OK;
}

/* In: r0 = first. The start-up stack is MSP's, emptied. */
static __attribute__((naked, noreturn)) void idle_enter(struct takt_task *first)
{
    __asm volatile("ldr  r1, =takt_armv7m_vectors\n\t"
                   "ldr  r1, [r1]\n\t"
                   "ldr  r2, [r0, %[psp]]\n\t"
                   "msr  psp, r2\n\t"
                   "movs r3, #2\n\t" /* CONTROL.SPSEL */
                   "msr  control, r3\n\t"
                   "isb\n\t"
                   "msr  msp, r1\n\t"
                   "movs r3, #0\n\t"
                   "mov  lr, r3\n\t"
                   "msr  basepri, r3\n\t"
                   "cpsie i\n\t"
                   "b    %c[main]\n\t"
                   ".ltorg"
                   :
                   : [psp] "i"(CONTEXT + offsetof(struct takt_port_context, psp)), [main] "i"(takti_task_main));
}

void takt_port_start(struct takt_task *first)
{
    for (unsigned i = 0; i < TAKT_ARMV7M_REGIONS; i++) {
        MPU_RBAR = TAKT_ARMV7M_RBAR_VALID | i;
        MPU_RASR = 0;
    }
    MPU_RBAR = first->in_process->context.guard;
    MPU_RASR = RASR_GUARD;
    MPU_CTRL = CTRL_PRIVDEFENA | CTRL_ENABLE;
    __asm volatile("dsb\n\tisb" : : : "memory");
    processor.live = first;
    takt_armv7m_clock_start();
    idle_enter(first);
}

/* Even of the task that runs, whose trap would otherwise return as it came. */
void takt_port_map_changed(void)
{
    processor.mapped = NULL;
    takt_port_pend_switch();
}

uintptr_t takt_port_call_pc(void)
{
    const struct frame *frame;
    __asm volatile("mrs %0, psp" : "=r"(frame));
    return frame->lr & ~1u;
}

/* user.c: the C library's thread-local storage. Out: r0 = what __aeabi_read_tp returns, r1 as it was. */
static __attribute__((used)) uint64_t thread_pointer(uint32_t r0, uint32_t r1)
{
    const struct takt_task *task = processor.live;
    uint32_t tls = (uint32_t)(uintptr_t)(TAKT_THREAD_LOCAL ? *task->tls : process_of(task)->config->tls);
    return (uint64_t)r1 << 32 | (tls - TAKT_ARMV7M_TLS_OFFSET);
}

/*
 * Continues r0, a task or idle, from its context: `running` is it already. Locked; MSP is empty. A label in
 * takt_armv7m_pendsv, which goes on there. The lock is open before the return, so that a fault in it is one of the task
 * and no HardFault; all registers are the task's by then, so an interrupt that switches finds it running.
 */
#define CONTINUE                                                                                    \
    "takt_armv7m_continue:\n\t"                                                                     \
    "ldr   r1, =%c[processor]\n\t"                                                                  \
    "ldr   r2, [r1, #4]\n\t"                                                                        \
    "ldr   r3, [r0, %[map]]\n\t"                                                                    \
    "str   r0, [r1]\n\t"                                                                            \
    "cmp   r2, r3\n\t"                                                                              \
    "bne   3f\n"                                                                                    \
    "2:\n\t"                                                                                        \
    "add   r0, %[context]\n\t"                                                                      \
    "ldmia r0, {r3-r11, r12, lr}\n\t" /* psp, r4-r11, guard, control */                             \
    "ldr   r1, =0xE000ED9C\n\t"       /* MPU_RBAR */                                                \
    "msr   psp, r3\n\t"                                                                             \
    "msr   control, lr\n\t"                                                                         \
    "str   r12, [r1]\n\t"                                                                           \
    "dsb\n\t"                                                                                       \
    "mvn   lr, #2\n\t" /* EXC_RETURN: thread mode, PSP */                                           \
    "movs  r0, #0\n\t"                                                                              \
    "msr   basepri, r0\n\t"                                                                         \
    "bx    lr\n"                                                                                    \
    "3:\n\t"                                                                                        \
    "cmp   r3, #0\n\t"                                                                              \
    "beq   2b\n\t"                                                                                  \
    "str   r3, [r1, #4]\n\t"                                                                        \
    "ldr   r12, =0xE000ED9C\n\t" /* MPU_RBAR, MPU_RASR and their aliases: four regions each time */ \
    "ldmia r3!, {r4-r11}\n\t"                                                                       \
    "stmia r12, {r4-r11}\n\t"                                                                       \
    "ldmia r3, {r4-r9}\n\t"                                                                         \
    "stmia r12, {r4-r9}\n\t"                                                                        \
    "b     2b\n\t"                                                                                  \
    ".ltorg"

/* A switch asked for by an interrupt, or for another map. */
__attribute__((naked)) void takt_armv7m_pendsv(void)
{
    __asm volatile("movs  r3, %[line]\n\t"
                   "msr   basepri, r3\n\t"
                   "ldr   r1, =%c[processor]\n\t"
                   "ldr   r0, [r1]\n\t"
                   "cbz   r0, 1f\n\t"
                   "mrs   r3, psp\n\t"
                   "add   r0, %[context]\n\t"
                   "stmia r0, {r3-r11}\n"
                   "1:\n\t"
#if TAKTI_SWITCH_HOOK
                   "bl    takti_switch_pended\n"
#else
                   "ldr   r1, =takti_kernel + %c[running]\n\t"
                   "ldr   r0, [r1, #4]\n\t"
                   "movs  r3, #0\n\t"
                   "str   r0, [r1]\n\t"
                   "str   r3, [r0, %[wait_queue]]\n" /* takti_runs */
#endif
                   CONTINUE
                   :
                   : [line] "i"(TAKT_ARMV7M_LINE), [running] "i"(TAKTI_RUNNING), [processor] "i"(&processor),
                     [context] "i"(CONTEXT), [map] "i"(CONTEXT + offsetof(struct takt_port_context, map)),
                     [wait_queue] "i"(offsetof(struct takt_task, wait_queue)));
}

/*
 * A call: number and arguments from the frame, for a handler that came between SVC and its exception has changed the
 * registers. If such a one found something better to do (or stopped the caller) the call is not made yet: the frame's
 * pc goes back to the SVC, and PendSV follows. The result goes into the frame. If the caller is not to go on, it is
 * saved, and the task that is continued.
 */
__attribute__((naked)) void takt_armv7m_svc(void)
{
    __asm volatile("movs  r0, %[line]\n\t"
                   "msr   basepri, r0\n\t"
                   "push  {r4, lr}\n\t"
                   "ldr   r1, =%c[processor]\n\t"
                   "ldr   r0, =takti_kernel + %c[running]\n\t"
                   "ldr   r1, [r1]\n\t"
                   "ldr   r0, [r0, #4]\n\t"
                   "mrs   r12, psp\n\t"
                   "cmp   r0, r1\n\t"
                   "bne   4f\n\t"
                   "ldr   lr, [r12, #16]\n\t"
                   "ldmia r12, {r0-r3}\n\t"
                   "cmp   lr, %[count]\n\t"
                   "bhs   3f\n\t"
                   "ldr   r4, =takti_call_table\n\t"
                   "ldr   r4, [r4, lr, lsl #2]\n\t"
                   "cbz   r4, 2f\n"
                   "1:\n\t"
                   "blx   r4\n\t"
                   "movs  r3, %[line]\n\t"
                   "msr   basepri, r3\n\t"
                   "ldr   r12, =takti_kernel + %c[running]\n\t"
                   "ldr   r3, =%c[processor]\n\t"
                   "ldr   r12, [r12]\n\t"
                   "ldr   r2, [r3]\n\t"
                   "mrs   r3, psp\n\t"
                   "cmp   r2, r12\n\t"
                   "bne   5f\n\t"
                   "strd  r0, r1, [r3]\n\t"
                   "movs  r3, #0\n\t"
                   "msr   basepri, r3\n\t"
                   "pop   {r4, pc}\n"
                   "3:\n\t"
                   "ldr   r4, =%c[thread_pointer]\n\t"
                   "cmp   lr, %[tls]\n\t"
                   "beq   1b\n"
                   "2:\n\t"
                   "mov   r0, lr\n\t"
                   "ldr   r4, =takti_call_unknown\n\t"
                   "b     1b\n"
                   "4:\n\t" /* not now */
                   "pop   {r4, lr}\n\t"
                   "cbz   r1, 6f\n\t"
                   "ldr   r0, [r12, #24]\n\t"
                   "subs  r0, #2\n\t"
                   "str   r0, [r12, #24]\n\t"
                   "movs  r3, #0\n\t"
                   "msr   basepri, r3\n\t"
                   "bx    lr\n"
                   "5:\n\t" /* another task */
                   "pop   {r4, lr}\n\t"
                   "cbz   r2, 6f\n\t"
                   "strd  r0, r1, [r3]\n\t"
                   "add   r2, %[context]\n\t"
                   "stmia r2, {r3-r11}\n"
                   "6:\n\t"
                   "ldr   r0, =takti_kernel + %c[running]\n\t"
                   "ldr   r0, [r0]\n\t"
                   "b     takt_armv7m_continue\n\t"
                   ".ltorg"
                   :
                   : [line] "i"(TAKT_ARMV7M_LINE), [running] "i"(TAKTI_RUNNING), [processor] "i"(&processor),
                     [count] "i"(TAKTI_CALL_COUNT), [tls] "i"(TAKT_ARMV7M_CALL_TLS),
                     [thread_pointer] "i"(thread_pointer), [context] "i"(CONTEXT));
}

#define SCB_SHCSR (*(volatile uint32_t *)0xE000ED24u)
#define SCB_CFSR (*(volatile uint32_t *)0xE000ED28u)
#define SCB_MMFAR (*(volatile uint32_t *)0xE000ED34u)
#define SCB_BFAR (*(volatile uint32_t *)0xE000ED38u)
#define SHCSR_PENDED (UINT32_C(0xF) << 12) /* UsageFault, MemManage, BusFault, SVC */
#define SHCSR_CALL (UINT32_C(1) << 7)      /* SVC is active */
#define CFSR_INSTRUCTION 0x00000101u       /* IACCVIOL, IBUSERR */
#define CFSR_MMARVALID 0x00000080u
#define CFSR_BFARVALID 0x00008000u
#define CFSR_FRAME 0x00001818u /* MUNSTKERR, MSTKERR, UNSTKERR, STKERR: there is no frame, or not for the task */
#define CFSR_STACKING 0x00001010u
#define CFSR_INVPC 0x00040000u
#define CFSR_USAGE 0xFFFF0000u

/* Whether `size` bytes from `address` on touch the guard of the task's stack. */
static bool on_guard(const struct takt_task *task, uint32_t address, uint32_t size)
{
    uint32_t guard = task->in_process->context.guard & ~31u;
    return address - guard < 32 || guard - address < size;
}

/*
 * The frame is where the task's stack pointer says: read if that is in the memory of its process, and not in the guard,
 * so that the processor has stored one there. In a call the task goes on at lr.
 */
const char *takt_port_user_registers(const struct takt_task *task, uint32_t *registers, uintptr_t *pc)
{
    const struct takt_process *process = process_of(task);
    const struct frame *frame;
    __asm volatile("mrs %0, psp" : "=r"(frame));
    uint32_t sp = (uint32_t)(uintptr_t)frame;
    uint32_t offset = sp - (uint32_t)process->memory_base;
    if (processor.live != task || offset > process->memory_size || process->memory_size - offset < sizeof *frame ||
        on_guard(task, sp, sizeof *frame)) {
        *pc = 0;
        return NULL;
    }
    memcpy(registers, frame, sizeof *frame);
    registers[8] = (uint32_t)(uintptr_t)(frame + 1);
    *pc = (SCB_SHCSR & SHCSR_CALL) != 0 ? frame->lr & ~1u : frame->pc;
    return "r0 r1 r2 r3 r12 lr pc xpsr sp";
}

/*
 * A process's fault, on its way to the kernel. What else its task has pended, as the SVC of a call whose frame could
 * not be stored, would come next, with another task: it is forgotten. No status at all is a breakpoint's.
 */
static __attribute__((used)) void fault_taken(const struct frame *frame)
{
    uint32_t cfsr = SCB_CFSR;
    uint32_t mmfar = SCB_MMFAR;
    uint32_t bfar = SCB_BFAR;
    const struct takt_task *task = processor.live;
    SCB_CFSR = cfsr;
    SCB_SHCSR = SCB_SHCSR & ~SHCSR_PENDED;
    if (task == NULL) {
        return;
    }
    bool has_frame = (cfsr & (CFSR_FRAME | CFSR_INVPC)) == 0;
    uint32_t sp = (uint32_t)(uintptr_t)frame;
    uint32_t pc = has_frame ? frame->pc : 0;
    uint32_t address = pc;
    enum takt_process_fault cause = TAKT_PROCESS_STRAY;
    if ((cfsr & CFSR_FRAME) != 0) {
        address = sp;
        cause = on_guard(task, sp, sizeof *frame) ? TAKT_PROCESS_STACK : TAKT_PROCESS_STRAY;
    } else if ((cfsr & (CFSR_MMARVALID | CFSR_BFARVALID)) != 0) {
        address = (cfsr & CFSR_MMARVALID) != 0 ? mmfar : bfar;
        cause = on_guard(task, address, 1) ? TAKT_PROCESS_STACK : TAKT_PROCESS_STRAY;
    } else if ((cfsr & CFSR_USAGE) != 0 || cfsr == 0) {
        cause = TAKT_PROCESS_ILLEGAL;
    }
    if (!has_frame) {
        const uint32_t registers[] = {sp, cfsr, mmfar, bfar};
        takti_process_fault(cause, address, pc, "sp cfsr mmfar bfar", registers);
        return;
    }
    const uint32_t registers[] = {
        frame->r0_to_r3[0],
        frame->r0_to_r3[1],
        frame->r0_to_r3[2],
        frame->r0_to_r3[3],
        frame->r12,
        frame->lr,
        pc,
        frame->xpsr,
        cfsr,
        mmfar,
        bfar,
        (uint32_t)(uintptr_t)(frame + 1),
    };
    takti_process_fault(cause, address, pc, "r0 r1 r2 r3 r12 lr pc xpsr cfsr mmfar bfar sp", registers);
}

/*
 * Of a process is what comes from unprivileged thread mode (EXC_RETURN says PSP; in a trap, MSP) as MemManage, BusFault
 * or UsageFault; or as HardFault, unless the vector table is at fault: a breakpoint, which has no debugger. Nothing may
 * go on at that priority, so it is pended as MemManage, which follows. An exception return to a frame that is none is a
 * UsageFault, too; it may leave something on MSP.
 */
__attribute__((naked)) void takt_armv7m_fault(void)
{
    __asm volatile("mrs   r0, ipsr\n\t"
                   "mrs   r1, control\n\t"
                   "subs  r0, #3\n\t"
                   "cmp   r0, #3\n\t"
                   "bhi   1f\n\t"
                   "tst   lr, #4\n\t"
                   "beq   1f\n\t"
                   "lsls  r1, #31\n\t"
                   "bpl   1f\n\t"
                   "cbz   r0, 2f\n\t"
                   "mrs   r0, psp\n\t"
                   "bl    %c[taken]\n\t"
                   "movs  r3, %[line]\n\t"
                   "msr   basepri, r3\n\t"
                   "ldr   r0, =takt_armv7m_vectors\n\t"
                   "ldr   r0, [r0]\n\t"
                   "msr   msp, r0\n\t"
                   "ldr   r0, =takti_kernel + %c[running]\n\t"
                   "ldr   r1, =%c[processor]\n\t"
                   "ldr   r0, [r0]\n\t"
                   "ldr   r1, [r1]\n\t"
                   "cmp   r0, r1\n\t"
                   "bne   takt_armv7m_continue\n\t"
                   "mvn   lr, #2\n\t" /* stopped or suspended before: PendSV follows */
                   "movs  r0, #0\n\t"
                   "msr   basepri, r0\n\t"
                   "bx    lr\n"
                   "2:\n\t"
                   "ldr   r0, =0xE000ED2C\n\t" /* HFSR */
                   "ldr   r1, [r0]\n\t"
                   "lsls  r2, r1, #30\n\t" /* VECTTBL */
                   "bmi   1f\n\t"
                   "str   r1, [r0]\n\t"
                   "ldr   r1, [r0, #-8]\n\t" /* SHCSR */
                   "orr   r1, r1, #0x2000\n\t"
                   "str   r1, [r0, #-8]\n\t"
                   "dsb\n\t"
                   "bx    lr\n"
                   "1:\n\t"
                   "b     takt_armv7m_machine_fault\n\t"
                   ".ltorg"
                   :
                   : [taken] "i"(fault_taken), [line] "i"(TAKT_ARMV7M_LINE), [running] "i"(TAKTI_RUNNING),
                     [processor] "i"(&processor));
}
#endif
