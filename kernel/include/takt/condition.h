/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CONDITION_H
#define TAKT_CONDITION_H

#include "base/dialect.h"
#include "takt/mutex.h"

TAKT_C_BEGIN

/*
 * A condition variable: a task releases a mutex and waits for a signal that the guarded state has changed. The call
 * that wakes a waiter locks the mutex for it, or moves it to the waiters of the mutex, whose owner inherits. So a
 * waiter runs only once it owns the mutex. Waiters by key, FIFO among equals. docs/monitors.md
 */
struct takt_condition {
    struct takt_mutex waiting; /* private: holds the waiters; a mutex without an owner. Must stay first */
    void (*left)(struct takt_condition *condition); /* private: called by inherit.c when a waiter stops waiting */
    struct takti_condition_wait *waits;             /* private: the mutex of each waiter */
};

#define TAKT_CONDITION_DEFINE(name, trace_id) struct takt_condition name = {.waiting = {.id = (trace_id)}}

/* Context: any, while it is not in use. Blocks: never. */
void takt_condition_init(struct takt_condition *condition, uint16_t trace_id);

/*
 * Releases `mutex` and waits for a signal. TAKT_OK, and TAKT_TIMEOUT (`until_ns`, absolute, came first; locking the
 * mutex may take longer): the caller owns the mutex again. TAKT_DELETED: the condition was deleted, or the mutex while
 * the caller waited for it; the caller does not own the mutex. A mutex must not be deleted while tasks wait for a
 * signal with it. Context: task that owns the mutex, not cooperative. Blocks: until a signal, and then until it owns
 * the mutex. Bound: an unlock and an insertion over the waiters.
 */
TAKT_MUST_USE enum takt_status takt_condition_wait(struct takt_condition *condition, struct takt_mutex *mutex);
TAKT_MUST_USE enum takt_status takt_condition_wait_until(struct takt_condition *condition, struct takt_mutex *mutex,
                                                         uint64_t until_ns);

/*
 * Wakes the best waiter, or all: each continues once it owns its mutex. No effect without waiters. O(waiters) of the
 * condition and of the mutex, locked; for each waiter, if they use several mutexes. Context: any; the caller need not
 * own the mutex. Blocks: never.
 */
void takt_condition_signal(struct takt_condition *condition);
void takt_condition_broadcast(struct takt_condition *condition);

/* Every waiter returns TAKT_DELETED. The storage is the caller's again. O(waiters), locked. Context: task. Blocks:
 * never. */
void takt_condition_delete(struct takt_condition *condition);

TAKT_C_END

#endif
