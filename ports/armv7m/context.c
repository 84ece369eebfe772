/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "takt/task.h"
#include "takt_armv7m.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* a naked function finds them in registers */

/*
 * Contexts. Tasks and idle run in thread mode on PSP; MSP is the one stack of all interrupts. A context that does not
 * run is nine words on its own stack, lowest first: r4-r11 and the address to go on at. Its lock state is on its
 * stack too, held by whoever called the kernel, so BASEPRI is not part of it. r0-r3, r12 and the flags are dead at a
 * call. No exclusive access can be open at a call, and every exception closes one: no CLREX.
 */
struct context {
    uint32_t r4_to_r11[8];
    uint32_t pc;
};

_Static_assert(offsetof(struct takt_task, stack_pointer) == 0, "the switch stores it at offset 0");

/* Where a new context starts, r4 = its task: locked, like every context that is switched to. */
static __attribute__((naked, used)) void context_begin(void)
{
    __asm volatile("mov  r0, r4\n\t"
                   "movs r1, #0\n\t"
                   "msr  basepri, r1\n\t"
                   "mov  lr, r1\n\t" /* the end of the chain, for debuggers */
                   "b    %c[main]"
                   :
                   : [main] "i"(takti_task_main));
}

void takt_port_context_init(struct takt_task *task)
{
    uintptr_t top = ((uintptr_t)task->config->stack + task->config->stack_size) & ~(uintptr_t)7u;
    struct context *context = (struct context *)top - 1;
    for (unsigned i = 0; i < 8; i++) {
        context->r4_to_r11[i] = 0;
    }
    context->r4_to_r11[0] = (uint32_t)(uintptr_t)task;
    context->pc = (uint32_t)(uintptr_t)context_begin;
    task->stack_pointer = context;
}

/* In: r0 = from, r1 = to. For four instructions the stack is aligned to 4: an interrupt there aligns its own frame. */
__attribute__((naked)) void takt_port_switch(struct takt_task *from, struct takt_task *to)
{
    __asm volatile("push {r4-r11, lr}\n\t"
                   "str  sp, [r0]\n\t"
                   "ldr  sp, [r1]\n\t"
                   "pop  {r4-r11, pc}");
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
                   "pop  {r4-r11, pc}\n\t"
                   ".ltorg");
}

void takt_port_start(struct takt_task *first)
{
    takt_armv7m_clock_start();
    context_enter(first);
}

/*
 * A switch asked for by an interrupt. PendSV has the lowest priority, so it runs when no other handler does and the
 * interrupted context is a task's (or idle's) with the lock open: a locked one cannot have been interrupted by the
 * kernel's interrupts. The frame that the processor saved stays where it is; below it PendSV builds a second one that
 * returns into a thunk, in thread mode, with the lock closed. There the switch is an ordinary one. When the
 * context is continued the thunk raises SVC, which drops its own frame, opens the lock and returns into the first
 * frame.
 *
 * Races. A kernel interrupt before BASEPRI is raised runs first, and may pend PendSV again: it then comes at the next
 * unlock, once per interrupt at the most, and finds nothing left to do. From there to SVC's return only interrupts
 * above the line run; they touch no kernel state, leave BASEPRI alone and return to where they came from. Interrupts
 * pending at SVC's return are tail-chained over the first frame, as if they had come in the interrupted code.
 */
__attribute__((naked)) void takt_armv7m_pendsv(void)
{
    __asm volatile("movs  r0, %[line]\n\t"
                   "msr   basepri, r0\n\t"
                   "mrs   r0, psp\n\t"
                   "adr   r1, 1f\n\t"          /* the thunk; a stacked address has no Thumb bit: */
                   "mov.w r2, #0x01000000\n\t" /* that one is in xPSR */
                   "strd  r1, r2, [r0, #-8]\n\t"
                   "subs  r0, #32\n\t" /* r0-r3, r12, lr: anything */
                   "msr   psp, r0\n\t"
                   "bx    lr\n\t"
                   ".balign 4\n"
                   "1:\n\t"
                   "bl    %c[pended]\n\t"
                   "svc   0"
                   :
                   : [line] "i"(TAKT_ARMV7M_LINE), [pended] "i"(takti_switch_pended));
}

/* Only the thunk calls it. Both stacks are aligned to 8 there, so its own frame is eight words without padding. */
__attribute__((naked)) void takt_armv7m_svc(void)
{
    __asm volatile("mrs  r0, psp\n\t"
                   "adds r0, #32\n\t"
                   "msr  psp, r0\n\t"
                   "movs r0, #0\n\t"
                   "msr  basepri, r0\n\t"
                   "bx   lr");
}
