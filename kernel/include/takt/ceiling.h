/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CEILING_H
#define TAKT_CEILING_H

#include "base/dialect.h"
#include "takt/mutex.h"

TAKT_C_BEGIN

/*
 * Mutual exclusion with the immediate priority ceiling protocol: while it owns the mutex, a task runs at least with the
 * ceiling, the best key of a user. So no other user runs meanwhile, and no task waits for the mutex unless its owner
 * waits for something: at most one section delays a job, and such mutexes cannot deadlock (Baker 1991; Sha, Rajkumar
 * and Lehoczky 1990). In a fixed band the ceiling is the best level of a user. In an edf band it is also a floor of the
 * deadline: the time of the lock plus the shortest relative deadline of the users in that level (Burns et al. 2012, "A
 * new EDF feasibility test", deadline floor protocol). If a task does wait, the owner inherits from it. Not recursive.
 * Only the owner unlocks. Not for condition variables or hints. Without effect on the order in a cooperative system.
 * Declared as a mutex with protocol "ceiling"; level and deadline are then generated.
 */
struct takt_ceiling {
    struct takt_mutex mutex;  /* private */
    struct takt_task ceiling; /* private: queued among the waiters while the mutex is owned, with the ceiling as its
                                 key; never runs */
    uint64_t deadline_ns;     /* private */
    uint8_t level;            /* private */
};

/* `level`: best level of a user. `deadline`: in an edf level, the shortest relative deadline of the users in it, ns. */
#define TAKT_CEILING_DEFINE(name, trace_id, ceiling_level, deadline)                       \
    struct takt_ceiling name = {.mutex = {.id = (trace_id), .hands = TAKTI_HANDS_CEILING}, \
                                .deadline_ns = (deadline),                                 \
                                .level = (ceiling_level)}

/* Context: any, while it is not in use. Blocks: never. */
void takt_ceiling_init(struct takt_ceiling *ceiling, uint16_t trace_id, uint8_t level, uint64_t deadline_ns);

/*
 * Waits until the calling task owns the mutex, which is at once unless an owner waits for something. TAKT_DELETED: the
 * mutex was deleted meanwhile. TAKT_OWNER_DIED and TAKT_DEADLOCK: as takt_mutex_lock. Context: task that does not own
 * it, whose level is not better than the ceiling, nor in that level its deadline shorter. Blocks: until no other task
 * owns it. Bound: one insertion into the ready queue; if it has to wait, as takt_mutex_lock.
 */
TAKT_MUST_USE enum takt_status takt_ceiling_lock(struct takt_ceiling *ceiling);

/* As lock, until `until_ns` (absolute): then TAKT_TIMEOUT. Context: task, as for lock. Blocks: until no other task owns
 * it. */
TAKT_MUST_USE enum takt_status takt_ceiling_lock_until(struct takt_ceiling *ceiling, uint64_t until_ns);

/* TAKT_BUSY when another task owns it; TAKT_OWNER_DIED: as lock. Context: task, as for lock. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_ceiling_try_lock(struct takt_ceiling *ceiling);

/* Hands the mutex over to the best waiter, suspended or not. Mutexes may be unlocked in any order. O(waiters + mutexes
 * held). Context: task that owns it. Blocks: never. */
void takt_ceiling_unlock(struct takt_ceiling *ceiling);

/* Every waiter returns TAKT_DELETED; an owner loses the mutex and must not unlock it. The storage is the caller's
 * again. O(waiters + mutexes that the owner holds), locked. Context: task. Blocks: never. */
void takt_ceiling_delete(struct takt_ceiling *ceiling);

TAKT_C_END

#endif
