/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/port.h"
#include "takt/task.h"
#include "takt_rv32.h"

#if !TAKT_PROCESSES
#pragma GCC diagnostic ignored "-Wunused-parameter" /* a naked function finds them in registers */

/*
 * Contexts. A context that does not run is 14 words on its own stack, lowest first: what the switch returns, the
 * address to go on at and s0 to s11. The other registers are dead at a call, or saved by the trap that it is in
 * (trap.c). Nothing runs on such a stack, so it need not be aligned to 16 below the context.
 *
 * A context goes on with the lock open, but one that a trap took the processor from: only its mret may open it, with
 * the last register back, or an interrupt in between would push a second frame under the first, and so on. Its result
 * is negative, which no status is.
 */
struct context {
    uint32_t result;
    uint32_t pc;
    uint32_t s0_to_s11[12];
};

_Static_assert(sizeof(struct context) == TAKT_RV32_CONTEXT_SIZE, "what the switch pushes");
_Static_assert(offsetof(struct takt_task, stack_pointer) == 0, "the switch stores it at offset 0");

/* Where a new context starts, unlocked, s0 = its task. */
static __attribute__((naked, used)) void context_begin(void)
{
    __asm volatile("mv    a0, s0\n\t"
                   "li    s0, 0\n\t" /* the end of the chain of frames and ... */
                   "li    ra, 0\n\t" /* ... of calls, for debuggers */
                   "tail  takti_task_main");
}

void takt_port_context_init(struct takt_task *task)
{
    uintptr_t top = ((uintptr_t)task->config->stack + task->config->stack_size) & ~(uintptr_t)15u;
    if (TAKT_THREAD_LOCAL) {
        top = takti_thread_local_begin(task, top);
    }
    struct context *context = (struct context *)top - 1;
    context->result = 0;
    context->s0_to_s11[0] = (uint32_t)(uintptr_t)task; /* the others: whatever is there */
    context->pc = (uint32_t)(uintptr_t)context_begin;
    task->stack_pointer = context;
}

/*
 * In: a0 = to, a1 = from, a2 = 0, which is the result too unless somebody changes it on the stack. From
 * takt_rv32_resume on, sp = the context that goes on: also where trap.c continues one.
 */
__attribute__((naked)) enum takt_status takt_port_switch(struct takt_task *to, struct takt_task *from, uint32_t task)
{
    __asm volatile(
        "addi sp, sp, -%[size]\n\t"
        "sw   a2, 0(sp)\n\t"
        "sw   ra, 4(sp)\n\t" TAKT_RV32_PUSH_SAVED "sw   sp, 0(a1)\n\t"
        "lw   sp, 0(a0)\n\t" TAKT_RV32_THREAD_POINTER "\n"
        ".globl takt_rv32_resume\n"
        "takt_rv32_resume:\n\t"
        "lw   a0, 0(sp)\n\t"
        "lw   ra, 4(sp)\n\t"
        "lw   s0, 8(sp)\n\t"
        "lw   s1, 12(sp)\n\t"
        "lw   s2, 16(sp)\n\t"
        "lw   s3, 20(sp)\n\t"
        "lw   s4, 24(sp)\n\t"
        "lw   s5, 28(sp)\n\t"
        "lw   s6, 32(sp)\n\t"
        "lw   s7, 36(sp)\n\t"
        "lw   s8, 40(sp)\n\t"
        "lw   s9, 44(sp)\n\t"
        "lw   s10, 48(sp)\n\t"
        "lw   s11, 52(sp)\n\t"
        "addi sp, sp, %[size]\n\t"
        "bltz a0, 1f\n\t"
        "csrsi mstatus, %[mie]\n"
        "1:\n\t"
        "ret"
        :
        : [size] "i"(TAKT_RV32_CONTEXT_SIZE), [mie] "i"(TAKT_RV32_MIE), [tls] "i"(offsetof(struct takt_task, tls)));
}

/* In: a0 = first. The start-up stack is the interrupts' from here on, empty. */
static __attribute__((naked, noreturn)) void context_enter(struct takt_task *first)
{
    __asm volatile("lw   sp, 0(a0)\n\t" TAKT_RV32_THREAD_POINTER "j    takt_rv32_resume"
                   :
                   : [tls] "i"(offsetof(struct takt_task, tls)));
}

void takt_port_init(void)
{
    __asm volatile("csrw mie, zero");
}

void takt_port_start(struct takt_task *first)
{
    takt_rv32_clock_start();
    __asm volatile("csrw mie, %0" : : "r"(TAKT_RV32_INTERRUPTS));
    context_enter(first);
}
#endif
