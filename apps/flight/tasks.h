/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of the flight program (seed 003, 2.1) and the interrupt of its serial line. system.toml says when they run.
 *
 * The link interrupt sorts frames into queues and posts a semaphore for each; the reader of that kind runs one job a
 * post. Readers keep `state` up to date, control copies it, computes outside the lock and sends throttles. What it sent
 * last is the state message `commanded`, which feedback reads.
 *
 * Each file is a process where the system is protected, so a section may also end because its owner's process did:
 * a task that waited then continues without it, this once.
 */
#ifndef FLIGHT_TASKS_H
#define FLIGHT_TASKS_H

#include "takt_app.h"

#include "takt/board.h"

#include "shared.h"

static inline uint32_t now_us(void)
{
    return (uint32_t)(takt_now() / 1000);
}

/* Whether the section may be entered. The locks have no timeout and are never deleted, so a status other than OK
 * and OWNER_DIED is an error of the kernel. */
static inline bool lock(struct takt_mutex *mutex)
{
    enum takt_status status = takt_mutex_lock(mutex);
    if (status != TAKT_OK && status != TAKT_OWNER_DIED) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0);
    }
    return status == TAKT_OK;
}

static inline void send(struct frame *frame)
{
    if (lock(&transmit_lock)) {
        (void)link_send(&serial, frame); /* a full ring is counted in serial.ring_full and shown by the monitor */
        takt_mutex_unlock(&transmit_lock);
    }
}

#endif
