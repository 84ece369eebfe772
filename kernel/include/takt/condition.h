/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CONDITION_H
#define TAKT_CONDITION_H

#include "takt/mutex.h"

/*
 * A condition variable: tasks give a mutex back and wait until somebody signals that what it guards has changed.
 * Whoever wakes a waiter locks the mutex for it, or puts it among those that wait for the mutex, whose owner inherits.
 * So a waiter runs with the mutex and not before. Waiters by key, FIFO among equals. docs/monitors.md
 */
struct takt_condition {
    struct takt_mutex waiting;                      /* private: its waiters; a mutex without owner. Must stay first */
    void (*left)(struct takt_condition *condition); /* private: what inherit.c does when one of them gives up */
    struct takti_condition_wait *waits;             /* private: the mutex of each */
};

#define TAKT_CONDITION_DEFINE(name, trace_id) struct takt_condition name = {.waiting = {.id = (trace_id)}}

/* Context: any, while nobody uses it. Blocks: never. */
void takt_condition_init(struct takt_condition *condition, uint16_t trace_id);

/*
 * Gives `mutex` back and waits for a signal. TAKT_OK and TAKT_TIMEOUT (`until_ns`, absolute, came first; the mutex may
 * come later): the caller owns the mutex again. TAKT_DELETED: the condition, or the mutex while the caller waited for
 * that, was deleted; the caller does not own it. A mutex is not deleted while tasks wait for a signal with it. Context:
 * task that owns the mutex, not cooperative. Blocks: until a signal, and then until it owns the mutex. Bound: an unlock
 * and an insertion over the waiters.
 */
TAKT_MUST_USE enum takt_status takt_condition_wait(struct takt_condition *condition, struct takt_mutex *mutex);
TAKT_MUST_USE enum takt_status takt_condition_wait_until(struct takt_condition *condition, struct takt_mutex *mutex,
                                                         uint64_t until_ns);

/*
 * The best waiter, or every one, goes on once it has its mutex. Nothing happens when there is none. O(waiters) of the
 * condition and of the mutex, locked: of several mutexes at once, for each waiter. Context: any; the caller need not
 * own the mutex. Blocks: never.
 */
void takt_condition_signal(struct takt_condition *condition);
void takt_condition_broadcast(struct takt_condition *condition);

/* Every waiter returns TAKT_DELETED. The storage is the caller's again. O(waiters), locked. Context: task. Blocks:
 * never. */
void takt_condition_delete(struct takt_condition *condition);

#endif
