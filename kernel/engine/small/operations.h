/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SMALL_OPERATIONS_H
#define TAKTI_SMALL_OPERATIONS_H

/*
 * The timers: a list sorted by expiry in place of the array of kernel/engine/queues/. Arming or cancelling a timer
 * passes the timers before it, at most all.
 */
#include "kernel/engine/shared/ready.h"

void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns);
void takti_timer_remove(struct takt_timer *timer);
uint64_t takti_timers_first_ns(void);
void takti_engine_init(void);

static inline void takti_timer_arm_inline(struct takt_timer *timer, uint64_t at_ns, uint32_t state)
{
    (void)state;
    takti_timer_arm(timer, at_ns);
}

static inline __attribute__((always_inline)) struct takt_timer *takti_timers_take(enum takti_take which)
{
    struct takti_timers *timers = &takti_kernel.timers;
    if (which == TAKTI_TAKE_START && takti_timers_first_ns() != 0) {
        return NULL;
    }
    if (which == TAKTI_TAKE_NEXT && takt_port_timer_set(takti_timers_first_ns())) {
        return NULL;
    }
    struct takt_timer *timer = timers->first;
    timers->first = timer->next;
    timer->armed = 0;
    return timer;
}

#endif
