/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RV32_H
#define TAKT_RV32_H

#include <stdint.h>

/*
 * Between this port and its boards: RV32I with the extensions that the compiler is told of, machine mode only. A board
 * has the clock (takt_port_now_ns, takt_port_timer_set), the interrupt controller (takt_port_irq_attach, below),
 * takt_work and takt_port_halt: RISC-V leaves them to the platform.
 *
 * At reset the board sets gp and sp, mtvec to takt_rv32_vectors in vectored mode, and mscratch and mie to 0. Nobody
 * else changes gp; tp is the C library's, the same for every task.
 */

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

/* The trap vectors, aligned for every implementation of mtvec. */
void takt_rv32_vectors(void);
#define TAKT_RV32_VECTORED 1u /* mtvec.MODE */

/* The board's: top of the stack of start-up and all interrupts, aligned to 16. */
extern uint32_t *const takt_rv32_interrupt_stack_top;

/* The board's: starts its clock at 0, and the one-shot. Called locked, in takt_port_start. */
void takt_rv32_clock_start(void);

/* The board's: the machine software and external interrupts (mip.MSIP, mip.MEIP) were taken. In an interrupt. */
void takt_rv32_software_interrupt(void);
void takt_rv32_external_interrupt(void);

#endif
