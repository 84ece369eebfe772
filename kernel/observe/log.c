/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the log, which the host formats: records of the trace with what the macros of takt/log.h pass. Which task
 * wrote one follows from the records before it. What most messages are not, after a time without records or the first
 * in a part of the ring, is in a function of its own, so that the others save few registers.
 */
#include "takt/log.h"

#include "kernel/observe/ring.h"

#if TAKT_TRACE
/* The second word of a message. */
static inline uint32_t identify(uintptr_t site)
{
    return (uint32_t)site << 14 | (uint32_t)TAKT_TRACE_NO_BAND << 8 | TAKT_EVENT_LOG;
}

/* Writes a message, unless nothing is traced. Locked. */
static __attribute__((noinline)) void put_slow_path(uint32_t identity, uint32_t first, uint32_t second)
{
    struct takti_trace *trace = takti_kernel.trace;
    if (trace->records != NULL) {
        uint64_t now_ns = takti_clock_ns();
        uint64_t delta_ns = now_ns - trace->until_ns;
        trace->until_ns = now_ns;
        if (trace->written % TIME_EVERY == 0 || delta_ns > UINT32_MAX) {
            takti_trace_time(now_ns);
            delta_ns = 0;
        }
        record_word *words = next_words(trace);
        words[0] = (uint32_t)delta_ns;
        words[1] = identity;
        words[2] = first;
        words[3] = second;
    }
}

/* `written` is a multiple of TIME_EVERY as long as nothing is traced. The time is read last, as then only two registers
 * survive that call. */
static inline void put(uintptr_t site, uint32_t first, uint32_t second)
{
    struct takti_trace *trace = takti_kernel.trace;
    if (TAKTI_UNLIKELY(trace->written % TIME_EVERY == 0 || !takti_kernel.clock_runs)) {
        put_slow_path(identify(site), first, second);
        return;
    }
    record_word *words = next_words(trace);
    __asm("" : "+r"(words)); /* one address, not two */
    words[1] = identify(site);
    words[2] = first;
    words[3] = second;
    uint64_t now_ns = takt_port_now_ns();
    uint64_t delta_ns = now_ns - trace->until_ns;
    if (TAKTI_UNLIKELY(delta_ns > UINT32_MAX)) {
        trace->written--;
        put_slow_path(words[1], words[2], words[3]);
        return;
    }
    trace->until_ns = now_ns;
    words[0] = (uint32_t)delta_ns;
}

void takt_log_put(uintptr_t site, uint32_t first, uint32_t second)
{
    uint32_t lock = takt_port_enter();
    put(site, first, second);
    takt_port_leave(lock);
}

void takt_log_put_words(uintptr_t site, const uint32_t *words, uint32_t count)
{
    uint32_t lock = takt_port_enter();
    struct takti_trace *trace = takti_kernel.trace;
    TAKT_ASSERT(count >= 2 && count <= TAKT_LOG_WORDS);
    put(site, words[0], words[1]);
    for (uint32_t i = 2; i < count && trace->records != NULL; i += 2) {
        if (trace->written % TIME_EVERY == 0) {
            takti_trace_time(trace->until_ns);
        }
        record_word *record = next_words(trace);
        record[0] = 0;
        record[1] = NOBODY | TAKT_EVENT_LOG_WORDS;
        record[2] = words[i];
        record[3] = i + 1 < count ? words[i + 1] : 0;
    }
    takt_port_leave(lock);
}
#endif
