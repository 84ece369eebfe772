/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HINT_H
#define TAKT_HINT_H

#include "takt/mutex.h"

/*
 * Next-lock hints. Seed 000, 5.3.2 and 5.4: a task says before it blocks which mutex it locks next. If another task
 * owns that mutex when the wait is over, the task waits on, for the mutex, and the owner inherits from it at once; it
 * runs when the mutex is free, and does not run only to find that it is not: one switch less for each lock.
 *
 * A hint is for the next wait, whatever that ends with (an object, an instant, a release, a timeout), and for no other
 * one. A lock ends it, of whatever mutex; so does NULL. If the call does not have to wait, the lock that follows waits
 * as it always does, and the switch was saved before.
 *
 * Once its wait is over, and the mutex is free, the task is ready but has not locked it. If another one locks it before
 * (5.4.3: a better one), the task waits again until it is free. Whoever locks the mutex in between pays for that, and
 * nobody else: a call without a hint, and a mutex that no hint names, cost what they cost without hints. Whoever ends a
 * hinted wait does what takt_mutex_lock does; who ends those of n tasks for one mutex, or locks it when n are ready to:
 * O(n * n).
 *
 * The mutex is not kept for the task, which need not lock it; a wrong hint delays it by no more than a lock would. So a
 * system that is proved with the declared users of its mutexes stays proved with hints of those users
 * (docs/decisions/0013-hints.md).
 *
 * A hint has no effect
 * - while the task owns a mutex or serves a call of a rendezvous, when it is given or when its wait ends;
 * - on a wait for a mutex, a signal (takt/condition.h: its mutex is locked before the task runs anyway) or the
 *   completion of a call;
 * - if the owner sleeps or is suspended, or waits for the mutex of one that does: it may do so for any time. Where that
 *   comes later, it ends the effect: the hinted task is ready, and runs up to its lock;
 * - if a task that the hinted one would go before waits for the mutex already: it would get it first. One that comes
 *   later, while the owner waits for something, ends the effect;
 * - if the task is suspended when its wait ends;
 * - in a cooperative system, where nobody waits, and in a kernel that is compiled for size.
 * An owner that waits for an object leaves the effect as it is: another task serves it (figure 5.6), and the hinted one
 * could not lock before that. 5.4.3 excludes what a kernel cannot see, objects that interrupts serve. Do not name a
 * mutex whose owners wait for such: the hinted task, which could have run up to its lock, waits too.
 */

/*
 * The mutex that the calling task locks next after it has waited; NULL: none. The last call counts. Context: task.
 * Blocks: never. O(1). A mutex that is deleted ends its hints; its storage stays until the waits that they were for are
 * over.
 */
void takt_hint_next(struct takt_mutex *mutex);

/*
 * Mutexes that a task locks one after the other, or one in another, without a wait between them that is no lock. Seed
 * 000, 5.4.2. Storage of the caller, the task's own until the wait after the hint is over.
 */
struct takt_hint_set {
    struct takt_mutex *const *mutexes; /* `count` of them; the first is the one that it locks first */
    struct takt_mutex *current;        /* private: that it waits for */
    uint8_t count;                     /* 1 to TAKT_HINT_SET_MAX */
    uint8_t place;                     /* private: of the next one that it may wait for */
};

#define TAKT_HINT_SET_MAX 8

/*
 * As takt_hint_next, for all of a set: the task is ready when each of them was free, or could not be waited for, since
 * the wait ended. It waits for one after the other, in their order and for each once; it has none of them meanwhile, so
 * it closes no cycle. The owner of that one inherits: on one processor no other could use it. Then it is as if it had
 * given a hint of the first. Context: task. Blocks: never.
 */
void takt_hint_next_set(struct takt_hint_set *set);

#endif
