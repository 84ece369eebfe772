/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/core/kernel.h"

/* After the last entry, so that there is always a first. */
static const struct takt_timer forever = {.at_ns = TAKT_FOREVER};

void takti_engine_init(void)
{
    const struct takt_timer_space *space = takti_kernel.system->timers;
    if (TAKT_EDF) {
        takti_ready_init();
    }
    TAKT_ASSERT(space != NULL && space->capacity >= takti_kernel.system->task_count);
    struct takt_timer **end = space->sorted + TAKT_TIMERS_MARGIN + space->capacity;
    takti_kernel.timers.first = end;
    takti_kernel.timers.last = end - 1;
    *end = (struct takt_timer *)&forever; /* never written to */
}

uint64_t takti_timers_first_ns(void)
{
    return (*takti_kernel.timers.first)->at_ns;
}

void takti_timers_program(void)
{
    (void)takt_port_timer_set(takti_timers_first_ns());
}

void takti_timer_arm(struct takt_timer *timer, uint64_t at_ns)
{
    takti_timer_arm_inline(timer, at_ns, timer->state);
}

/*
 * A timer whose chain is being served is in no chain of the queue, although there may be one with the same expiry by
 * now; the last of such a chain needs no update.
 */
void takti_timer_remove(struct takt_timer *timer)
{
    struct takti_timers *timers = &takti_kernel.timers;
    struct takt_timer *next = timer->next;
    struct takt_timer *previous = timer->previous;
    timer->armed = 0;
    if (timer == timers->due) {
        timers->due = next;
        return;
    }
    struct takt_timer **slot = timers->first;
    if (*slot != timer) {
        slot = takti_timers_find(timers, timer->at_ns);
    }
    struct takt_timer *head = *slot;
    if (head != timer) {
        previous->next = next;
        if (next != NULL) {
            next->previous = previous;
        } else if (head->previous == timer) {
            head->previous = previous;
        }
    } else if (next != NULL) {
        next->previous = previous;
        *slot = next;
    } else {
        struct takt_timer **first = timers->first++;
        if (slot == first) {
            takti_queues_first_changed(timers);
        } else {
            takti_move_up(first, slot);
        }
    }
}
