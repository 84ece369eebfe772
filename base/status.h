/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_STATUS_H
#define TAKT_BASE_STATUS_H

/*
 * Status of a call that the environment can refuse. A programmer's mistake is an assertion, never a status.
 * The values are part of the trace format: append, never renumber.
 */
enum takt_status {
    TAKT_OK = 0,                 /* done */
    TAKT_TIMEOUT = 1,            /* the timeout came first */
    TAKT_BUSY = 2,               /* a try_ call would have had to wait */
    TAKT_DELETED = 3,            /* the object was deleted while the task waited for it */
    TAKT_REFUSED = 4,            /* admission: the task set would no longer be feasible */
    TAKT_LIMIT = 5,              /* a declared capacity is used up */
    TAKT_STATE = 6,              /* the state of the object does not permit the call (start of a started task) */
    TAKT_UNDECIDED = 7,          /* admission: an iteration limit was reached, or the set kept changing */
    TAKT_FULL = 8,               /* a ring has no free slot */
    TAKT_FULL_BUT_READING = 9,   /* the same, and its reader is about to free a slot */
    TAKT_EMPTY = 10,             /* a ring holds no item */
    TAKT_EMPTY_BUT_WRITING = 11, /* the same, and its writer is about to add an item */
    TAKT_OVERTAKEN = 12,         /* a message was overwritten during the copy: the copy is invalid */
    TAKT_FLUSHED = 13,           /* the waiters were released; the object is unchanged */
    TAKT_OWNER_DIED = 14,        /* the owner was stopped in its section: the guarded data may be inconsistent */
    TAKT_DEADLOCK = 15,          /* the caller would wait for itself: the lock order has a cycle */
    TAKT_CANCELLED = 16          /* another task or an interrupt ended the wait: takt_task_cancel */
};

#define TAKT_MUST_USE __attribute__((warn_unused_result))

#endif
