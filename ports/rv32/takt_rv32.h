/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RV32_H
#define TAKT_RV32_H

#include <stdint.h>

#include "takt/engine.h"

/*
 * Between this port and its boards: RV32I with the extensions that the compiler is given, in machine mode; with
 * processes tasks are in user mode (takt_rv32_protected.h). A board has the clock (takt_port_now_ns,
 * takt_port_timer_set; for the trace takt_rv32_mtime, at mtime's address, takt_rv32_tick_ns and takt_port_ticks_ns),
 * the interrupt controller (takt_port_irq_attach, below; with processes takt_port_irq_mask), takt_work and
 * takt_port_halt: RISC-V leaves them to the platform.
 *
 * At reset the board sets gp and sp, mtvec to takt_rv32_vectors in vectored mode, and mscratch and mie to 0. Nobody
 * else changes gp. tp is the C library's: the same for every task, or with TAKT_THREAD_LOCAL that of the running task,
 * and in interrupts that of start-up.
 */

/*
 * Where each task has thread-local variables of its own: tp of the task in a0; of interrupts; of the task that goes on
 * after one. Operands: tls, offset in takt_task; running, in takti_kernel.
 */
#if defined TAKT_THREAD_LOCAL && TAKT_THREAD_LOCAL /* files that see no header of the kernel include it too */
#define TAKT_RV32_THREAD_POINTER "lw    tp, %[tls](a0)\n\t"
#define TAKT_RV32_THREAD_POINTER_INTERRUPT "la    tp, takti_tls_start\n\t"
#define TAKT_RV32_THREAD_POINTER_BACK         \
    "lw    t0, takti_kernel + %[running]\n\t" \
    "lw    tp, %[tls](t0)\n\t"
#else
#define TAKT_RV32_THREAD_POINTER ""
#define TAKT_RV32_THREAD_POINTER_INTERRUPT ""
#define TAKT_RV32_THREAD_POINTER_BACK ""
#endif

/* What a context is: context.c, which has takt_rv32_resume for trap.c too. In: sp = the context. */
#define TAKT_RV32_CONTEXT_SIZE 56
#define TAKT_RV32_PUSH_SAVED \
    "sw   s0, 8(sp)\n\t"     \
    "sw   s1, 12(sp)\n\t"    \
    "sw   s2, 16(sp)\n\t"    \
    "sw   s3, 20(sp)\n\t"    \
    "sw   s4, 24(sp)\n\t"    \
    "sw   s5, 28(sp)\n\t"    \
    "sw   s6, 32(sp)\n\t"    \
    "sw   s7, 36(sp)\n\t"    \
    "sw   s8, 40(sp)\n\t"    \
    "sw   s9, 44(sp)\n\t"    \
    "sw   s10, 48(sp)\n\t"   \
    "sw   s11, 52(sp)\n\t"

/* mie: software, timer and external interrupts of machine mode; in place of the timer's the task manager's, 16. */
#if TAKT_ENGINE_RTM
#define TAKT_RV32_INTERRUPTS (UINT32_C(1) << 3 | UINT32_C(1) << 11 | UINT32_C(1) << 16)
#else
#define TAKT_RV32_INTERRUPTS (UINT32_C(1) << 3 | UINT32_C(1) << 7 | UINT32_C(1) << 11)
#endif

/*
 * The trap vectors, aligned for every implementation of mtvec, in vectored mode: exceptions at the base, interrupt n at
 * base + 4 n. Interrupts that nobody enabled are exceptions too.
 */
void takt_rv32_vectors(void);
#define TAKT_RV32_VECTORED 1u /* mtvec.MODE */
#if TAKT_ENGINE_RTM
#define TAKT_RV32_MORE_VECTORS \
    "j     %[fault]\n\t"       \
    "j     %[fault]\n\t"       \
    "j     %[fault]\n\t"       \
    "j     %[fault]\n\t"       \
    "j     %[timer]\n\t"
#else
#define TAKT_RV32_MORE_VECTORS
#endif

/*
 * The vectors while other interrupts may interrupt that of the timer (nested.c): TAKT_RV32_NESTED bytes behind those,
 * so that one bit of mtvec chooses, whatever table it points at. The timer is masked then.
 */
#if TAKT_SINGLE_PATH
#define TAKT_RV32_VECTORS_SIZE 256
#define TAKT_RV32_NESTED_VECTORS
#else
#define TAKT_RV32_VECTORS_SIZE 512
#define TAKT_RV32_NESTED_VECTORS          \
    ".balign 256\n\t"                     \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     takt_rv32_nested_software\n\t" \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     %[fault]\n\t"                  \
    "j     takt_rv32_nested_external\n\t"
#endif
#define TAKT_RV32_VECTORS(exception)                                                                         \
    __attribute__((naked, aligned(TAKT_RV32_VECTORS_SIZE))) void takt_rv32_vectors(void)                     \
    {                                                                                                        \
        __asm volatile(".option push\n\t"                                                                    \
                       ".option norvc\n\t"                                                                   \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[software]\n\t"                                                               \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[timer]\n\t"                                                                  \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[fault]\n\t"                                                                  \
                       "j     %[external]\n\t" TAKT_RV32_MORE_VECTORS TAKT_RV32_NESTED_VECTORS ".option pop" \
                       :                                                                                     \
                       : [fault] "i"(exception), [software] "i"(software_taken), [timer] "i"(timer_taken),   \
                         [external] "i"(external_taken));                                                    \
    }

/* The board's: top of the stack of start-up and all interrupts, aligned to 16. */
extern uint32_t *const takt_rv32_interrupt_stack_top;

/* The linker script's, with processes: the kernel's thread-local storage, which tp points at in machine mode. */
extern uint8_t takti_tls_start[];

/* The board's: starts its clock at 0, and the one-shot. Called locked, in takt_port_start. */
void takt_rv32_clock_start(void);

/* The board's: the machine software and external interrupts (mip.MSIP, mip.MEIP) were taken. In an interrupt. */
void takt_rv32_software_interrupt(void);
void takt_rv32_external_interrupt(void);

/*
 * A fault of the kernel: whatever the stack is, the record is made on the interrupts', below the registers as faults.c
 * names them. In: mscratch = sp.
 */
#define TAKT_RV32_RECORD                          \
    "lw    sp, takt_rv32_interrupt_stack_top\n\t" \
    "addi  sp, sp, -48\n\t"                       \
    "sw    ra, 0(sp)\n\t"                         \
    "csrr  ra, mscratch\n\t"                      \
    "sw    ra, 4(sp)\n\t"                         \
    "sw    a0, 8(sp)\n\t"                         \
    "sw    a1, 12(sp)\n\t"                        \
    "sw    a2, 16(sp)\n\t"                        \
    "sw    a3, 20(sp)\n\t"                        \
    "sw    a4, 24(sp)\n\t"                        \
    "sw    a5, 28(sp)\n\t"                        \
    "sw    s0, 32(sp)\n\t"                        \
    "csrr  a0, mepc\n\t"                          \
    "sw    a0, 36(sp)\n\t"                        \
    "csrr  a1, mcause\n\t"                        \
    "sw    a1, 40(sp)\n\t"                        \
    "csrr  a1, mtval\n\t"                         \
    "sw    a1, 44(sp)\n\t"                        \
    "mv    a1, sp\n\t"                            \
    "tail  takt_rv32_fault"
#define TAKT_RV32_FAULT_NAMES "ra sp a0 a1 a2 a3 a4 a5 s0 pc mcause mtval"
#define TAKT_RV32_FAULT_WORDS 12

/* From a trap: the processor could not go on at `address`, in the kernel. */
_Noreturn void takt_rv32_fault(uintptr_t address, const uint32_t *registers);

#endif
