/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_INLINE_H
#define TAKT_PORT_INLINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Functions of kernel/port.h that are a few instructions are best `static inline` here: the lock, the unlock,
 * in_interrupt and pend_switch are on every hot path. Start with them in port.c; move them here when the suite passes.
 */

/*
 * The longest stretch of kernel code, ns, that is counted as a task's execution because it runs before or after the
 * stamp of a switch. 0 until it is measured.
 */
#define TAKT_PORT_CHARGE_NS 0u

#include "takt/protection.h"
#if TAKT_PROCESSES
/* Every task has one, in the kernel's memory: the registers of a task that does not run. */
struct takt_port_context {
    uint32_t result;
};

/* Every process has one: the values of the processor's region registers, ready to be written. */
struct takt_port_map {
    uint32_t entries;
};

/* A function that traps with `number`, its arguments where they are, and returns what the trap left. */
#define TAKT_PORT_STUB(symbol, number) __asm__(".globl " #symbol "\n" #symbol ":\n")
#endif

#endif
