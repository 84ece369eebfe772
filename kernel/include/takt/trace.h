/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TRACE_H
#define TAKT_TRACE_H

#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/* Events of trace records. The numbers are the format (docs/trace.md): append, never renumber. */
enum takt_event {
    TAKT_EVENT_TIME = 0, /* full time: the 64 bits of job and object/value are the time in ns */
    TAKT_EVENT_RELEASE, /* a job began (job = its number, from 0): at its release or, if the previous job was unfinished
                           then (OVERRUN), at the end of that job; the 32 bits of object and value are the ns until its
                           deadline; all ones: a DEADLINE record follows */
    TAKT_EVENT_RUN,     /* the task runs; task TAKT_TRACE_IDLE: no task is ready */
    TAKT_EVENT_COMPLETE, /* the task's current job ended */
    TAKT_EVENT_MISS,     /* the job's deadline passed before it ended */
    TAKT_EVENT_OVERRUN,  /* releases while the previous job was unfinished (value: their number, at most 255) */
    TAKT_EVENT_LOST,  /* dropped releases (value: their number): policy skip, or sporadic arrivals beyond pending_max */
    TAKT_EVENT_BLOCK, /* the task waits for `object` (TAKT_TRACE_NO_OBJECT: time or a release) */
    TAKT_EVENT_READY, /* the task is ready; value = the takt_status that its wait returns */
    TAKT_EVENT_LOCK,  /* the task owns mutex `object` */
    TAKT_EVENT_UNLOCK, /* the task released mutex `object` */
    TAKT_EVENT_KEY,  /* the task's effective priority changed (inheritance): band = new, value = new level, object = the
                        task whose key it has, IDLE: the key of a message or a ceiling, NO_OBJECT: its own key */
    TAKT_EVENT_POST, /* semaphore `object` was posted, event flags set, a block freed, a condition signalled, a call
                        completed (task = the caller, or NONE in an interrupt); value = the takt_status, TAKT_LIMIT of a
                        semaphore at its maximum */
    TAKT_EVENT_TAKE, /* the task took semaphore `object` or a block, or got event flags, or cleared some */
    TAKT_EVENT_SEND, /* a message went into `object` (a mailbox, slot, signal queue or pipe), or the task calls at a
                        rendezvous */
    TAKT_EVENT_RECEIVE, /* the task got a message of `object`; value 1: a call, which it serves until it posts `object`
                         */
    TAKT_EVENT_SUSPEND, /* the task was suspended */
    TAKT_EVENT_RESUME,  /* the task was resumed */
    TAKT_EVENT_START,   /* the task was started: value = level; job 0: it is ready, none: it waits for a release */
    TAKT_EVENT_STOP,    /* the task was stopped or deleted */
    TAKT_EVENT_INTERRUPT,     /* interrupt `object` was entered (timer: TAKT_TRACE_TIMER) */
    TAKT_EVENT_INTERRUPT_END, /* ... and left */
    TAKT_EVENT_FAULT,         /* an assertion failed; object = its line */
    TAKT_EVENT_LOST_RECORDS,  /* number of records overwritten before they were read: 64-bit value */
    TAKT_EVENT_YIELD,         /* the task yields to its equals */
    TAKT_EVENT_DELETE,        /* `object` was deleted (task = the caller) */
    TAKT_EVENT_STOP_LATER,    /* the task will be stopped, at its last unlock or the end of its job */
    TAKT_EVENT_DEADLINE,      /* deadline of the job of the preceding RELEASE, absolute ns: 64-bit value */
    TAKT_EVENT_ALARM,         /* alarm `object`: value = enum takt_alarm_change */
    TAKT_EVENT_WATCHDOG,      /* watchdog `object` of the task: value = enum takt_watchdog_change */
    TAKT_EVENT_BUDGET,        /* the task's job used up its budget; value = enum takt_budget_policy, or 3: it was
                                 stopped in a section that lasted longer than its hold. Of a server, task = the first
                                 that it serves: 5: its budget came back; 6: it is lost, as nothing is ready */
    TAKT_EVENT_DEADLOCK, /* the task was refused mutex `object`, whose owner waits for it, directly or through other
                            owners */
    TAKT_EVENT_PROCESS,  /* process `object`: value = enum takt_process_fault of the task; or 16: its tasks start, 17: a
                            call stops it, 18: starts it, 19: it is not started with the system */
    TAKT_EVENT_REFUSE, /* a try to send to `object` (a mailbox, slot or pipe), which had no room, or to read a pipe with
                          too few bytes (task = the caller); value = the takt_status */
    TAKT_EVENT_LOG,    /* a message of the log (takt/log.h), of whatever runs: task = bits 2 to 17 of where its text is;
                          its    first word in job, the second in object and value */
    TAKT_EVENT_LOG_WORDS, /* two more words of the message before it: 64-bit value */
    /* Statistics at the end of a run, one record each, 64-bit value (see TAKT_EVENT_TIME). */
    TAKT_EVENT_STAT_JOBS = 64, /* jobs completed */
    TAKT_EVENT_STAT_MISSES,    /* jobs that missed, unfinished ones at the end included */
    TAKT_EVENT_STAT_OVERRUNS,
    TAKT_EVENT_STAT_LOST,
    TAKT_EVENT_STAT_RESPONSE_MAX,  /* ns, of completed jobs */
    TAKT_EVENT_STAT_EXECUTION_MAX, /* ns, of completed jobs; kernel and interrupts not counted */
    TAKT_EVENT_STAT_STACK_MAX,     /* bytes of stack ever used */
    TAKT_EVENT_STAT_MISS_RELEASE,  /* of the first miss of the system the release ... */
    TAKT_EVENT_STAT_MISS_DEADLINE, /* ... and the deadline, both absolute ns */
    TAKT_EVENT_STAT_END            /* time of the end of the run, ns */
};

/* Values of TAKT_EVENT_ALARM and TAKT_EVENT_WATCHDOG; the task of an ALARM record is the caller, or NONE. */
enum takt_alarm_change { TAKT_ALARM_CAME, TAKT_ALARM_STARTED, TAKT_ALARM_STOPPED, TAKT_ALARM_SERVED };
enum takt_watchdog_change { TAKT_WATCHDOG_EXPIRED, TAKT_WATCHDOG_STARTED, TAKT_WATCHDOG_STOPPED, TAKT_WATCHDOG_KICKED };
/* Value of TAKT_EVENT_BUDGET besides enum takt_budget_policy: the section lasted longer than the hold. */
enum { TAKT_TRACE_BUDGET_BROKEN = 3 };

#define TAKT_TRACE_NONE UINT16_C(0xFFFF) /* no task: an interrupt, or the kernel */
#define TAKT_TRACE_IDLE UINT16_C(0xFFFE) /* the idle task */
#define TAKT_TRACE_NO_OBJECT TAKT_TRACE_NONE
#define TAKT_TRACE_TIMER UINT16_C(0xFFFE) /* object of the kernel's own timer interrupt */
#define TAKT_TRACE_NO_BAND UINT8_C(0xFF)
#define TAKT_TRACE_NO_JOB UINT32_C(0xFFFFFFFF) /* before the first job of a task, and where no job is meant */
#define TAKT_TRACE_FAR UINT32_C(0xFFFFFFFF)    /* RELEASE: the deadline is past or this far away: DEADLINE has it */

/* One record, 16 bytes, little endian. */
struct takt_trace_record {
    uint32_t delta_ns; /* since the record before it */
    uint8_t event;     /* enum takt_event */
    uint8_t band;      /* band of the task at that time; 255: none */
    uint16_t task;     /* its index in the declaration */
    uint32_t job;    /* number of the task's job, from 0 (a task without jobs: always 0); 0xFFFFFFFF before the first */
    uint16_t object; /* id of the object, or an interrupt number */
    uint16_t value;
};

/* Moves up to `capacity` records, oldest first, from the ring to `records`. Returns their number; always 0 in a preset
 * without trace. Context: any. Blocks: never. The lock is held for one record at a time. */
unsigned takt_trace_read(struct takt_trace_record *records, unsigned capacity);

/*
 * Calls `emit` with each record of the statistics (TAKT_EVENT_STAT_*) of every task of the table, all of them locked:
 * O(tasks * stack size). For the end of a run, at `ended_ns`: time since then makes no job late. Context: any. Blocks:
 * never.
 */
void takt_trace_statistics(uint64_t ended_ns, void (*emit)(const struct takt_trace_record *record));

TAKT_C_END

#endif
