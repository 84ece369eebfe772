/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/core/kernel.h"

void takti_engine_init(void)
{
    if (TAKT_EDF) {
        takti_ready_init();
    }
}

uint64_t takti_timers_first_ns(void)
{
    const struct takt_timer *first = takti_kernel.timers.first;
    return first == NULL ? TAKT_FOREVER : first->at_ns;
}

void takti_timers_program(void)
{
    (void)takt_port_timer_set(takti_timers_first_ns());
}

/* The timer that `link` points at changed: perhaps the first of the queue. */
static __attribute__((noinline)) void changed(struct takt_timer *const *link)
{
    if (link == &takti_kernel.timers.first && takti_kernel.timers.running) {
        takti_timers_program();
    }
}

/* Among equals the new one is the last. One for TAKT_FOREVER is in the list too, and never expires. */
void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns)
{
    struct takt_timer **link = &takti_kernel.timers.first;
    TAKT_ASSERT(!takti_timer_armed(timer));
    while (*link != NULL && (*link)->at_ns <= at_ns) {
        link = &(*link)->next;
    }
    timer->at_ns = at_ns;
    timer->next = *link;
    timer->armed = 1;
    *link = timer;
    changed(link);
}

void takti_timer_remove(struct takt_timer *timer)
{
    struct takt_timer **link = &takti_kernel.timers.first;
    while (*link != timer) {
        link = &(*link)->next;
    }
    *link = timer->next;
    timer->armed = 0;
    changed(link);
}
