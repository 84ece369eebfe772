/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_INVARIANTS_H
#define TAKT_INVARIANTS_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * Consistency of the kernel's state while its lock is open, checked by one function: the ready queue, the running task,
 * the armed timers, each task against the queues, mutexes and inheritance, jobs and arrivals, hints, budgets, the trace
 * ring, the counters of each object, and the state, handles, quotas, attached memory and interrupts of processes. For
 * tests and debug builds; not linked unless it is called.
 *
 * It starts from the tables of takt_system and finds the objects that tasks wait for, and those that they own and
 * others wait for; with protection also all objects with a handle, including threads, and the objects of processes.
 * Other objects, which no task waits for, and tasks outside the tables are checked if the caller passes them.
 */
enum takt_known_kind {
    TAKT_KNOWN_TASK,             /* struct takt_task outside the tables, zero or started */
    TAKT_KNOWN_MUTEX,            /* struct takt_mutex */
    TAKT_KNOWN_CALL,             /* struct takt_rendezvous_accepted, zero or used */
    TAKT_KNOWN_SEMAPHORE,        /* struct takt_semaphore */
    TAKT_KNOWN_MAILBOX,          /* struct takt_mailbox */
    TAKT_KNOWN_ALARM,            /* struct takt_alarm */
    TAKT_KNOWN_WATCHDOG,         /* struct takt_watchdog */
    TAKT_KNOWN_TIMER_CALL,       /* struct takti_call of none of these */
    TAKT_KNOWN_CEILING,          /* struct takt_ceiling */
    TAKT_KNOWN_CONDITION,        /* struct takt_condition */
    TAKT_KNOWN_EVENTS,           /* struct takt_events */
    TAKT_KNOWN_PIPE,             /* struct takt_pipe */
    TAKT_KNOWN_RENDEZVOUS,       /* struct takt_rendezvous */
    TAKT_KNOWN_PRIORITY_MAILBOX, /* struct takt_priority_mailbox */
    TAKT_KNOWN_SIGNAL_QUEUE,     /* struct takt_signal_queue */
    TAKT_KNOWN_SLOT,             /* struct takt_slot */
    TAKT_KNOWN_KINDS
};

struct takt_known {
    const void *object;
    uint8_t kind; /* enum takt_known_kind */
};

/*
 * `all`: bit set (1 << kind) of the kinds of which `first` lists every object. A pointer to a task or timer that is in
 * no table and not listed is then reported and not followed; otherwise it is followed if it is aligned.
 */
struct takt_known_objects {
    const struct takt_known *first; /* `count` entries, none of an object with a handle */
    uint16_t count;
    uint16_t all;
};

/* The first invariant that does not hold. */
struct takt_broken {
    const char *what;  /* a sentence; NULL: all invariants hold */
    const void *where; /* the task, timer, mutex ... concerned */
};

/*
 * Checks all invariants; changes nothing. `objects`: or NULL. The kernel is locked throughout, which adds to latencies.
 * Each list is followed for at most its largest permitted length. Context: any. Blocks: never. O(tasks * (tasks +
 * objects) + timers * (tasks + objects) + levels + processes * objects), locked.
 */
struct takt_broken takt_kernel_broken(const struct takt_known_objects *objects);

TAKT_C_END

#endif
