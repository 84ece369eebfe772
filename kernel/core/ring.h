/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_RING_H
#define TAKTI_RING_H

/* How records are written into the ring of the trace. Called with the kernel locked. */
#include "kernel/core/state.h"

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

/* Two words at a time, where a processor can. */
static inline TAKTI_INLINE_ALWAYS void takti_trace_fill(struct takt_trace_record *record, uint32_t ticks,
                                                        uint32_t identity, uint32_t job, uint32_t last)
{
    record_word *words = (record_word *)(void *)record;
    TAKTI_PAIR(identity, ticks);
    words[0] = ticks;
    words[1] = identity;
    TAKTI_PAIR(job, last);
    words[2] = job;
    words[3] = last;
}

/* Whether a record at ticks of `era` can be written at `record`, the next one: it does not come after the full time. */
static inline TAKTI_INLINE_ALWAYS bool takti_trace_has_room(const struct takt_trace_record *record, uint32_t era)
{
    const struct takti_trace *trace = takti_kernel.trace;
    return !TAKTI_UNLIKELY(record == trace->stop) && (TAKT_PORT_NO_ERA || !TAKTI_UNLIKELY(era != trace->era));
}

/* Writes a record at `ticks`, of `era`. Returns takti_trace_write's. This is on every measured path. */
static TAKTI_NOINLINE_SIZE_OR_INLINE __attribute__((unused)) uint32_t
takti_trace_put_at(uint32_t ticks, uint32_t era, uint32_t identity, uint32_t job, uint32_t last)
{
    struct takti_trace *trace = takti_kernel.trace;
    struct takt_trace_record *record = trace->next;
    if (TAKT_TRACE && TAKTI_UNLIKELY(!takti_trace_has_room(record, era))) { /* without one it is not even linked */
        return takti_trace_put_slow_path(ticks, identity, job, last);
    }
    trace->next = record + 1;
    takti_trace_fill(record, ticks, identity, job, last);
    return ticks;
}

/*
 * Writes a record of now, whose time is then `ticks`. False: it has to be written by takti_trace_write. A function that
 * goes on elsewhere then calls nothing on its path, and saves no registers.
 */
static inline TAKTI_INLINE_ALWAYS bool takti_trace_try(uint32_t *ticks, uint32_t identity, uint32_t job, uint32_t last)
{
    uint32_t era;
    *ticks = takt_port_ticks(&era);
    struct takti_trace *trace = takti_kernel.trace;
    struct takt_trace_record *record = trace->next;
    if (!takti_trace_has_room(record, era)) {
        return false;
    }
    trace->next = record + 1;
    takti_trace_fill(record, *ticks, identity, job, last);
    return true;
}

/*
 * trace.c, compiled for size: a record of now. `word`: event and value, from takti_trace_word, mostly a constant.
 * Returns takti_trace_write's.
 */
uint32_t takti_trace_put(uint32_t word, const struct takt_task *task, unsigned object);

/* The second and third word of a record of `task`, without the event; NULL: an interrupt, or no task. */
#define TAKTI_TRACE_NOBODY ((uint32_t)TAKT_TRACE_NO_BAND << 8 | (uint32_t)TAKT_TRACE_NONE << 16)
static inline uint32_t takti_trace_identity(const struct takt_task *task)
{
    return task == NULL ? TAKTI_TRACE_NOBODY : task->trace->identity;
}

static inline uint32_t takti_trace_job(const struct takt_task *task)
{
    return task == NULL ? TAKT_TRACE_NO_JOB : task->trace->job_number;
}

/* Writes a record of now. Returns takti_trace_write's. */
static inline uint32_t takti_trace_event(enum takt_event event, const struct takt_task *task, unsigned object,
                                         unsigned value)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        return takti_trace_put(takti_trace_word(event, 0, value), task, object);
    }
    return takti_trace_write(takti_trace_identity(task) | (uint32_t)event, takti_trace_job(task), object | value << 16);
}

static inline void takti_trace(enum takt_event event, const struct takt_task *task, unsigned object, unsigned value)
{
    if (TAKT_TRACE) {
        (void)takti_trace_event(event, task, object, value);
    }
}

/*
 * The same in line, where most records are written: 5 to 10 instructions less each, 20 to 40 bytes more. Compiled for
 * size they are the calls.
 */
static inline TAKTI_INLINE_ALWAYS uint32_t takti_trace_event_inline(enum takt_event event, const struct takt_task *task,
                                                                    unsigned object, unsigned value)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        return takti_trace_event(event, task, object, value);
    }
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    return takti_trace_put_at(ticks, era, takti_trace_identity(task) | (uint32_t)event, takti_trace_job(task),
                              object | value << 16);
}

/* The same of a task, which is not NULL. */
static inline TAKTI_INLINE_ALWAYS uint32_t takti_trace_task_inline(enum takt_event event, const struct takt_task *task,
                                                                   unsigned object, unsigned value)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        return takti_trace_event(event, task, object, value);
    }
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    uint32_t identity = task->trace->identity;
    uint32_t job = task->trace->job_number;
    TAKTI_PAIR(identity, job);
    return takti_trace_put_at(ticks, era, identity | (uint32_t)event, job, object | value << 16);
}

static inline TAKTI_INLINE_ALWAYS void takti_trace_inline(enum takt_event event, const struct takt_task *task,
                                                          unsigned object, unsigned value)
{
    if (TAKT_TRACE) {
        (void)takti_trace_task_inline(event, task, object, value);
    }
}

/* trace.c: a record of now, the last thing that a call does: opens the lock. Always TAKT_OK. */
enum takt_status takti_trace_write_last(uint32_t identity, uint32_t job, uint32_t last, uint32_t lock);

/* Whether a switch of a task is nothing but its checks, its records and the switch: records of one time. Where a level
 * has time slices it is more. */
#define TAKTI_SWITCHES_AT_ONCE \
    (TAKT_TRACE && !TAKT_BUDGETS && !TAKT_PROCESSES && !TAKT_SINGLE_PATH && !TAKT_COOPERATIVE && !TAKTI_OPTIMIZE_SIZE)

/*
 * Several records at once, of one time. Whether `count` records at ticks of `era` can be written from `record` on, the
 * next one: there is room, and none comes after the full time.
 */
static inline TAKTI_INLINE_ALWAYS bool takti_trace_has_room_for(unsigned count, const struct takt_trace_record *record,
                                                                uint32_t era)
{
    const struct takti_trace *trace = takti_kernel.trace;
    const struct takt_trace_record *stop = trace->stop;
    TAKTI_PAIR(record, stop);
    int room = (int)((uintptr_t)stop - (uintptr_t)record);
    return !TAKTI_UNLIKELY(room < (int)(count * sizeof *record)) &&
           (TAKT_PORT_NO_ERA || !TAKTI_UNLIKELY(era != trace->era));
}

static inline TAKTI_INLINE_ALWAYS void takti_trace_fill_of(struct takt_trace_record *record, uint32_t ticks,
                                                           enum takt_event event, const struct takt_task *task,
                                                           unsigned object)
{
    uint32_t identity = task->trace->identity;
    uint32_t job = task->trace->job_number;
    TAKTI_PAIR(identity, job);
    takti_trace_fill(record, ticks, identity | (uint32_t)event, job, object);
}

/* The calling task for the trace; NULL in an interrupt. */
static TAKT_INLINE const struct takt_task *takti_caller(uint32_t lock)
{
    return takt_port_caller(lock) != 0 ? NULL : takti_kernel.ready.running;
}

void takti_trace_put_call(uint32_t word, uint32_t lock, unsigned object);

/* Writes a trace record of a call. */
static inline void takti_trace_call(enum takt_event event, uint32_t lock, unsigned object, unsigned value)
{
    if (TAKT_TRACE && TAKTI_OPTIMIZE_SIZE) {
        takti_trace_put_call(takti_trace_word(event, 0, value), lock, object);
    } else if (TAKT_TRACE) {
        takti_trace(event, takti_caller(lock), object, value);
    }
}

#endif
