/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_MUTEX_H
#define TAKT_MUTEX_H

#include "takt/task.h"

/*
 * Mutual exclusion with transitive inheritance: the owner runs with the best key (level, deadline) of itself and of
 * every task that waits, directly or through other owners, for a mutex that it holds. Seed 000, 5.3 (priority
 * inheritance); Sha, Rajkumar and Lehoczky 1990. Threads, and owners of mutexes that a process created (takt/create.h),
 * keep their own keys. Not recursive. Only the owner unlocks. A task holds at most 255.
 * The structure stands in takt/task.h: a task may have one in it.
 */
#define TAKT_MUTEX_DEFINE(name, trace_id) struct takt_mutex name = {.id = (trace_id)}

/* Context: any, while nobody uses it. Blocks: never. */
void takt_mutex_init(struct takt_mutex *mutex, uint16_t trace_id);

/*
 * Waits until the calling task owns it. TAKT_DELETED: it was deleted meanwhile. TAKT_OWNER_DIED: its owner was stopped
 * in its section (takt/budget.h). TAKT_DEADLOCK, in presets with assertions: its owner waits for the caller, perhaps
 * through other owners, up to 255 of them; it is recorded in trace and fault record. Context: task that does not own
 * it. Blocks: until nobody else owns it. Bound: one insertion over the users, and per link of the chain one more and
 * one into the ready queue.
 */
TAKT_MUST_USE enum takt_status takt_mutex_lock(struct takt_mutex *mutex);

/* As lock, until `until_ns` (absolute): then TAKT_TIMEOUT, and what was inherited is taken back. Context: task that
 * does not own it. Blocks: until nobody else owns it. */
TAKT_MUST_USE enum takt_status takt_mutex_lock_until(struct takt_mutex *mutex, uint64_t until_ns);

/* TAKT_BUSY when another task owns it. Context: task. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_mutex_try_lock(struct takt_mutex *mutex);

/* Hands it to the best waiter, suspended or not. In any order with other mutexes. O(mutexes held). Context: task that
 * owns it. Blocks: never. */
void takt_mutex_unlock(struct takt_mutex *mutex);

/* Every waiter returns TAKT_DELETED; an owner loses it and may not unlock it. The storage is the caller's again.
 * O(waiters + mutexes that the owner holds), locked. Context: task. Blocks: never. */
void takt_mutex_delete(struct takt_mutex *mutex);

#endif
