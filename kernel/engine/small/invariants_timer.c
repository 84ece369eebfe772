/* SPDX-License-Identifier: Apache-2.0 */
/* The sorted list of timers. */
#include "kernel/observe/invariants.h"

/* Follows the list, sorted by expiry. Returns the number of known timers. */
unsigned takti_walk_armed_timers(struct takti_walk *walk)
{
    unsigned known = 0;
    unsigned length = 0;
    const struct takt_timer *before = NULL;
    for (const struct takt_timer *timer = takti_kernel.timers.first; timer != NULL; timer = timer->next) {
        if (!takti_must(walk, takti_walk_is_timer(walk, timer), "the list of expiries consists of timers", timer) ||
            !takti_must(walk, ++length <= takti_kernel.system->timers->capacity,
                        "no more timers are armed than the queue has room for", timer)) {
            break;
        }
        takti_must(walk, timer->armed != 0, "a timer that is expected is armed", timer);
        takti_must(walk, before == NULL || before->at_ns <= timer->at_ns, "expiries are sorted", timer);
        takti_walk_armed(walk, timer, 1);
        known += takti_walk_timer_known(walk, timer) ? 1 : 0;
        before = timer;
    }
    return known;
}
