/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_TIMER_H
#define TAKTI_TIMER_H

/* Timers of the kernel: absolute expiries, one-shot, no tick. The engine has the armed ones (kernel/engine/engine.h).
 */
#include <stddef.h>

#include "takt/system.h"

/* The structure that has a timer as its `member`. */
#define TAKTI_TIMER_OWNER(timer, type, member) ((type *)(void *)((char *)(timer)-offsetof(type, member)))

void takti_timers_serve(uint32_t lock); /* the synchronous first release */

/* Arms `call`, replacing an earlier expiry. Its storage is caller-owned, and zero before the first use. */
void takti_call_at(struct takti_call *call, uint64_t at_ns, void (*function)(struct takti_call *call));

/* For an engine: does what the expiry of a task that waited quietly makes the kernel do; returns the task. */
struct takt_task *takti_came(struct takt_task *task);

static inline bool takti_timer_armed(const struct takt_timer *timer)
{
    return timer->armed != 0;
}

#endif
