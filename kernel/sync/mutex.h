/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_MUTEX_H
#define TAKTI_MUTEX_H

/* How a mutex changes hands, for all that are made of one. Called with the kernel locked. */
#include "kernel/core/kernel.h"

/* A task owns a mutex that nobody owns. */
static inline void takti_mutex_own(struct takt_mutex *mutex, struct takt_task *task)
{
    TAKT_ASSERT((task->holds & TAKTI_HOLDS_COUNT) != TAKTI_HOLDS_COUNT); /* so many at once are not counted */
    mutex->owner = task;
    task->holds++;
    takti_held_locked(task, mutex);
    takti_trace(TAKT_EVENT_LOCK, task, mutex->id, 0);
}

/* The owner owns it no more, and nobody else yet. */
static inline void takti_mutex_clear_owner(struct takt_mutex *mutex, struct takt_task *owner)
{
    takti_trace(TAKT_EVENT_UNLOCK, owner, mutex->id, 0);
    mutex->owner = NULL;
    owner->holds--;
    takti_held_unlocked(owner, mutex);
}

/* Whether something waited for the task's last unlock, which that was. A cooperative job ends first. */
static inline bool takti_last_of(const struct takt_task *owner)
{
    return !TAKT_COOPERATIVE && owner->holds == 0;
}

/*
 * Whether the owner of a mutex inherits from those that wait for it. A thread inherits nothing, not even a ceiling, and
 * a mutex from a quota lends nothing: no declaration bounds such a section, and who is below would be delayed by it.
 * The waiter, of the same process, waits for the owner at the owner's own level. inherit.c
 */
#if TAKT_QUOTAS
bool takti_lends(const struct takt_mutex *mutex, const struct takt_task *owner);
#else
#define takti_lends(mutex, owner) true
#endif

/* The task has given a mutex back, its last perhaps. Does not return when that stops the caller. */
static inline void takti_mutex_given_back(struct takt_task *owner)
{
    if (takti_last_of(owner)) {
        (void)takti_last_unlock(owner);
    }
}

/* The first waiter came. */
static inline void takti_contend(struct takt_mutex *mutex)
{
    struct takt_task *owner = mutex->owner;
    mutex->next_contended = owner->timer.contended;
    owner->timer.contended = mutex;
}

/* The last waiter went, or the owner changes. */
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
 * The owner gives a mutex that others wait for to the best of them. That one's key is at least that of the waiters
 * behind it: nothing for it to inherit.
 */
static inline TAKTI_INLINE_ONE_CALLER void takti_mutex_hand_over(struct takt_mutex *mutex, struct takt_task *owner)
{
    struct takt_task *next = mutex->waiters;
#if TAKT_PROCESSES
    if (TAKTI_UNLIKELY(takti_ends(next))) {
        if (!takti_ending_leave(&mutex->waiters)) {
            takti_uncontend(mutex);
            takti_mutex_clear_owner(mutex, owner);
            takti_key_update(owner);
            return;
        }
        next = mutex->waiters;
    }
#endif
#if TAKTI_HINTS
    if (TAKTI_UNLIKELY((next->timer.flags & TAKTI_FLAG_HINTED) != 0)) {
        takti_kernel.hints->hand_over(mutex, owner);
        return;
    }
#endif
    takti_trace(TAKT_EVENT_UNLOCK, owner, mutex->id, 0);
    takti_uncontend(mutex);
    owner->holds--;
    takti_held_unlocked(owner, mutex);
    (void)takti_hand_first(&mutex->waiters);
    takti_mutex_own(mutex, next);
    if (mutex->waiters != NULL) {
        takti_contend(mutex);
        if (TAKTI_HINTS && TAKTI_UNLIKELY(next->timer.state == TAKTI_SUSPENDED)) {
            takti_key_update(owner);
            (void)takti_on_owner_blocked(next);
            return;
        }
    }
    takti_key_update(owner);
}

/* Gives it to the best of those that wait for it, or to nobody. */
static TAKT_INLINE void takti_mutex_give(struct takt_mutex *mutex, struct takt_task *owner)
{
    if (mutex->waiters != NULL) {
        takti_mutex_hand_over(mutex, owner);
    } else {
        takti_mutex_clear_owner(mutex, owner);
    }
}

/* Wakes all that wait for it. Who waits ahead for it, by a hint, goes on waiting for what it called for. */
static inline void takti_mutex_give_up(struct takt_mutex *mutex, enum takt_status status)
{
#if TAKTI_HINTS
    if (takti_kernel.hints != NULL) {
        takti_kernel.hints->cancel(mutex);
    }
#endif
    takti_wake_all(&mutex->waiters, status);
}

/* Whether no task owns it, and the next that locks it will. A broken one (budget.h) is not free. */
static inline bool takti_mutex_free(const struct takt_mutex *mutex)
{
    return mutex->owner == NULL || (TAKTI_HINTS && mutex->owner->timer.state == TAKTI_RESERVED_OWNER);
}

/* Whether the owner waits, perhaps through others, for the running task; then it is recorded. mutex.c */
#if TAKT_ASSERTIONS
bool takti_mutex_deadlock(const struct takt_mutex *mutex);
#else
static inline bool takti_mutex_deadlock(const struct takt_mutex *mutex)
{
    (void)mutex;
    return false;
}
#endif

/* Why the running task may not wait for a mutex that has an owner; or TAKT_OK. */
static inline enum takt_status takti_mutex_refusal(const struct takt_mutex *mutex)
{
    return takti_mutex_broken(mutex) ? TAKT_OWNER_DIED : takti_mutex_deadlock(mutex) ? TAKT_DEADLOCK : TAKT_OK;
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
    struct takt_condition *signalled; /* it was handed a signal of this one, which was for one task; or NULL */
};

#if TAKT_TRACKS_HELD_MUTEXES
/* `task` holds one less, whatever else is kept for that. O(mutexes held), 1 when they nest. */
static inline void takti_held_remove(struct takt_task *task, const struct takt_mutex *mutex)
{
    struct takt_mutex **link = &task->held;
    while (*link != mutex) {
        link = &(*link)->next_held;
    }
    *link = mutex->next_held;
}
#endif

#endif
