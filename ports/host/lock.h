/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HOST_LOCK_H
#define TAKT_HOST_LOCK_H

/* The kernel's lock: lock.c opens and closes it, and port.c at switches and interrupts. */
#include <stdbool.h>
#include <stdint.h>

extern struct takt_host_lock {
    bool closed;
    bool deliver; /* at the next unlock: the processor slept until an interrupt */
} takt_host_lock;

/* takt_port_unlock, for port.c itself. */
void takt_host_unlock(uint32_t state);

#endif
