/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_QUEUES_OPERATIONS_H
#define TAKTI_QUEUES_OPERATIONS_H

/*
 * The timers: absolute expiries in one sorted queue, and a one-shot timer armed for the first. Timers with the same
 * expiry form a chain at one entry of the queue, in the order in which they were armed. So removing the first needs no
 * search, and arming finds its entry, or its chain, by bisection (docs/decisions/0009-sorted-timer-queue.md).
 */
#include "kernel/engine/queues/search.h"
#include "kernel/engine/shared/ready.h"

void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns);
void takti_timer_remove(struct takt_timer *timer);
uint64_t takti_timers_first_ns(void);
void takti_engine_init(void);

/* The first expiry changed. The end of the start arms the one-shot itself. */
static inline void takti_queues_first_changed(const struct takti_timers *timers)
{
    if (timers->running) {
        (void)takt_port_timer_set((*timers->first)->at_ns);
    }
}

/* With `state` in a register, as where a task goes to sleep, it takes one instruction less. */
static inline __attribute__((always_inline)) void takti_timer_arm_inline(struct takt_timer *timer, uint64_t at_ns,
                                                                         uint32_t state)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer **first = timers->first;
    TAKT_ASSERT(!takti_timer_armed(timer));
    timer->next = NULL;
    if ((uint32_t)(at_ns >> 32) == UINT32_MAX) {
        TAKTI_COMPILER_BARRIER; /* one instruction less */
        if (at_ns == TAKT_FOREVER) {
            return; /* never expires */
        }
    }
    TAKT_ASSERT(first > takti_kernel.system->timers->sorted + TAKT_TIMERS_MARGIN);
    timer->at_ns = at_ns;
    timer->armed = (uint16_t)state; /* 0 for no timer */
    if (at_ns < (*first)->at_ns) {
        timer->previous = timer;
        *--first = timer;
        timers->first = first;
        takti_queues_first_changed(timers);
        return;
    }
    struct takt_timer **slot = takti_timers_find(timers, at_ns);
    struct takt_timer *head = *slot;
    if ((uint32_t)head->at_ns == (uint32_t)at_ns && (uint32_t)(head->at_ns >> 32) == (uint32_t)(at_ns >> 32)) {
        struct takt_timer *last = head->previous;
        timer->previous = last;
        last->next = timer;
        head->previous = timer;
        return;
    }
    timer->previous = timer;
    timers->first = --first;
    takti_move_down(first, slot);
    *slot = timer;
}

/* The first chain leaves the queue; its rest is `due`. */
static inline __attribute__((always_inline)) struct takt_timer *takti_queues_take_chain(void)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer **first = timers->first;
    struct takt_timer *timer = *first;
    TAKTI_COMPILER_BARRIER; /* one instruction less: load and step on */
    timers->first = first + 1;
    return timer;
}

static inline __attribute__((always_inline)) struct takt_timer *takti_timers_take(enum takti_take which)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer *timer = which == TAKTI_TAKE_DUE ? NULL : timers->due;
    if (TAKTI_UNLIKELY(timer == NULL)) {
        if (which == TAKTI_TAKE_START && (*timers->first)->at_ns != 0) {
            return NULL;
        }
        if (which == TAKTI_TAKE_NEXT && !TAKTI_UNLIKELY(!takt_port_timer_set((*timers->first)->at_ns))) {
            return NULL;
        }
        timer = takti_queues_take_chain();
    }
    timers->due = timer->next;
    timer->armed = 0;
    return timer;
}

#endif
