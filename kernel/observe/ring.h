/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_RING_H
#define TAKTI_RING_H

/* How records are written into the ring of the trace. Called with the kernel locked, where records != NULL. */
#include "kernel/core/kernel.h"

/*
 * Every TIME_EVERY-th record of the ring has the full time, so that reading can continue there when earlier records
 * were overwritten; so has the record after a gap of more than 32 bits of ns.
 */
enum { TIME_EVERY = 64 };

typedef uint32_t __attribute__((may_alias)) record_word;

#define NOBODY ((uint32_t)TAKT_TRACE_NO_BAND << 8 | (uint32_t)TAKT_TRACE_NONE << 16)

_Static_assert(sizeof(struct takt_trace_record) == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "records are written as four little-endian words");

/* Writes the full time, twice when a gap ends just before a record that has it anyway. trace.c */
void takti_trace_time(uint64_t now_ns);

/* The words of the next record. */
static inline record_word *next_words(struct takti_trace *trace)
{
    return (record_word *)(void *)&trace->records[trace->written++ & trace->mask];
}

#endif
