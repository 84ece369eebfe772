/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_INVARIANTS_H
#define TAKT_INVARIANTS_H

#include "takt/task.h"

/*
 * What must be true of the kernel's own state whenever its lock is open, checked by one function that walks all of it:
 * the ready queue, who runs, the instants that are expected, every task against the queues, mutexes and inheritance,
 * jobs and arrivals, hints, budgets, the trace ring, what each object counts, and of processes their state, handles,
 * quotas, attached memory and interrupts. For tests and for builds that look for a fault; nothing of it is linked
 * unless it is called.
 *
 * It starts from the tables of takt_system, and from there finds what tasks wait for, and what they own that others
 * wait for; with protection also all that has a handle, threads among it, and what the processes keep themselves. The
 * rest, objects that nobody waits for and tasks of no table, it knows if the caller gives them.
 */
enum takt_known_kind {
    TAKT_KNOWN_TASK,             /* struct takt_task, of no table, zero or started */
    TAKT_KNOWN_MUTEX,            /* struct takt_mutex */
    TAKT_KNOWN_CALL,             /* struct takt_rendezvous_accepted, zero or used */
    TAKT_KNOWN_SEMAPHORE,        /* struct takt_semaphore */
    TAKT_KNOWN_MAILBOX,          /* struct takt_mailbox */
    TAKT_KNOWN_ALARM,            /* struct takt_alarm */
    TAKT_KNOWN_WATCHDOG,         /* struct takt_watchdog */
    TAKT_KNOWN_INSTANT,          /* struct takti_call, none of these */
    TAKT_KNOWN_CEILING,          /* struct takt_ceiling */
    TAKT_KNOWN_CONDITION,        /* struct takt_condition */
    TAKT_KNOWN_EVENTS,           /* struct takt_events */
    TAKT_KNOWN_PIPE,             /* struct takt_pipe */
    TAKT_KNOWN_RENDEZVOUS,       /* struct takt_rendezvous */
    TAKT_KNOWN_PRIORITY_MAILBOX, /* struct takt_priority_mailbox */
    TAKT_KNOWN_KINDS
};

struct takt_known {
    const void *object;
    uint8_t kind; /* enum takt_known_kind */
};

/*
 * `all`: bit set (1 << kind) of the kinds of which there are no others. A pointer to a task, or to a timer, that is in
 * no table and not given, is then reported and not followed; otherwise it is believed if it is aligned.
 */
struct takt_known_objects {
    const struct takt_known *first; /* `count` of them, none that has a handle */
    uint16_t count;
    uint16_t all;
};

/* The first invariant that is broken. */
struct takt_broken {
    const char *what;  /* a sentence; NULL: everything agrees */
    const void *where; /* the task, timer, mutex ... that it is told of */
};

/*
 * Whether everything that the kernel keeps agrees; changes nothing. `objects`: or NULL. The lock is closed all the
 * while, so latencies are not those of the system without it. Every list is followed for at most as many steps as it
 * may have. Context: any. Blocks: never. O(tasks * (tasks + objects) + timers * (tasks + objects) + levels +
 * processes * objects), locked.
 */
struct takt_broken takt_kernel_broken(const struct takt_known_objects *objects);

#endif
