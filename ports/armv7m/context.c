/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "takt/task.h"
#include "takt_armv7m.h"

#if !TAKT_PROCESSES                                 /* with them: protected.c */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* a naked function finds them in registers */

/*
 * Contexts. Tasks and idle run in thread mode on PSP; MSP is the one stack of all interrupts. A context that does not
 * run is ten words on its own stack, lowest first: what the switch returns, r4-r11 and the address to go on at. That is
 * the caller of takt_port_switch or, for one that an interrupt took the processor from, `resume_preempted`, with the
 * frame that the processor saved above. So a task that blocks is left and continued with a push and a pop, in thread
 * mode, whatever the other one was doing. r0-r3, r12 and the flags are dead at a call. No exclusive access can be
 * open at a call, and every exception closes one: no CLREX.
 */
struct context {
    uint32_t result;
    uint32_t r4_to_r11[8];
    uint32_t pc;
};

_Static_assert(offsetof(struct takt_task, stack_pointer) == 0, "the switch stores it at offset 0");

/* Where a new context starts, unlocked, r4 = its task. */
static __attribute__((naked, used)) void context_begin(void)
{
    __asm volatile("mov  r0, r4\n\t"
                   "movs r1, #0\n\t"
                   "mov  lr, r1\n\t" /* the end of the chain, for debuggers */
                   "b    %c[main]"
                   :
                   : [main] "i"(takti_task_main));
}

void takt_port_context_init(struct takt_task *task)
{
    uintptr_t top = ((uintptr_t)task->config->stack + task->config->stack_size) & ~(uintptr_t)7u;
    if (TAKT_THREAD_LOCAL) {
        top = takti_thread_local_begin(task, top);
    }
    struct context *context = (struct context *)top - 1;
    context->r4_to_r11[0] = (uint32_t)(uintptr_t)task; /* the others: whatever is there */
    context->pc = (uint32_t)(uintptr_t)context_begin;
    task->stack_pointer = context;
}

#endif

#ifdef __OPTIMIZE_SIZE__
/* takt_port_enter and takt_port_leave: takt_port_inline.h. */
__attribute__((naked, used)) void takt_armv7m_enter(void)
{
    __asm volatile("mov.w ip, %0\n\t"
                   "msr   basepri, ip\n\t"
                   "bx    lr"
                   :
                   : "i"(TAKT_ARMV7M_LINE));
}

__attribute__((naked, used)) void takt_armv7m_leave(void)
{
    __asm volatile("mov.w ip, #0\n\t"
                   "msr   basepri, ip\n\t"
                   "bx    lr");
}
#endif

#if !TAKT_PROCESSES
/*
 * In: r0 = to, r1 = from, r2 = 0. That is the result too, unless somebody changes it on the stack. An interrupt
 * after the lock opens and before the pop finds a task that runs already and has its registers still on the stack:
 * PendSV knows.
 */
__attribute__((naked)) enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    __asm volatile("push {r2, r4-r11, lr}\n\t"
                   "str  sp, [r1]\n\t"
                   "ldr  sp, [r0]\n\t"
                   "msr  basepri, r2\n"
                   "resume:\n\t"
                   "pop.w {r0, r4-r11, pc}\n" /* four bytes */
                   "resume_preempted:\n\t"
                   "svc  0");
}

/* In: r0 = first. The start-up stack is MSP's, emptied: its first word in the vector table is where it began. */
static __attribute__((naked, noreturn)) void context_enter(struct takt_task *first)
{
    __asm volatile("ldr  r1, =0xE000ED08\n\t" /* VTOR */
                   "ldr  r1, [r1]\n\t"
                   "ldr  r1, [r1]\n\t"
                   "ldr  r0, [r0]\n\t"
                   "msr  psp, r0\n\t"
                   "movs r0, #2\n\t" /* CONTROL.SPSEL */
                   "msr  control, r0\n\t"
                   "isb\n\t"
                   "msr  msp, r1\n\t"
                   "movs r0, #0\n\t"
                   "msr  basepri, r0\n\t"
                   "cpsie i\n\t"
                   "pop  {r0, r4-r11, pc}\n\t"
                   ".ltorg");
}

void takt_port_start(struct takt_task *first)
{
    takt_armv7m_clock_start();
    context_enter(first);
}

/*
 * A switch asked for by an interrupt. PendSV has the lowest priority, so it runs when no other handler does and the
 * interrupted context is a task's (or idle's) with the lock open. It saves the context of the running task below the
 * frame that the processor saved, and continues the next one: one that was preempted too from its own frame; one that
 * called takt_port_switch by a frame that returns to `resume`, just below its ten words.
 *
 * A task that is interrupted at `resume` still has its registers on the stack: the frame is dropped, and nothing needs
 * to be saved. At `resume_preempted` they are loaded, and the frame above is the one that counts: the upper one is
 * dropped. Otherwise a task that is always interrupted there would need more stack each time.
 *
 * Races. A kernel interrupt before BASEPRI is raised runs first, and may pend PendSV again: it then comes once more and
 * finds nothing left to do. From there on only interrupts above the line run; they touch no kernel state and return to
 * where they came from.
 */
__attribute__((naked)) void takt_armv7m_pendsv(void)
{
    __asm volatile("movs  r3, %[line]\n\t"
                   "msr   basepri, r3\n\t"
                   "mrs   r0, psp\n\t"
                   "ldr   r1, [r0, #24]\n\t" /* interrupted at */
                   "ldr   r2, =resume\n\t"
                   "subs  r1, r1, r2\n\t"
                   "add   r12, r2, #5\n\t" /* resume_preempted, as a pop to pc wants it */
                   "cmp   r1, #4\n\t"
                   "bls   2f\n"
                   "1:\n\t"
                   "stmdb r0!, {r3-r11, r12}\n"
                   "3:\n\t"
                   "ldr   r1, =takti_kernel + %c[running]\n\t"
#if TAKTI_SWITCH_HOOK
                   "ldr   r3, [r1]\n\t"
                   "str   r0, [r3]\n\t"
                   "push  {r2, r3, r12, lr}\n\t"
                   "bl    takti_switch_pended\n\t"
                   "mov   r1, r0\n\t"
                   "pop   {r2, r3, r12, lr}\n\t"
                   "ldr   r0, [r1]\n\t"
#else
                   "ldrd  r3, r4, [r1]\n\t"
                   "str   r0, [r3]\n\t"
                   "str   r4, [r1]\n\t"
                   "movs  r3, #0\n\t"
                   "str   r3, [r4, %[wait_queue]]\n\t" /* takti_runs */
                   "ldr   r0, [r4]\n\t"
#endif
                   "ldr   r1, [r0, #36]\n\t"
                   "cmp   r1, r12\n\t"
                   "beq   4f\n\t"
                   "mov.w r3, #0x01000000\n\t"   /* xPSR: Thumb */
                   "strd  r2, r3, [r0, #-8]\n\t" /* r0-r3, r12, lr of the frame: anything */
                   "subs  r0, #32\n\t"
                   "msr   psp, r0\n\t"
                   "msr   basepri, r3\n\t" /* its lowest byte: 0 */
                   "bx    lr\n"
                   "4:\n\t"
                   "ldmia r0!, {r3-r11, r12}\n\t"
                   "msr   psp, r0\n\t"
                   "movs  r0, #0\n\t"
                   "msr   basepri, r0\n\t"
                   "bx    lr\n"
                   "2:\n\t"
                   "adds  r0, #32\n\t"
                   "cmp   r1, #0\n\t"
                   "beq   3b\n\t"
                   "b     1b\n\t"
                   ".ltorg"
                   :
                   : [line] "i"(TAKT_ARMV7M_LINE), [running] "i"(TAKTI_RUNNING),
                     [wait_queue] "i"(offsetof(struct takt_task, wait_queue)));
}

/* Only resume_preempted calls it. The stack is aligned to 8 there, so its own frame is eight words without padding. */
__attribute__((naked)) void takt_armv7m_svc(void)
{
    __asm volatile("mrs  r0, psp\n\t"
                   "adds r0, #32\n\t"
                   "msr  psp, r0\n\t"
                   "bx   lr");
}
#endif
