/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_TRACE_H
#define TAKTI_TRACE_H

/* The trace ring. Called with the kernel locked. */
#include "takt/task.h"
#include "takt/trace.h"

/*
 * The ring is written in sections of TAKTI_TRACE_SECTION records, of which the first has the full time, so that reading
 * can continue there when earlier records were overwritten. In the ring the first word of a record is the port's count
 * of ticks (takt_port_ticks); the reader makes the difference of times from it. The writer does not access the fields
 * of the reader: overwritten records are detected and counted by the reader.
 */
enum { TAKTI_TRACE_SECTION = 64 };

struct takti_trace {
    /* Writer */
    struct takt_trace_record *next; /* the next record */
    struct takt_trace_record *stop; /* where a record is preceded by the full time: the end of a section, or earlier */
    uint32_t era;                   /* of the ticks since the last full time: takt_port_ticks */
    uint32_t begun;                 /* records written before this section, modulo 2^32 */
    struct takt_trace_record *end;  /* of this section */
    /* start.c */
    struct takt_trace_record *records; /* NULL: nothing is traced */
    uint32_t mask;                     /* capacity - 1 */
    uint32_t charge_ticks;             /* TAKT_PORT_CHARGE_NS, or less by a part of a tick */
    /* Reader */
    uint32_t read;       /* records ever read or lost */
    uint32_t lost;       /* lost and not yet reported */
    uint32_t read_ticks; /* of the last record that was read, and its time */
    uint64_t read_ns;
};

/*
 * Writes a record of the current time: its words after the first. Returns the ticks that are its time, or those of now
 * where nothing is traced. O(1).
 */
uint32_t takti_trace_write(uint32_t identity, uint32_t job, uint32_t last);
void takti_trace_start(struct takt_trace_record *records, uint32_t capacity);
#if TAKT_TRACE
void takti_trace_identify(struct takt_task *task);
void takti_trace_release(const struct takt_task *task, uint64_t deadline_ns);
#else
static inline void takti_trace_release(const struct takt_task *task, uint64_t deadline_ns)
{
    (void)task;
    (void)deadline_ns;
}

static inline void takti_trace_identify(struct takt_task *task)
{
    (void)task;
}
#endif

/* Event and value of a record in one word; value < 256. */
static inline uint32_t takti_trace_word(enum takt_event event, unsigned object, unsigned value)
{
    return (uint32_t)event | value << 8 | object << 16;
}

#endif
