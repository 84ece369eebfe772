/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_TRACE_H
#define TAKTI_TRACE_H

/* The trace ring. Called with the kernel locked. */
#include "takt/task.h"
#include "takt/trace.h"

/* The writer does not access `read`: overwritten records are detected and counted by the reader. */
struct takti_trace {
    struct takt_trace_record *records; /* NULL: nothing is traced */
    uint64_t until_ns;                 /* time of the last record */
    uint32_t mask;                     /* capacity - 1 */
    uint32_t written;                  /* records ever written, modulo 2^32 */
    uint32_t read;                     /* records ever read or lost */
    uint32_t lost;                     /* lost and not yet reported */
};

void takti_trace_write(uint64_t now_ns, uint32_t word, const struct takt_task *task);
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
