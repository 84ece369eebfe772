/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CEILING_H
#define TAKT_CEILING_H

#include "takt/mutex.h"

/*
 * Mutual exclusion with immediate ceiling: from the lock on the owner runs at least with the ceiling, which is as good
 * as its best user. So while an owner runs no other user does, and nobody waits for it unless the owner does for
 * something: one section at most delays a job, and there is no deadlock among such mutexes (Baker 1991; Sha, Rajkumar
 * and Lehoczky 1990). In a fixed band the ceiling is the best level of a user. In an edf band it is, besides, a floor
 * of the deadline: the lock's instant and the shortest relative deadline of the users in that level (Burns et al. 2012,
 * "A new EDF feasibility test", deadline floor protocol). A task that waits all the same is inherited from.
 * Not recursive. Only the owner unlocks. Not for condition variables, nor hints. In a cooperative system nothing
 * changes. A declared mutex with protocol "ceiling" is one; its level and deadline are generated.
 */
struct takt_ceiling {
    struct takt_mutex mutex;  /* private */
    struct takt_task ceiling; /* private: no task, but stands among those that wait while it is owned, with its key */
    uint64_t deadline_ns;     /* private */
    uint8_t level;            /* private */
};

/* `level`: the best of a user. `deadline`: the shortest relative one of the users in that level, when it is edf. */
#define TAKT_CEILING_DEFINE(name, trace_id, ceiling_level, deadline)                       \
    struct takt_ceiling name = {.mutex = {.id = (trace_id), .hands = TAKTI_HANDS_CEILING}, \
                                .deadline_ns = (deadline),                                 \
                                .level = (ceiling_level)}

/* Context: any, while nobody uses it. Blocks: never. */
void takt_ceiling_init(struct takt_ceiling *ceiling, uint16_t trace_id, uint8_t level, uint64_t deadline_ns);

/*
 * Waits until the calling task owns it, which is at once if no owner waits for anything. TAKT_DELETED: it was deleted
 * meanwhile. TAKT_OWNER_DIED and TAKT_DEADLOCK: as takt_mutex_lock. Context: task that does not own it, whose level is
 * not better than the ceiling, nor in that level its deadline shorter. Blocks: until nobody else owns it. Bound: one
 * insertion into the ready queue; if it has to wait, as takt_mutex_lock.
 */
TAKT_MUST_USE enum takt_status takt_ceiling_lock(struct takt_ceiling *ceiling);

/* As lock, until `until_ns` (absolute): then TAKT_TIMEOUT. Context: task, as for lock. Blocks: until nobody else owns
 * it. */
TAKT_MUST_USE enum takt_status takt_ceiling_lock_until(struct takt_ceiling *ceiling, uint64_t until_ns);

/* TAKT_BUSY when another task owns it; TAKT_OWNER_DIED: as lock. Context: task, as for lock. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_ceiling_try_lock(struct takt_ceiling *ceiling);

/* Hands it to the best waiter, suspended or not. In any order with other mutexes. O(waiters + mutexes held). Context:
 * task that owns it. Blocks: never. */
void takt_ceiling_unlock(struct takt_ceiling *ceiling);

/* Every waiter returns TAKT_DELETED; an owner loses it and may not unlock it. The storage is the caller's again.
 * O(waiters + mutexes that the owner holds), locked. Context: task. Blocks: never. */
void takt_ceiling_delete(struct takt_ceiling *ceiling);

#endif
