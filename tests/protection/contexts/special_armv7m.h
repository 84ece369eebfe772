/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPECIAL_ARMV7M_H
#define SPECIAL_ARMV7M_H

/*
 * What is special about this processor: the frame that it keeps on the task's stack, which the task may change, here
 * with a call that makes the kernel write into its own frame; instructions that do nothing in user mode; and several
 * faults at once.
 */
#include "contexts.h"

#define SPECIAL(name, which, fault)                  \
    {                                                \
        name, DO_SPECIAL, which, (fault), true, NULL \
    }

enum special {
    XPSR_SVC,
    XPSR_HARD_FAULT,
    XPSR_INTERRUPT,
    XPSR_ARM,
    XPSR_UNALIGNED_IT,
    PC_KERNEL,
    PC_EXC_RETURN_HANDLER,
    PC_EXC_RETURN_THREAD,
    BRANCH_EXC_RETURN,
    BRANCH_EXC_RETURN_HANDLER,
    SYSTEM_REGISTERS,
    EXCLUSIVE_CALL,
    EXCLUSIVE_INTERRUPT,
    UNDEFINED_NO_STACK,
    BREAK_NO_STACK,
    STRAY_NO_STACK,
    DIVISION,
    UNALIGNED,
    THREAD_POINTER,
    RESTART_SPIN,
    RESTART_CALL,
    SLEEP_ELSEWHERE,
    SPIN_ELSEWHERE
};

/* With assertions the kernel sees it at the switch, before the task loads a frame from there. */
#define ELSEWHERE_FAULT (TAKT_ASSERTIONS ? TAKT_PROCESS_STACK : TAKT_PROCESS_STRAY)

#define TARGET_SPECIALS                                                                             \
    SPECIAL("frame that returns into SVC", XPSR_SVC, TAKT_PROCESS_ILLEGAL),                         \
        SPECIAL("frame that returns into HardFault", XPSR_HARD_FAULT, TAKT_PROCESS_ILLEGAL),        \
        SPECIAL("frame that returns into an interrupt", XPSR_INTERRUPT, TAKT_PROCESS_ILLEGAL),      \
        SPECIAL("frame without Thumb", XPSR_ARM, TAKT_PROCESS_ILLEGAL),                             \
        SPECIAL("frame on an odd stack", XPSR_UNALIGNED_IT, NO_FAULT),                              \
        SPECIAL("frame that returns into the kernel", PC_KERNEL, TAKT_PROCESS_STRAY),               \
        SPECIAL("frame that returns to 0xfffffff1", PC_EXC_RETURN_HANDLER, TAKT_PROCESS_STRAY),     \
        SPECIAL("frame that returns to 0xfffffffd", PC_EXC_RETURN_THREAD, TAKT_PROCESS_STRAY),      \
        SPECIAL("branch to 0xfffffffd", BRANCH_EXC_RETURN, TAKT_PROCESS_STRAY),                     \
        SPECIAL("branch to 0xfffffff1", BRANCH_EXC_RETURN_HANDLER, TAKT_PROCESS_STRAY),             \
        SPECIAL("writes of system registers do nothing", SYSTEM_REGISTERS, NO_FAULT),               \
        SPECIAL("exclusive access over a call", EXCLUSIVE_CALL, NO_FAULT),                          \
        SPECIAL("exclusive access over interrupts", EXCLUSIVE_INTERRUPT, NO_FAULT),                 \
        SPECIAL("undefined instruction without a stack", UNDEFINED_NO_STACK, TAKT_PROCESS_STRAY),   \
        SPECIAL("breakpoint without a stack", BREAK_NO_STACK, TAKT_PROCESS_STRAY),                  \
        SPECIAL("stray access without a stack", STRAY_NO_STACK, TAKT_PROCESS_STRAY),                \
        SPECIAL("division by zero", DIVISION, TAKT_PROCESS_ILLEGAL),                                \
        SPECIAL("unaligned pair of words", UNALIGNED, TAKT_PROCESS_ILLEGAL),                        \
        SPECIAL("task that an interrupt makes begin anew", RESTART_SPIN, NO_FAULT),                 \
        {"the same, of a task in a call", DO_SPECIAL, RESTART_CALL, NO_FAULT, true, "1se23"},       \
        SPECIAL("thread pointer", THREAD_POINTER, NO_FAULT),                                        \
        SPECIAL("stack in memory that may go away, of a waiter", SLEEP_ELSEWHERE, ELSEWHERE_FAULT), \
        SPECIAL("stack in memory that may go away, preempted", SPIN_ELSEWHERE, NO_FAULT)

#define TARGET_ONE static __attribute__((unused, noinline))
#define FRAME_PC 24u
#define FRAME_XPSR 28u

/* The kernel writes `value` at `offset` of the frame of this very call. The stack is aligned to 8 there. */
TARGET_ONE __attribute__((naked)) void special_frame(uint32_t offset, uint32_t value)
{
    (void)offset;
    (void)value;
    __asm volatile("push {r4, lr}\n sub r0, #32\n add r0, sp\n mov r12, %[call]\n svc 0\n pop {r4, pc}"
                   :
                   : [call] "i"(CALL_POKE));
}

/* The same from a stack that is aligned to 4 only: the processor says so in xPSR. */
TARGET_ONE __attribute__((naked)) void special_odd(void)
{
    __asm volatile("push {r4-r6}\n mov r4, sp\n"
                   "movs r0, #0\n mov r12, r0\n svc 0\n"
                   "cmp r4, sp\n it ne\n udfne #0\n add sp, #12\n bx lr");
}

TARGET_ONE __attribute__((naked)) void special_branch(uint32_t address)
{
    (void)address;
    __asm volatile("mov lr, r0\n bx lr");
}

TARGET_ONE bool special_registers(void)
{
    uint32_t control;
    uint32_t masks;
    uint32_t stack;
    uint32_t exception;
    __asm volatile("movs %0, #0\n msr control, %0\n isb\n"
                   "cpsid i\n cpsid f\n"
                   "mov  %0, #0x20\n msr basepri, %0\n msr basepri_max, %0\n"
                   "movs %0, #1\n msr primask, %0\n msr faultmask, %0\n"
                   "movs %0, #0\n msr msp, %0\n msr psp, %0\n"
                   "mrs  %1, primask\n mrs %0, basepri\n orr %1, %0\n mrs %0, faultmask\n orr %1, %0\n"
                   "mrs  %2, msp\n mrs %3, ipsr\n"
                   "mrs  %0, control\n"
                   : "=&r"(control), "=&r"(masks), "=&r"(stack), "=&r"(exception));
    return control == 3 && masks == 0 && stack == 0 && exception == 0;
}

/* Whether a store fails whose load was before a call, or before interrupts. */
TARGET_ONE __attribute__((naked)) bool special_exclusive(volatile uint32_t *word, uint32_t loops)
{
    (void)word;
    (void)loops;
    __asm volatile("push {r4, r5, r6, lr}\n mov r4, r0\n mov r5, r1\n ldrex r6, [r4]\n"
                   "cbnz r5, 1f\n movs r0, #0\n mov r12, r0\n svc 0\n b 2f\n"
                   "1: subs r5, #1\n bne 1b\n"
                   "2: strex r0, r6, [r4]\n pop {r4, r5, r6, pc}");
}

/* `which`: an undefined instruction, a breakpoint, or a stray access, with sp = 0. */
TARGET_ONE __attribute__((naked)) void special_no_stack(uint32_t which)
{
    (void)which;
    __asm volatile("movs r1, #0\n mov sp, r1\n cmp r0, #1\n blo 1f\n beq 2f\n"
                   "mov r2, #0x20000000\n str r1, [r2]\n"
                   "1: udf #0\n"
                   "2: bkpt 0xab\n b 2b");
}

/* Memory of process b that is not its own: system.c. A call that blocks, or interrupts, with the stack there. */
extern uint8_t contexts_lent[];
TARGET_ONE __attribute__((naked)) void special_elsewhere(void *sp, uint64_t until_ns)
{
    (void)sp;
    (void)until_ns;
    __asm volatile("push {r4, r5, r6, lr}\n mov r4, sp\n mov sp, r0\n mov r0, r2\n mov r1, r3\n"
                   "orrs r2, r0, r1\n beq 1f\n mov r12, %[call]\n svc 0\n b 2f\n"
                   "1: movw r5, %[loops]\n 3: subs r5, #1\n bne 3b\n push {r5}\n"
                   "2: mov sp, r4\n pop {r4, r5, r6, pc}"
                   :
                   : [call] "i"(CALL_SLEEP_UNTIL), [loops] "i"(SPIN_LOOPS));
}

/* What finds the C library's thread-local storage changes no other register, and finds the process's own. */
extern uint8_t user_b_memory_start[];
TARGET_ONE __attribute__((naked)) uint32_t special_thread_pointer(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    __asm volatile("push {r4, lr}\n push {r1, r2, r3}\n sub sp, #4\n bl __aeabi_read_tp\n add sp, #4\n"
                   "pop {r4}\n cmp r4, r1\n it ne\n movne r0, #0\n"
                   "pop {r4}\n cmp r4, r2\n it ne\n movne r0, #0\n"
                   "pop {r4}\n cmp r4, r3\n it ne\n movne r0, #0\n pop {r4, pc}");
}

/* An interrupt makes the task begin anew while it runs, or, for 1, is in a call: it does not return. */
TARGET_ONE __attribute__((naked)) void special_restart(uint32_t in_call)
{
    (void)in_call;
    __asm volatile("push {r4, lr}\n mov r4, r0\n movw r0, #30000\n mov r12, %[restart]\n svc 0\n"
                   "cbz r4, 1f\n mov r12, %[spin]\n svc 0\n pop {r4, pc}\n"
                   "1: movw r0, %[loops]\n 2: subs r0, #1\n bne 2b\n pop {r4, pc}"
                   :
                   : [restart] "i"(CALL_RESTART), [spin] "i"(CALL_SPIN), [loops] "i"(SPIN_LOOPS));
}

TARGET_ONE bool target_special(uint32_t which)
{
    static volatile uint32_t word;
    switch ((enum special)which) {
    case XPSR_SVC:
        special_frame(FRAME_XPSR, 0x0100000Bu);
        break;
    case XPSR_HARD_FAULT:
        special_frame(FRAME_XPSR, 0x01000003u);
        break;
    case XPSR_INTERRUPT:
        special_frame(FRAME_XPSR, 0x01000018u);
        break;
    case XPSR_ARM:
        special_frame(FRAME_XPSR, 0);
        break;
    case XPSR_UNALIGNED_IT:
        special_odd();
        break;
    case PC_KERNEL:
        special_frame(FRAME_PC, 0x200);
        break;
    case PC_EXC_RETURN_HANDLER:
        special_frame(FRAME_PC, 0xFFFFFFF1u);
        break;
    case PC_EXC_RETURN_THREAD:
        special_frame(FRAME_PC, 0xFFFFFFFDu);
        break;
    case BRANCH_EXC_RETURN:
        special_branch(0xFFFFFFFDu);
        break;
    case BRANCH_EXC_RETURN_HANDLER:
        special_branch(0xFFFFFFF1u);
        break;
    case SYSTEM_REGISTERS:
        return special_registers();
    case EXCLUSIVE_CALL:
        return special_exclusive(&word, 0);
    case EXCLUSIVE_INTERRUPT:
        return special_exclusive(&word, SPIN_LOOPS);
    case UNDEFINED_NO_STACK:
        special_no_stack(0);
        break;
    case BREAK_NO_STACK:
        special_no_stack(1);
        break;
    case STRAY_NO_STACK:
        special_no_stack(2);
        break;
    case DIVISION:
        __asm volatile("movs r0, #0\n udiv r0, r0, r0" : : : "r0", "cc");
        break;
    case UNALIGNED:
        __asm volatile("add r0, sp, #2\n ldrd r0, r1, [r0]" : : : "r0", "r1");
        break;
    case RESTART_SPIN:
        special_restart(0);
        return false;
    case RESTART_CALL:
        special_restart(1);
        return false;
    case THREAD_POINTER:
        return special_thread_pointer(1, 2, 3, 4) == (uint32_t)(uintptr_t)user_b_memory_start - 8u;
    case SLEEP_ELSEWHERE:
        special_elsewhere(contexts_lent + LENT_SIZE, user_now() + 100000);
        break;
    case SPIN_ELSEWHERE:
        special_elsewhere(contexts_lent + LENT_SIZE, 0);
        break;
    }
    return true;
}

#endif
