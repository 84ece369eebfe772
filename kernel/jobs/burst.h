/* SPDX-License-Identifier: Apache-2.0 */
/* When a sporadic task may be released next. */
#ifndef TAKTI_BURST_H
#define TAKTI_BURST_H

#include "kernel/core/kernel.h"

/* The earliest time of the next release. Without bursts, the minimum inter-arrival time after the last. In a burst it
 * may be that much earlier, by burst_ns, than the regular releases: burst_ns / period_ns + 1 releases at once, and then
 * one each period_ns. */
static TAKTI_INLINE_ALWAYS inline uint64_t takti_arrival_earliest(const struct takt_task *task,
                                                                  const struct takt_arrivals *arrivals)
{
    uint64_t period_ns = task->config->period_ns;
    if (!TAKT_BURSTS || *arrivals->burst_ns == 0) {
        return takt_add(arrivals->last_ns, period_ns);
    }
    uint64_t regular_ns = takt_add(*arrivals->regular_ns, period_ns);
    uint64_t early_ns = regular_ns == TAKT_FOREVER ? regular_ns : takt_subtract(regular_ns, *arrivals->burst_ns);
    uint64_t near_ns = takt_add(arrivals->last_ns, *arrivals->distance_ns);
    return early_ns > near_ns ? early_ns : near_ns;
}

/* Notes a release, which is the last. */
static TAKTI_INLINE_ALWAYS inline void takti_arrival_note(const struct takt_task *task, struct takt_arrivals *arrivals,
                                                          uint64_t release_ns)
{
    if (TAKT_BURSTS) {
        bool first = arrivals->last_ns == TAKT_FOREVER;
        uint64_t next_ns = first ? 0 : takt_add(*arrivals->regular_ns, task->config->period_ns);
        *arrivals->regular_ns = next_ns > release_ns ? next_ns : release_ns;
    }
    arrivals->last_ns = release_ns;
}

#endif
