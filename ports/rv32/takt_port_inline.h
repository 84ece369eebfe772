/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/engine.h"
#include "takt/protection.h"
#if TAKT_PROCESSES
#include "takt_rv32_protected.h"
#endif

#define TAKT_RV32_MIE 8u /* mstatus: interrupts of machine mode are enabled */

/*
 * Between two stamps of a task's execution lies kernel time: the way into an interrupt, or from its end to the switch.
 * Measured on rv32-virt, preset standard: 7.9 us for an interrupt without a switch, 11.6 us for a preemption, which has
 * two such stretches. The longest counts, so that a job is never charged for what is not its own.
 */
#define TAKT_PORT_CHARGE_NS 8100u

/* mtime of the board, low half and high half: a symbol that has its address; and the ns of a tick. */
extern const volatile uint32_t takt_rv32_mtime[2] __attribute__((aligned(8)));
extern const uint32_t takt_rv32_tick_ns;
#define TAKT_PORT_TICK_NS takt_rv32_tick_ns
static inline uint32_t takt_port_ticks(uint32_t *era)
{
    uint32_t ticks = takt_rv32_mtime[0];
    *era = takt_rv32_mtime[1];
    return ticks;
}

/*
 * The lock is mstatus.MIE: it masks every interrupt. What it returns is that bit inverted, so that 0 is "unlocked";
 * where lock and unlock are in one function the two inversions cancel out.
 */
static inline uint32_t takt_port_lock(void)
{
    uint32_t status;
    __asm volatile("csrrci %0, mstatus, %1" : "=r"(status) : "i"(TAKT_RV32_MIE) : "memory");
    return (status & TAKT_RV32_MIE) ^ TAKT_RV32_MIE;
}

static inline void takt_port_unlock(uint32_t state)
{
    __asm volatile("csrs mstatus, %0" : : "rK"(state ^ TAKT_RV32_MIE) : "memory");
}

/* mstatus as it was: a call in an interrupt leaves MIE closed, and one that hands it on does not work on it. */
static inline uint32_t takt_port_enter(void)
{
    uint32_t status;
    __asm volatile("csrrci %0, mstatus, %1" : "=r"(status) : "i"(TAKT_RV32_MIE) : "memory");
    return status;
}

static inline void takt_port_leave(uint32_t entered)
{
    __asm volatile("csrs mstatus, %0" : : "rK"(entered & TAKT_RV32_MIE) : "memory");
}

/* In an interrupt the lock is closed, and leave opens nothing: a bit that mstatus does not have says so. */
#define TAKT_PORT_ENTERED 4u

/*
 * nested.c: other interrupts interrupt that of the timer. Compiled for size, or with the task manager, they do not.
 * Kept meanwhile, for they change the registers: mepc, and mstatus, in which an mret leaves the least privileged mode.
 * What is pending is taken between opening and closing: a write to mstatus has the processor look (privileged spec,
 * 3.1.9).
 */
#if !TAKT_SINGLE_PATH
#define TAKT_PORT_NESTS 1
#define TAKT_RV32_NESTED 256u /* bit of mtvec: the vectors of nested interrupts */
#define TAKT_RV32_MIE_TIMER 128u

/* Owner: the timer's interrupt. */
extern struct takt_rv32_interrupted {
    uint32_t pc;
    uint32_t status; /* with processes; without, tasks are in machine mode */
} takt_rv32_interrupted;

static inline uint32_t takt_port_nest_begin(void)
{
    uint32_t pc;
    uint32_t status;
    __asm volatile("csrr %0, mepc" : "=r"(pc));
    takt_rv32_interrupted.pc = pc;
    if (TAKT_PROCESSES) {
        __asm volatile("csrr %0, mstatus" : "=r"(status));
        takt_rv32_interrupted.status = status;
    }
    __asm volatile("csrc  mie, %0\n\t"
                   "csrs  mtvec, %1\n\t"
                   "csrsi mstatus, %2\n\t"
                   "csrci mstatus, %2"
                   :
                   : "r"(TAKT_RV32_MIE_TIMER), "r"(TAKT_RV32_NESTED), "i"(TAKT_RV32_MIE)
                   : "memory");
    return TAKT_RV32_MIE;
}

static inline void takt_port_nest_end(void)
{
    __asm volatile("csrsi mstatus, %0\n\t"
                   "csrci mstatus, %0\n\t"
                   "csrs  mie, %1\n\t"
                   "csrc  mtvec, %2"
                   :
                   : "i"(TAKT_RV32_MIE), "r"(TAKT_RV32_MIE_TIMER), "r"(TAKT_RV32_NESTED)
                   : "memory");
    uint32_t mode = TAKT_PROCESSES ? takt_rv32_interrupted.status : 0x1800;
    __asm volatile("csrs mstatus, %0" : : "r"(mode));
    __asm volatile("csrw mepc, %0" : : "r"(takt_rv32_interrupted.pc));
}
#endif

/*
 * mscratch: 0 in thread mode, or in a trap from user mode; in a handler the interrupted stack pointer, or where the
 * interrupted task's registers are. The same wherever one function looks.
 */
static inline uint32_t takt_port_caller(uint32_t entered)
{
    uint32_t interrupted;
    (void)entered;
    __asm("csrr %0, mscratch" : "=r"(interrupted));
    return interrupted;
}

#if !TAKT_PROCESSES
/* Written by handlers, read and cleared on the way out of a trap, all with interrupts masked. */
extern uint32_t takt_rv32_pended;

/* kernel/core/dispatch.c: of the running task, which calls it. */
#define TAKT_PORT_STACK_POINTER(task) takt_port_stack_pointer()
static inline uintptr_t takt_port_stack_pointer(void)
{
    uintptr_t here;
    __asm volatile("mv %0, sp" : "=r"(here));
    return here;
}

static inline void takt_port_pend_switch(void)
{
    takt_rv32_pended = 1;
}
#endif

/* An interrupt that is pending and enabled in mie ends WFI whatever MIE says (privileged spec, 3.3.3). The clock is
 * read just before, so that QEMU wakes the processor late by two instructions at the most
 * (ports/armv7m/takt_port_inline.h). `__inline`: counted as one instruction, so that idle stays in line. */
static inline void takt_port_idle(uint64_t until_ns)
{
    (void)until_ns; /* the one-shot is armed */
#ifdef __OPTIMIZE_SIZE__
    __asm volatile("wfi" : : : "memory");
#else
    __asm volatile __inline("lw zero, %0\n\t"
                            "wfi"
                            :
                            : "m"(takt_rv32_mtime[0])
                            : "memory");
#endif
}

/*
 * trap.c: external interrupts and those of the timer, called. All registers are as after a trap that does not save
 * them; what it has to find again is in s1. Compiled for size: idle traps as any other.
 */
#if !TAKT_PROCESSES && !defined __OPTIMIZE_SIZE__
#define TAKT_PORT_SERVES_IDLE 1
#define TAKT_RV32_MIP_EXTERNAL 11
#define TAKT_RV32_MIP_TIMER (TAKT_ENGINE_RTM ? 16 : 7)
static inline void takt_port_serve_idle(void)
{
    __asm volatile("csrr  t0, mip\n\t"
                   "slli  t1, t0, 31 - %0\n\t"
                   "bgez  t1, 1f\n\t"
                   "call  takt_rv32_idle_external\n\t"
                   "j     2f\n"
                   "1:\n\t"
                   "slli  t1, t0, 31 - %1\n\t"
                   "bgez  t1, 2f\n\t"
                   "call  takt_rv32_idle_timer\n"
                   "2:"
                   :
                   : "i"(TAKT_RV32_MIP_EXTERNAL), "i"(TAKT_RV32_MIP_TIMER)
                   : "memory", "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
                     "a7", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11");
}
#endif

#endif
