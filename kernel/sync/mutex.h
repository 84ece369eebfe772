/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_MUTEX_H
#define TAKTI_MUTEX_H

/* Changes of the owner of a mutex, for all objects that contain one. Called with the kernel locked. */
#include "kernel/core/kernel.h"

/* takti_mutex_own without list and record, which take_back_position in mutex.c has no need of. */
static inline void takti_mutex_owner_set(struct takt_mutex *mutex, struct takt_task *task)
{
    TAKT_ASSERT((task->holds & TAKTI_HOLDS_COUNT) != TAKTI_HOLDS_COUNT); /* the counter is full */
    mutex->owner = task;
    task->holds++;
}

/* With a trace: the band of a task whose level changes, as takti_trace_identify writes it. `bits`: as they lie there.
 */
#define TAKTI_TRACE_BAND 0xFF00u
static inline void takti_trace_band_set(struct takt_task *task, uint32_t bits)
{
    task->trace->identity = (task->trace->identity & ~TAKTI_TRACE_BAND) | bits;
}

/* Makes a task the owner of a free mutex. */
static inline void takti_mutex_own(struct takt_mutex *mutex, struct takt_task *task)
{
    takti_mutex_owner_set(mutex, task);
    takti_held_locked(task, mutex);
    takti_trace(TAKT_EVENT_LOCK, task, mutex->id, 0);
}

/* Removes the owner; the mutex has none afterwards. */
static inline void takti_mutex_clear_owner(struct takt_mutex *mutex, struct takt_task *owner)
{
    takti_trace(TAKT_EVENT_UNLOCK, owner, mutex->id, 0);
    mutex->owner = NULL;
    owner->holds--;
    takti_held_unlocked(owner, mutex);
}

/* Whether this was the last unlock of the task, and a stop or demotion waits for it. A cooperative job ends first. */
static inline bool takti_last_of(const struct takt_task *owner)
{
    return !TAKT_COOPERATIVE && owner->holds == 0;
}

/*
 * Whether the owner of a mutex inherits from its waiters. Through a mutex that a process created it does, also a
 * thread, if the process declares the longest section (takt_quota.mutexes_inherit). Without that, and for the section
 * of a thread on a declared mutex or ceiling, no declaration bounds the length, so an inherited priority would delay
 * tasks in between without a bound. The waiter, of the same process, waits then while the owner runs at its own level.
 * inherit.c
 */
#if TAKT_QUOTAS
bool takti_lends(const struct takt_mutex *mutex, const struct takt_task *owner);
static inline void takti_mutex_created_set(struct takt_mutex *mutex, bool created, bool apart)
{
    mutex->created = created;
    mutex->apart = apart;
}
static inline bool takti_mutex_created(const struct takt_mutex *mutex)
{
    return mutex->created;
}
static inline bool takti_mutex_apart(const struct takt_mutex *mutex)
{
    return mutex->apart;
}
#else
#define takti_lends(mutex, owner) true
#define takti_mutex_created_set(mutex, created, apart) ((void)(mutex))
#define takti_mutex_created(mutex) ((void)(mutex), false)
#define takti_mutex_apart(mutex) ((void)(mutex), false)
#endif

/*
 * takti_mutex_fifo: whether the waiters are in the order of their locks, which changes of their keys leave as it is.
 * takti_mutex_waits_fifo: whether a task is in the queue of such a mutex. takti_mutex_best: of a contended mutex the
 * waiter with the best key; O(1), FIFO: O(waiters).
 */
#if TAKT_FIFO_WAITERS
static inline bool takti_mutex_fifo(const struct takt_mutex *mutex)
{
    return *mutex->in_turn;
}

static inline bool takti_mutex_waits_fifo(const struct takt_task *task)
{
    return task->timer.state == TAKTI_BLOCKED_MUTEX && takti_mutex_fifo((const struct takt_mutex *)task->wait_queue);
}

static inline const struct takt_task *takti_mutex_best(const struct takt_mutex *mutex)
{
    const struct takt_task *best = mutex->waiters;
    const struct takt_task *last = *mutex->in_turn ? NULL : best->next;
    for (const struct takt_task *task = best->next; task != last; task = task->next) { /* at most the declared users */
        best = takti_key_better(task, best) ? task : best;
    }
    return best;
}
#else
#define takti_mutex_fifo(mutex) ((void)(mutex), false)
#define takti_mutex_waits_fifo(task) ((void)(task), false)
#define takti_mutex_best(mutex) ((const struct takt_task *)(mutex)->waiters)
#endif

/* Completes an unlock of the task, perhaps its last. Does not return if it stops the caller. */
static inline void takti_mutex_given_back(struct takt_task *owner)
{
    if (takti_last_of(owner)) {
        (void)takti_last_unlock(owner);
    }
}

/* Adds a mutex to the owner's contended ones, at its first waiter. */
static inline void takti_contend(struct takt_mutex *mutex)
{
    struct takt_task *owner = mutex->owner;
    mutex->next_contended = owner->timer.contended;
    owner->timer.contended = mutex;
    if (TAKT_SERVERS && mutex->waiters != NULL) { /* it may have been demoted since it waited before the others */
        takti_key_follow(owner);
    }
}

/* Removes it, when the last waiter leaves or the owner changes. */
static inline void takti_uncontend(struct takt_mutex *mutex)
{
    struct takt_task *owner = mutex->owner;
    if (TAKTI_OPTIMIZE_SIZE || TAKTI_UNLIKELY(owner->timer.contended != mutex)) {
        takti_uncontend_among(mutex);
    } else {
        owner->timer.contended = mutex->next_contended;
    }
}

/*
 * Hands a contended mutex over to the first waiter. That is the best one, whose key is at least that of the others, so
 * that it inherits nothing; if they are in FIFO order, it inherits from the best of the others.
 */
static inline TAKTI_INLINE_ONE_CALLER void takti_mutex_hand_over(struct takt_mutex *mutex, struct takt_task *owner)
{
    struct takt_task *next = mutex->waiters;
    if (TAKTI_UNLIKELY(takti_is_ending(next))) {
        if (!takti_ending_leave(&mutex->waiters)) {
            takti_uncontend(mutex);
            takti_mutex_clear_owner(mutex, owner);
            takti_key_update(owner);
            return;
        }
        next = mutex->waiters;
    }
    if (TAKTI_HINTS && TAKTI_UNLIKELY((next->timer.flags & TAKTI_FLAG_HINTED) != 0)) {
        takti_hints()->hand_over(mutex, owner);
        return;
    }
    takti_trace(TAKT_EVENT_UNLOCK, owner, mutex->id, 0);
    takti_uncontend(mutex);
    owner->holds--;
    takti_held_unlocked(owner, mutex);
    (void)takti_hand_first(&mutex->waiters);
    takti_mutex_own(mutex, next);
    if (mutex->waiters != NULL) {
        takti_contend(mutex);
        if (TAKTI_UNLIKELY(takti_mutex_fifo(mutex))) {
            takti_key_raise(next, takti_mutex_best(mutex));
        }
        if (TAKTI_HINTS && TAKTI_UNLIKELY(next->timer.state == TAKTI_SUSPENDED)) {
            takti_key_update(owner);
            (void)takti_on_owner_blocked(next);
            return;
        }
    }
    takti_key_update(owner);
}

/* Before a task waits for a mutex: so a system compiled for size has inheritance linked only if one does. */
static inline void takti_mutex_left_link(void)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        *takti_kernel.mutex_left = takti_mutex_left;
    }
}

/* Hands it over to the first waiter, or frees it if there is none. */
static TAKT_INLINE void takti_mutex_give(struct takt_mutex *mutex, struct takt_task *owner)
{
    if (mutex->waiters != NULL) {
        takti_mutex_hand_over(mutex, owner);
    } else {
        takti_mutex_clear_owner(mutex, owner);
    }
}

/* Wakes all waiters. A task that waits ahead of its lock, by a hint, continues its original wait. */
static inline void takti_mutex_give_up(struct takt_mutex *mutex, enum takt_status status)
{
    if (takti_hints() != NULL) {
        takti_hints()->cancel(mutex);
    }
    takti_wake_all(&mutex->waiters, status);
}

/* Whether it is free, so that the next lock succeeds. A broken mutex (budget.h) is not free. */
static inline bool takti_mutex_free(const struct takt_mutex *mutex)
{
    return mutex->owner == NULL || (TAKTI_HINTS && mutex->owner->timer.state == TAKTI_RESERVED_OWNER);
}

/* Whether the owner waits, perhaps through others, for the running task; then it is recorded. mutex.c */
bool takti_mutex_deadlock(const struct takt_mutex *mutex);

/* The status with which the running task is refused an owned mutex; TAKT_OK: it may wait. */
static inline enum takt_status takti_mutex_refusal(const struct takt_mutex *mutex)
{
    if (takti_mutex_broken(mutex)) {
        return TAKT_OWNER_DIED;
    }
    return TAKT_ASSERTIONS && takti_mutex_deadlock(mutex) ? TAKT_DEADLOCK : TAKT_OK;
}

static inline enum takt_status takti_mutex_refuse(enum takt_status status, uint32_t lock)
{
    takt_port_leave(lock);
    return status;
}

/* wait.c */
void takti_wait_insert_first(struct takt_task *task);
enum takt_status takti_wait_for_served(struct takt_mutex *serving, const void *call);

/* TAKTI_KEPT by a task that waits for a signal: condition.c. Its `wait_buffer`, until it runs with its mutex. */
struct takti_condition_wait {
    struct takt_task *task;
    struct takt_mutex *mutex;
    struct takti_condition_wait *next;
    struct takt_condition *signalled; /* condition whose signal, for one task, was handed over to it; or NULL */
};

/* Removes a mutex from those that `task` holds. O(mutexes held), 1 when they nest. */
static inline void takti_held_remove(struct takt_task *task, const struct takt_mutex *mutex)
{
    struct takt_mutex **link = task->held;
    while (*link != mutex) {
        link = (*link)->next_held;
    }
    *link = *mutex->next_held;
}

#endif
