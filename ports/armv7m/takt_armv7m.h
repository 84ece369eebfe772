/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ARMV7M_H
#define TAKT_ARMV7M_H

#include <stdint.h>

#include "takt/protection.h"

/*
 * Between this port and its boards. A board has the vector table, the clock (takt_port_now_ns, takt_port_timer_set; for
 * the trace a count of 32 bits that goes up: takt_armv7m_counter, at its address, takt_armv7m_tick_ns and
 * takt_port_ticks_ns, and takti_clock_far, called before it wraps), takt_work and takt_port_halt.
 *
 * Priorities, the smaller the more urgent: faults and interrupts that may not call the kernel, SVC, the line
 * (takt_port_inline.h) with every interrupt that may, the kernel's own timer (below the others: devices do not wait for
 * many releases), PendSV. With processes SVC is as low as PendSV, and faults are one step above (of processors with
 * eight priorities): interrupts preempt them, and a fault under the kernel's lock, or of an interrupt, which is at
 * least as urgent, is a HardFault.
 */
#define TAKT_ARMV7M_PRIORITY_FREE 0x00u
#if TAKT_PROCESSES
#define TAKT_ARMV7M_PRIORITY_FAULTS 0xC0u
#define TAKT_ARMV7M_PRIORITY_SVC 0xE0u
#else
#define TAKT_ARMV7M_PRIORITY_FAULTS TAKT_ARMV7M_PRIORITY_FREE
#define TAKT_ARMV7M_PRIORITY_SVC 0x20u
#endif
#define TAKT_ARMV7M_PRIORITY_KERNEL 0x40u
#define TAKT_ARMV7M_PRIORITY_TIMER 0x60u
#define TAKT_ARMV7M_PRIORITY_PENDSV 0xE0u

#define TAKT_ARMV7M_TLS_OFFSET 8u /* of the C library's thread-local storage behind its thread pointer */

#define TAKT_ARMV7M_EXCEPTIONS 16u /* vectors before the first interrupt */

/* The vector table in use (VTOR points at it), in RAM, aligned as ARMv7-M asks; the board's, complete at reset. */
extern uint32_t takt_armv7m_vectors[];
/* How many interrupts the table has room for. */
extern const unsigned takt_armv7m_interrupts;

/* Exception handlers for the vector table. */
#if TAKT_PROCESSES
void takt_armv7m_fault(void);         /* of a process, or ... */
void takt_armv7m_machine_fault(void); /* ... the machine's */
#else
#define takt_armv7m_machine_fault takt_armv7m_fault
void takt_armv7m_fault(void);
#endif
void takt_armv7m_svc(void);
void takt_armv7m_pendsv(void);
void takt_armv7m_enter(void); /* compiled for size: takt_port_inline.h */
void takt_armv7m_leave(void);
void takt_armv7m_unexpected(void); /* every interrupt that nobody attached */

#if TAKT_PROCESSES
struct takt_port_map;
#define TAKT_ARMV7M_RBAR_VALID 16u
extern const struct takt_port_map takt_armv7m_map_of_nothing; /* map.c */
#endif

#define TAKT_ARMV7M_CALL_TLS 0x1000u /* user.c: a call that is the port's own, with processes */

/* The board's: starts its clock at 0 and the one-shot. Called locked, in takt_port_start. */
void takt_armv7m_clock_start(void);

/* Puts `handler` into the table as it is, with `priority`, and enables interrupt `number`. */
void takt_armv7m_vector_set(unsigned number, void (*handler)(void), uint8_t priority);

#endif
