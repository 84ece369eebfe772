/* SPDX-License-Identifier: Apache-2.0 */
/* The sorted timer queue. */
#include "kernel/observe/invariants.h"

/* What an armed timer says: a task's anything, another one its purpose. */
static unsigned walk_says(const struct takt_timer *timer)
{
    bool tasks = timer->state >= TAKTI_BLOCKED_DELAY && timer->state <= TAKTI_BLOCKED_FIFO;
    return tasks ? timer->armed : timer->state;
}

/* Follows a chain of timers with one expiry, each once. Returns the last one; NULL: the chain is broken. */
static const struct takt_timer *walk_chain(struct takti_walk *walk, const struct takt_timer *first, unsigned *known)
{
    const struct takt_timer *timer = first;
    if (!takti_must(walk, takti_walk_is_timer(walk, first), "the sorted timer queue consists of timers", first)) {
        return NULL;
    }
    for (;;) {
        takti_must(walk, timer->armed != 0, "a timer that is expected is armed", timer);
        takti_must(walk, timer->at_ns == first->at_ns, "a chain holds timers of one expiry", timer);
        takti_walk_armed(walk, timer, walk_says(timer));
        *known += takti_walk_timer_known(walk, timer) ? 1 : 0;
        const struct takt_timer *next = timer->next;
        if (next == NULL) {
            return timer;
        }
        if (!takti_must(walk, takti_walk_is_timer(walk, next), "a chain of expiries consists of timers", timer) ||
            !takti_must(walk, next != first && next->previous == timer, "a chain is linked both ways", timer)) {
            return NULL;
        }
        timer = next;
    }
}

/* Follows the queue, and the chain that is being served. Returns the number of known timers. */
unsigned takti_walk_armed_timers(struct takti_walk *walk)
{
    const struct takti_timers *timers = &takti_kernel.timers;
    const struct takt_timer_space *space = takti_kernel.system->timers;
    struct takt_timer **sorted = space->sorted + TAKT_TIMERS_MARGIN;
    unsigned known = 0;
    uintptr_t from = (uintptr_t)timers->first - (uintptr_t)sorted;
    unsigned wrong = (timers->last != sorted + space->capacity - 1) + (from % sizeof *sorted != 0) +
                     (from > space->capacity * sizeof *sorted);
    if (!takti_must(walk, wrong == 0, "the sorted timer queue is in its storage", timers) ||
        !takti_must(walk, takti_aligned(timers->last[1]) && timers->last[1]->at_ns == TAKT_FOREVER,
                    "the sorted timer queue ends with forever", timers)) {
        return known;
    }
    for (struct takt_timer **slot = timers->first; slot <= timers->last; slot++) {
        const struct takt_timer *last = walk_chain(walk, *slot, &known);
        if (last == NULL || !takti_must(walk, takti_walk_is_timer(walk, slot[1]) || slot == timers->last,
                                        "chains of the sorted timer queue consist of timers", slot)) {
            return known;
        }
        takti_must(walk, (*slot)->previous == last, "the first of a chain knows the last", *slot);
        takti_must(walk, (*slot)->at_ns < slot[1]->at_ns, "expiries are sorted", *slot);
    }
    if (timers->due != NULL) {
        (void)walk_chain(walk, timers->due, &known);
        takti_must(walk, walk->interrupt || !timers->running, "only an interrupt serves expiries", timers->due);
    }
    return known;
}
