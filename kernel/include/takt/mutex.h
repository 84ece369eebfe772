/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MUTEX_H
#define TAKT_MUTEX_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * Mutual exclusion with transitive priority inheritance: the owner runs with the best key (level, deadline) of itself
 * and of every task that waits, directly or through other owners, for a mutex that it holds. Seed 000, 5.3; Sha,
 * Rajkumar and Lehoczky 1990. A thread keeps its own key, and so does the owner of a mutex that a process created
 * without a declared hold (takt/create.h); with one, threads inherit through it too. Not recursive. Only the owner
 * unlocks. A task holds at most 255. The structure is defined in takt/task.h, since a task may contain one.
 */
#define TAKT_MUTEX_DEFINE(name, trace_id) struct takt_mutex name = {.id = (trace_id)}

/* Its waiters are in the order of their locks, whatever their keys: an unlock hands the mutex over to the one that has
 * waited longest. The owner inherits from all of them. Hints on it have no effect. */
#define TAKT_MUTEX_FIFO_DEFINE(name, trace_id) \
    TAKTI_FIFO(struct takt_mutex name = {.id = (trace_id), .in_turn = {true}})

/* Context: any, while it is not in use. Blocks: never. */
void takt_mutex_init(struct takt_mutex *mutex, uint16_t trace_id);

/*
 * Waits until the calling task owns the mutex. TAKT_DELETED: the mutex was deleted meanwhile. TAKT_OWNER_DIED: its
 * owner was stopped in its section (takt/budget.h). TAKT_DEADLOCK, in presets with assertions: its owner waits for the
 * caller, directly or through up to 255 other owners; recorded in the trace and in the fault record. Context: task that
 * does not own it. Blocks: until no other task owns it. Bound: one insertion among the waiters, and per owner in the
 * chain one more and one into the ready queue.
 */
TAKT_MUST_USE enum takt_status takt_mutex_lock(struct takt_mutex *mutex);

/* As lock, until `until_ns` (absolute): then TAKT_TIMEOUT, and the owner no longer inherits from the caller. Context:
 * task that does not own it. Blocks: until no other task owns it. */
TAKT_MUST_USE enum takt_status takt_mutex_lock_until(struct takt_mutex *mutex, uint64_t until_ns);

/* TAKT_BUSY when another task owns it. Context: task. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_mutex_try_lock(struct takt_mutex *mutex);

/* Hands the mutex over to the first waiter, suspended or not. Mutexes may be unlocked in any order. O(mutexes held),
 * and of waiters in FIFO order O(waiters). Context: task that owns it. Blocks: never. */
void takt_mutex_unlock(struct takt_mutex *mutex);

/* Every waiter returns TAKT_DELETED; an owner loses the mutex and must not unlock it. The storage is the caller's
 * again. O(waiters + mutexes that the owner holds), locked. Context: task. Blocks: never. */
void takt_mutex_delete(struct takt_mutex *mutex);

TAKT_C_END

#endif
