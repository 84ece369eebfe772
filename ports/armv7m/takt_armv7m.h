/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ARMV7M_H
#define TAKT_ARMV7M_H

#include <stdint.h>

/*
 * Between this port and its boards. A board has the vector table, the clock (takt_port_now_ns, takt_port_timer_set),
 * takt_work and takt_port_halt.
 *
 * Priorities, the smaller the more urgent: faults and interrupts that may not call the kernel, SVC, the line
 * (takt_port_inline.h) with every interrupt that may, the kernel's own timer (below the others: devices do not wait for
 * many releases), PendSV.
 */
#define TAKT_ARMV7M_PRIORITY_FREE 0x00u
#define TAKT_ARMV7M_PRIORITY_SVC 0x20u
#define TAKT_ARMV7M_PRIORITY_KERNEL 0x40u
#define TAKT_ARMV7M_PRIORITY_TIMER 0x60u
#define TAKT_ARMV7M_PRIORITY_PENDSV 0xE0u

#define TAKT_ARMV7M_EXCEPTIONS 16u /* vectors before the first interrupt */

/* The vector table in use (VTOR points at it), in RAM, aligned as ARMv7-M asks; the board's, complete at reset. */
extern uint32_t takt_armv7m_vectors[];
/* How many interrupts the table has room for. */
extern const unsigned takt_armv7m_interrupts;

/* Exception handlers for the vector table. */
void takt_armv7m_fault(void);
void takt_armv7m_svc(void);
void takt_armv7m_pendsv(void);
void takt_armv7m_enter(void); /* compiled for size: takt_port_inline.h */
void takt_armv7m_leave(void);
void takt_armv7m_unexpected(void); /* every interrupt that nobody attached */

/* The board's: starts its clock at 0 and the one-shot. Called locked, in takt_port_start. */
void takt_armv7m_clock_start(void);

/* Puts `handler` into the table as it is, with `priority`, and enables interrupt `number`. */
void takt_armv7m_vector_set(unsigned number, void (*handler)(void), uint8_t priority);

#endif
