/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TRACE_H
#define TAKT_TRACE_H

#include <stdint.h>

/* What a trace record tells. The numbers are the format (docs/trace.md lists them): append, never renumber. */
enum takt_event {
    TAKT_EVENT_TIME = 0, /* full time: the 64 bits of job and object/value are the instant in ns */
    TAKT_EVENT_RELEASE,  /* a job began (job = its number, from 0): at its release or, when the job before it was
                            unfinished then (OVERRUN), at the end of that one; the 32 bits of object and value are the
                            ns until its deadline, all ones: a DEADLINE follows that tells it */
    TAKT_EVENT_RUN,      /* the task got the processor; task TAKT_TRACE_IDLE: nothing is ready */
    TAKT_EVENT_COMPLETE, /* the task's current job ended */
    TAKT_EVENT_MISS,     /* the job's deadline passed before it ended */
    TAKT_EVENT_OVERRUN,  /* releases (value: how many, at most 255) found the previous job unfinished */
    TAKT_EVENT_LOST,     /* releases (value) were dropped: policy skip, or sporadic arrivals beyond pending_max */
    TAKT_EVENT_BLOCK,    /* the task waits; object = what for (TAKT_TRACE_NO_OBJECT: time or a release) */
    TAKT_EVENT_READY,    /* the task can run; value = the takt_status that its wait returns */
    TAKT_EVENT_LOCK,     /* the task owns mutex `object` */
    TAKT_EVENT_UNLOCK,   /* the task gave mutex `object` back */
    TAKT_EVENT_KEY,      /* the task's effective priority changed (inheritance): band = new, value = new level,
                            object = the task whose key it has now, IDLE: none's but
                            what a message or a ceiling lends, NO_OBJECT: its own */
    TAKT_EVENT_POST,     /* semaphore `object` was posted, event flags set, a block freed, a condition signalled, a call
                            completed (task = who did, or NONE in an interrupt); value = the takt_status, TAKT_LIMIT of
                            a semaphore at its maximum */
    TAKT_EVENT_TAKE,     /* the task took semaphore `object` or a block, or got event flags, or cleared some */
    TAKT_EVENT_SEND,     /* a message went into `object` (a mailbox, slot, signal queue or pipe), or the task calls at a
                            rendezvous */
    TAKT_EVENT_RECEIVE,  /* a message left `object` for the task; value 1: a call, which it serves until it posts
                            `object` */
    TAKT_EVENT_SUSPEND,  /* the task was suspended */
    TAKT_EVENT_RESUME,   /* the task was resumed */
    TAKT_EVENT_START,    /* the task was started: value = level; job 0: it is ready, none: it waits for a release */
    TAKT_EVENT_STOP,     /* the task was stopped or deleted */
    TAKT_EVENT_INTERRUPT,     /* interrupt `object` was entered (timer: TAKT_TRACE_TIMER) */
    TAKT_EVENT_INTERRUPT_END, /* ... and left */
    TAKT_EVENT_FAULT,         /* an assertion failed; object = line */
    TAKT_EVENT_LOST_RECORDS,  /* records that the ring overwrote before they were read: 64-bit value */
    TAKT_EVENT_YIELD,         /* the task gives way to its equals */
    TAKT_EVENT_DELETE,        /* `object` was deleted (task = who did) */
    TAKT_EVENT_STOP_LATER,    /* the task is to be stopped, and will be at its last unlock or the end of its job */
    TAKT_EVENT_DEADLINE,      /* of the job whose RELEASE came right before, absolute ns: 64-bit value */
    TAKT_EVENT_ALARM,         /* alarm `object`: value = enum takt_alarm_change */
    TAKT_EVENT_WATCHDOG,      /* watchdog `object` of the task: value = enum takt_watchdog_change */
    TAKT_EVENT_BUDGET,        /* the task's job used up its budget; value = enum takt_budget_policy, or 3: it was
                                 stopped in a section that lasted longer than its hold */
    TAKT_EVENT_DEADLOCK, /* the task did not wait for mutex `object`: whoever holds it waits, through others, for it */
    TAKT_EVENT_PROCESS,  /* process `object`: value = enum takt_process_fault that the task did, or 16: it starts again
                          */
    /* The figures at the end of a run, one record each, 64-bit value (see TAKT_EVENT_TIME). */
    TAKT_EVENT_STAT_JOBS = 64, /* jobs completed */
    TAKT_EVENT_STAT_MISSES,    /* jobs that missed, the unfinished ones at the end included */
    TAKT_EVENT_STAT_OVERRUNS,
    TAKT_EVENT_STAT_LOST,
    TAKT_EVENT_STAT_RESPONSE_MAX,  /* ns, of completed jobs */
    TAKT_EVENT_STAT_EXECUTION_MAX, /* ns, of completed jobs; kernel and interrupts not counted */
    TAKT_EVENT_STAT_STACK_MAX,     /* bytes of stack ever used */
    TAKT_EVENT_STAT_MISS_RELEASE,  /* the first miss of the system: its release ... */
    TAKT_EVENT_STAT_MISS_DEADLINE, /* ... and its deadline, both absolute ns */
    TAKT_EVENT_STAT_END            /* the instant at which the run ended, ns */
};

/* Values of TAKT_EVENT_ALARM and TAKT_EVENT_WATCHDOG; the task of the first is who did it, or NONE. */
enum takt_alarm_change { TAKT_ALARM_CAME, TAKT_ALARM_STARTED, TAKT_ALARM_STOPPED, TAKT_ALARM_SERVED };
enum takt_watchdog_change { TAKT_WATCHDOG_EXPIRED, TAKT_WATCHDOG_STARTED, TAKT_WATCHDOG_STOPPED, TAKT_WATCHDOG_KICKED };

#define TAKT_TRACE_NONE UINT16_C(0xFFFF) /* no task: an interrupt, or the kernel */
#define TAKT_TRACE_IDLE UINT16_C(0xFFFE) /* the idle task */
#define TAKT_TRACE_NO_OBJECT UINT16_C(0xFFFF)
#define TAKT_TRACE_TIMER UINT16_C(0xFFFE) /* object of the kernel's own timer interrupt */

/* One record, 16 bytes, little endian. */
struct takt_trace_record {
    uint32_t delta_ns; /* since the record before it */
    uint8_t event;     /* enum takt_event */
    uint8_t band;      /* band of the task at this moment; 255: none */
    uint16_t task;     /* index in the declaration */
    uint32_t job;    /* number of the task's job, from 0 (a task without jobs: always 0); 0xFFFFFFFF before the first */
    uint16_t object; /* id of the object, or an interrupt number */
    uint16_t value;
};

/* Takes up to `capacity` records, oldest first, out of the ring. Context: any. Blocks: never. The lock is held for one
 * record at a time. Returns how many were taken. With a preset without trace: always 0. */
unsigned takt_trace_read(struct takt_trace_record *records, unsigned capacity);

/* Writes the figures (TAKT_EVENT_STAT_*) of every task of the table as records, by calling `emit` for each, locked from
 * the first to the last: O(tasks * stack size). For the end of a run, which was at `ended_ns`: what has taken time
 * since then makes no job late. Context: any. Blocks: never. */
void takt_trace_statistics(uint64_t ended_ns, void (*emit)(const struct takt_trace_record *record));

#endif
