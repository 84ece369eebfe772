/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "takt/task.h"
#include "takt_rv32.h"
#include "takt_rv32_frame.h"

#if !TAKT_PROCESSES
/*
 * Interrupts. The processor masks them on entry and mret opens them again; in between mepc and mstatus.MPP (machine
 * mode) stay as they are, or are restored by that of the timer, in which others nest (nested.c). The entry saves what a
 * call may change on the interrupted stack, which is a task's or idle's, and runs the handler on the one stack of all
 * interrupts.
 *
 * A switch that a handler asked for is taken on the way out, locked: the context of the interrupted task is pushed
 * below its frame, with trap_resume to go on at, and the next one is continued, however it lost the processor. It may
 * open the lock, trap and return; when this one is continued, everything of it is on its stack, and mepc and MPP are
 * set again, which an mret leaves at the least privileged mode. MPIE is 1 ever since the first interrupt.
 */
uint32_t takt_rv32_pended;

#define MSTATUS_MPP 0x1800 /* machine mode */

/*
 * The interrupted stack pointer goes to mscratch, which also says that this is an interrupt. mepc is saved only when
 * there is a switch.
 */
#define TRAP_BEGIN "addi  sp, sp, -%[frame]\n\t" TAKT_RV32_FRAME_RA(TAKT_RV32_FRAME_SAVE)
#define TRAP_SAVE                                \
    TAKT_RV32_FRAME_OTHERS(TAKT_RV32_FRAME_SAVE) \
    "csrw  mscratch, sp\n\t"                     \
    "lw    sp, takt_rv32_interrupt_stack_top\n\t" TAKT_RV32_THREAD_POINTER_INTERRUPT
#define TRAP_LOAD TAKT_RV32_FRAME_RA(TAKT_RV32_FRAME_LOAD) TAKT_RV32_FRAME_OTHERS(TAKT_RV32_FRAME_LOAD)

/* The context of `running` is at sp: `next` goes on. */
#define TRAP_STORE                            \
    "la    a1, takti_kernel + %[running]\n\t" \
    "lw    t0, 0(a1)\n\t"                     \
    "sw    sp, 0(t0)\n\t"
#if TAKTI_SWITCH_HOOK
#define TRAP_NEXT "call  takti_switch_pended\n\t"
#else
#define TRAP_NEXT         \
    "lw    a0, 4(a1)\n\t" \
    "sw    a0, 0(a1)\n\t" \
    "sw    zero, %[wait_queue](a0)\n\t" /* takti_runs */
#endif
#define TRAP_CONTINUE TRAP_STORE TRAP_NEXT "lw    sp, 0(a0)\n\t" TAKT_RV32_THREAD_POINTER "j     takt_rv32_resume\n"
#define TRAP_OPERANDS                                                                                             \
    [size] "i"(TAKT_RV32_CONTEXT_SIZE), [running] "i"(TAKTI_RUNNING), [tls] "i"(offsetof(struct takt_task, tls)), \
        [wait_queue] "i"(offsetof(struct takt_task, wait_queue))

static __attribute__((naked, used)) void trap_leave(void)
{
    __asm volatile("csrrw sp, mscratch, zero\n\t"
                   "lw    t0, takt_rv32_pended\n\t"
                   "bnez  t0, 2f\n\t" TAKT_RV32_THREAD_POINTER_BACK "1:\n\t" TRAP_LOAD "addi  sp, sp, %[frame]\n\t"
                   "mret\n"
                   "2:\n\t"
                   "csrr  t0, mepc\n\t"
                   "sw    t0, %[pc](sp)\n\t"
                   "sw    zero, takt_rv32_pended, t0\n\t"
                   "addi  sp, sp, -%[size]\n\t"
                   "li    t0, -1\n\t" /* goes on locked */
                   "sw    t0, 0(sp)\n\t"
                   "la    t0, 3f\n\t"
                   "sw    t0, 4(sp)\n\t" TAKT_RV32_PUSH_SAVED TRAP_CONTINUE "3:\n\t" /* trap_resume */
                   "lw    t0, %[pc](sp)\n\t"
                   "csrw  mepc, t0\n\t"
                   "li    t0, %[mpp]\n\t"
                   "csrs  mstatus, t0\n\t"
                   "j     1b"
                   :
                   : [frame] "i"(sizeof(struct takt_rv32_frame)), [mpp] "i"(MSTATUS_MPP),
                     [pc] "i"(offsetof(struct takt_rv32_frame, pc)), TRAP_OPERANDS);
}

#ifdef __OPTIMIZE_SIZE__ /* once for all, and two instructions more */
static __attribute__((naked, used)) void trap_save(void)
{
    __asm volatile(TRAP_SAVE "ret");
}
#define TRAP_ENTER TRAP_BEGIN "call trap_save\n\t"
#else
#define TRAP_ENTER TRAP_BEGIN TRAP_SAVE
#endif

#define TRAP(handler)                                          \
    __asm volatile(TRAP_ENTER "call " handler "\n\tj %[leave]" \
                   :                                           \
                   : [frame] "i"(sizeof(struct takt_rv32_frame)), [leave] "i"(trap_leave))

static __attribute__((naked, used)) void software_taken(void)
{
    TRAP("takt_rv32_software_interrupt");
}

static __attribute__((naked, used)) void timer_taken(void)
{
    TRAP("takti_timer_interrupt");
}

static __attribute__((naked, used)) void external_taken(void)
{
    TRAP("takt_rv32_external_interrupt");
}

#if TAKT_PORT_SERVES_IDLE
/*
 * Interrupts of idle, which calls them: nothing is saved but where it goes on, in s1. A switch leaves a context whose
 * other registers are what they are.
 */
#define IDLE(handler)                                                                            \
    __asm volatile("csrw  mscratch, sp\n\t"                                                      \
                   "lw    sp, takt_rv32_interrupt_stack_top\n\t"                                 \
                   "mv    s1, ra\n\t" TAKT_RV32_THREAD_POINTER_INTERRUPT "call  " handler "\n\t" \
                   "csrrw sp, mscratch, zero\n\t"                                                \
                   "lw    t0, takt_rv32_pended\n\t"                                              \
                   "bnez  t0, 1f\n\t" TAKT_RV32_THREAD_POINTER_BACK "jr    s1\n"                 \
                   "1:\n\t"                                                                      \
                   "sw    zero, takt_rv32_pended, t0\n\t"                                        \
                   "addi  sp, sp, -%[size]\n\t"                                                  \
                   "sw    zero, 0(sp)\n\t"                                                       \
                   "sw    s1, 4(sp)\n\t" TRAP_CONTINUE                                           \
                   :                                                                             \
                   : TRAP_OPERANDS)

void takt_rv32_idle_external(void);
void takt_rv32_idle_timer(void);

__attribute__((naked, used)) void takt_rv32_idle_external(void)
{
    IDLE("takt_rv32_external_interrupt");
}

__attribute__((naked, used)) void takt_rv32_idle_timer(void)
{
    IDLE("takti_timer_interrupt");
}
#endif

/* Exceptions and interrupts that nobody enabled. */
static __attribute__((naked, used)) void fault_taken(void)
{
    __asm volatile("csrw  mscratch, sp\n\t" TAKT_RV32_RECORD);
}

TAKT_RV32_VECTORS(fault_taken)
#endif
