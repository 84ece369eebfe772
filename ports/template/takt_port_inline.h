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

#endif
