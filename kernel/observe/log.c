/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the log, which the host formats: records of the trace with what the macros of takt/log.h pass. Which task
 * wrote one follows from the records before it.
 */
#include "takt/log.h"

#include "kernel/core/kernel.h"

#if TAKT_TRACE
/* The second word of a message. */
static inline uint32_t identify(uintptr_t site)
{
    return (uint32_t)site << 14 | (uint32_t)TAKT_TRACE_NO_BAND << 8 | TAKT_EVENT_LOG;
}

void takt_log_put(uintptr_t site, uint32_t first, uint32_t second)
{
    uint32_t lock = takt_port_enter();
    (void)takti_trace_write(identify(site), first, second);
    takt_port_leave(lock);
}

void takt_log_put_words(uintptr_t site, const uint32_t *words, uint32_t count)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(count >= 2 && count <= TAKT_LOG_WORDS);
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    (void)takti_trace_put_at(ticks, era, identify(site), words[0], words[1]);
    for (uint32_t i = 2; i < count; i += 2) {
        (void)takti_trace_put_at(ticks, era, TAKTI_TRACE_NOBODY | TAKT_EVENT_LOG_WORDS, words[i],
                                 i + 1 < count ? words[i + 1] : 0);
    }
    takt_port_leave(lock);
}
#endif
