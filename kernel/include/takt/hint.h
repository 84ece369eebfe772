/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HINT_H
#define TAKT_HINT_H

#include "base/dialect.h"
#include "takt/mutex.h"

TAKT_C_BEGIN

/* Whether hints have an effect. Elsewhere a call is compiled to nothing, and its arguments are not checked. */
#define TAKTI_HINTS (TAKT_EDF && !TAKT_SINGLE_PATH && (TAKT_TRACKS_HELD_MUTEXES || TAKT_HEEDS_HINTS))

/*
 * Next-lock hints. Seed 000, 5.3.2 and 5.4: before it blocks, a task names the mutex that it locks next. If another
 * task owns that mutex when the wait is over, the task stays blocked, now on the mutex, and the owner inherits from it
 * at once. It runs when the mutex is free, instead of running only to block on it: one context switch less for each
 * lock.
 *
 * A hint applies to the next wait only, however that ends (an object, an expiry, a release, a timeout). A lock of any
 * mutex ends it, and so does NULL. If the call does not have to wait, the lock that follows waits as it does without a
 * hint; there was no switch to save.
 *
 * When its wait is over and the mutex is free, the task is ready but has not locked it. If a better task locks it first
 * (5.4.3), the hinted task waits again until it is free. Only the task that locks the mutex in between bears that cost:
 * calls without a hint, and mutexes that no hint names, cost the same as without hints. The call that ends a hinted
 * wait does the work of takt_mutex_lock; one that ends the waits of n tasks hinted at one mutex, or locks it while n
 * hinted tasks are ready: O(n * n).
 *
 * The mutex is not reserved for the task, which need not lock it; a wrong hint delays it by no more than a lock would.
 * So a system that is proved with the declared users of its mutexes stays proved with hints of those users
 * (docs/decisions/0013-hints.md).
 *
 * A hint has no effect
 * - while the task owns a mutex or serves a call of a rendezvous, when it is given or when its wait ends;
 * - on a wait for a mutex, a signal (takt/condition.h: its mutex is locked before the task runs anyway) or the
 *   completion of a call;
 * - if the owner sleeps or is suspended, or waits for the mutex of a task that does, since that may last for any time.
 *   If it begins later, the effect ends: the hinted task becomes ready, and runs up to its lock;
 * - if a task with a worse key waits for the mutex already: the hinted task would get the mutex first. One that begins
 *   to wait later, while the owner waits for something, ends the effect;
 * - if the task is suspended when its wait ends;
 * - in a kernel without edf bands, or with neither budgets nor processes: where an owner takes its waiter's place in
 * the ready queue, a contended lock costs less than a hint;
 * - in one that is compiled for size.
 *
 * An owner that waits for an object does not end the effect: another task serves the object (figure 5.6), and the
 * hinted task could not lock the mutex before that. 5.4.3 excludes objects that interrupts serve, which a kernel cannot
 * recognize. Do not name a mutex whose owners wait for such objects: the hinted task would wait too, although it could
 * run up to its lock.
 */

/*
 * Names the mutex that the calling task locks next after its next wait; NULL: none. The last call counts. Context:
 * task. Blocks: never. O(1). Deleting a mutex ends its hints; its storage must stay until the waits that they applied
 * to are over.
 */
void takt_hint_next(struct takt_mutex *mutex);

/*
 * Mutexes that a task locks one after another, or nested, with no wait between them other than for a lock. Seed 000,
 * 5.4.2. Caller-owned; in use until the wait after the hint is over. Of a process the kernel keeps a copy.
 */
struct takt_hint_set {
    struct takt_mutex *const *mutexes; /* `count` mutexes, in the order of locking */
    struct takt_mutex *current;        /* private: the mutex that it waits for */
    uint8_t count;                     /* 1 to TAKT_HINT_SET_MAX */
    uint8_t position;                  /* private: index of the next one that it may wait for */
};

#define TAKT_HINT_SET_MAX 8

/*
 * As takt_hint_next, for a set: the task is ready once each mutex has been free, or could not be waited for, since the
 * wait ended. It waits for one after another, in order and once each, and holds none meanwhile, so it closes no cycle.
 * The owner of the mutex that it waits for inherits: on one processor no other task could use it. Then the hint is as
 * one that names the first. Context: task. Blocks: never.
 */
void takt_hint_next_set(struct takt_hint_set *set);

#ifndef __cplusplus
/* A set of these mutexes, up to the end of the block: takt_hint_next_set(TAKT_HINT_SET(&a, &b)) before the wait. */
#define TAKT_HINT_SET(...)                                                                        \
    (&(struct takt_hint_set){                                                                     \
        .mutexes = (struct takt_mutex *const[]){__VA_ARGS__},                                     \
        .count = sizeof((struct takt_mutex *const[]){__VA_ARGS__}) / sizeof(struct takt_mutex *), \
    })

/* takt_hint_next_set for the end of a job, of which one task alone is run: the set is static, of constant addresses. */
#define TAKT_HINT_NEXT_SET_STATIC(...)                                        \
    do {                                                                      \
        static struct takt_mutex *const takti_hint_mutexes[] = {__VA_ARGS__}; \
        static struct takt_hint_set takti_hint_set = {                        \
            .mutexes = takti_hint_mutexes,                                    \
            .count = sizeof takti_hint_mutexes / sizeof(struct takt_mutex *), \
        };                                                                    \
        takt_hint_next_set(&takti_hint_set);                                  \
    } while (0)
#endif

TAKT_C_END

#if !TAKTI_HINTS
#define takt_hint_next(mutex) ((void)(mutex))
#define takt_hint_next_set(set) ((void)(set))
#endif

#endif
