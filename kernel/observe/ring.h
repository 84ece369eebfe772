/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_RING_H
#define TAKTI_RING_H

/* How records are written into the ring of the trace. Called with the kernel locked. */
#include "kernel/core/kernel.h"

typedef uint32_t __attribute__((may_alias)) record_word;

_Static_assert(sizeof(struct takt_trace_record) == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "records are written as four little-endian words");

/* Records ever written, modulo 2^32. */
static inline uint32_t takti_trace_written(const struct takti_trace *trace)
{
    return trace->begun + (uint32_t)(trace->next - trace->end) + (trace->records == NULL ? 0 : TAKTI_TRACE_SECTION);
}

/* Writes a record that takti_trace_put cannot: before the start, after the full time, or none. trace.c */
uint32_t takti_trace_put_slow_path(uint32_t ticks, uint32_t identity, uint32_t job, uint32_t last);

/* Writes a record at `ticks`, of `era`. Returns takti_trace_write's. This is on every measured path. */
static TAKTI_NOINLINE_SIZE_OR_INLINE __attribute__((unused)) uint32_t
takti_trace_put_at(uint32_t ticks, uint32_t era, uint32_t identity, uint32_t job, uint32_t last)
{
    struct takti_trace *trace = takti_kernel.trace;
    struct takt_trace_record *record = trace->next;
    if (TAKTI_UNLIKELY(record == trace->stop || (!TAKT_PORT_NO_ERA && era != trace->era))) {
        return takti_trace_put_slow_path(ticks, identity, job, last);
    }
    record_word *words = (record_word *)(void *)record;
    trace->next = record + 1;
    words[0] = ticks;
    words[1] = identity;
    words[2] = job;
    words[3] = last;
    return ticks;
}

#endif
