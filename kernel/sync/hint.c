/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Next-lock hints. They add no test to common paths. A hinted task has a flag in the same word as the flag of
 * suspension, and that word is tested anyway when the task becomes ready. TAKTI_HOLDS is subtracted from its `holds`,
 * so that its last unlock takes the slow path, as if a stop waited for it. A free mutex that hinted tasks are expected
 * to lock has the owner RESERVED_OWNER, so that its lock takes the slow path; `next_contended` is then the expected
 * task, or NULL for several.
 *
 * A task that waits AHEAD has the state TAKTI_BLOCKED_MUTEX, so that code for keys, chains and stops treats it as any
 * other waiter. It is queued behind the tasks that have called lock: to overtake one would delay that task twice.
 */
#include "takt/hint.h"

#include "kernel/sync/mutex.h"

#if TAKTI_HINTS
static void hint_check_caller(uint32_t lock)
{
    TAKT_ASSERT(takt_port_caller(lock) == 0 && takti_kernel.ready.running != &takti_kernel.idle);
    (void)lock;
}

static const struct takt_task nobody = {.timer.state = TAKTI_RESERVED_OWNER};

static bool holds_any(const struct takt_task *task)
{
    return (task->holds & TAKTI_HOLDS_COUNT) != 0;
}

static bool is(const struct takt_task *task, unsigned flag)
{
    unsigned flags = TAKTI_FLAG_HINTED | flag;
    return (task->timer.flags & flags) == flags;
}

static struct takt_hint_set *hint_set_of(const struct takt_task *task)
{
    return is(task, TAKTI_FLAG_SET) ? (struct takt_hint_set *)(void *)task->hint : NULL;
}

/* The mutex of the task's hint. */
static struct takt_mutex *hint_mutex(const struct takt_task *task)
{
    const struct takt_hint_set *set = hint_set_of(task);
    return set == NULL ? task->hint : set->current;
}

/* Sets the hint of a task that holds no mutex and has not locked since: AHEAD or EXPECTED, or 0 during its wait. */
static void hint_set(struct takt_task *task, struct takt_mutex *mutex, unsigned flag)
{
    unsigned others = task->timer.flags & ~(unsigned)(TAKTI_FLAG_AHEAD | TAKTI_FLAG_EXPECTED);
    task->timer.flags = (uint8_t)(others | TAKTI_FLAG_HINTED | flag);
    task->hint = mutex;
    task->holds = 0;
}

static void hint_forget(struct takt_task *task)
{
    task->timer.flags &= (uint8_t) ~(TAKTI_FLAG_HINTED | TAKTI_FLAG_AHEAD | TAKTI_FLAG_EXPECTED | TAKTI_FLAG_SET);
    if (task->hint != NULL) { /* otherwise it will be stopped: takti_task_stop */
        task->holds |= TAKTI_HOLDS;
    }
}

/* Notes that a ready task is expected to lock the free mutex. */
static void hint_expect(struct takt_task *task, struct takt_mutex *mutex)
{
    void *expected = task;
    if (mutex->owner != NULL && mutex->next_contended != expected) {
        expected = NULL;
    }
    hint_set(task, mutex, TAKTI_FLAG_EXPECTED);
    mutex->owner = (struct takt_task *)(uintptr_t)&nobody; /* only read */
    mutex->next_contended = expected;
}

/*
 * Whether a task that is not ready, or an owner in the chain that it waits for, sleeps or is suspended: waits whose
 * duration is not bounded.
 */
static TAKTI_NOINLINE_HOT bool hint_chain_rests(const struct takt_task *owner)
{
    for (unsigned links = 0; owner != NULL && links < UINT8_MAX; links++) { /* bounds a deadlock */
        unsigned state = owner->timer.state;
        if (state == TAKTI_SUSPENDED || (owner->timer.flags & TAKTI_FLAG_SUSPENDED) != 0) {
            return true;
        }
        if (state != TAKTI_BLOCKED_MUTEX) {
            return state == TAKTI_BLOCKED_DELAY || (state == TAKTI_BLOCKED && owner->wait_queue == NULL);
        }
        owner = ((const struct takt_mutex *)owner->wait_queue)->owner;
    }
    return false;
}

static inline bool hint_owner_rests(const struct takt_task *owner)
{
    return owner->timer.state != TAKTI_READY && hint_chain_rests(owner);
}

/* Whether a new waiter would precede a task that has called lock. The task is in no queue, before and after. */
static bool hint_overtakes(struct takt_task *task, struct takt_mutex *mutex)
{
    if (mutex->waiters == NULL) {
        return false;
    }
    struct takt_task **handed_from = task->wait_queue;
    task->wait_queue = &mutex->waiters;
    takti_wait_insert(task);
    const struct takt_task *other = task->next;
    while (other != NULL && is(other, TAKTI_FLAG_AHEAD)) { /* at most the declared users */
        other = other->next;
    }
    takti_wait_remove(task);
    task->wait_queue = handed_from;
    return other != NULL;
}

/* After changes that can make any task the best one: whether it is another task now. */
static bool hint_other_best(void)
{
    struct takt_task *next = takti_select();
    bool other = next != takti_kernel.ready.next;
    takti_kernel.ready.next = next;
    return other;
}

/* Whether a hinted task waits ahead for the mutex. A broken one is left to the lock, which returns the status. So is
 * one with waiters in FIFO order, where the lock decides the position. */
static inline __attribute__((always_inline)) bool hint_waits(struct takt_task *task, struct takt_mutex *mutex)
{
    if (takti_mutex_fifo(mutex)) {
        return false;
    }
    return !takti_mutex_free(mutex) && !takti_mutex_broken(mutex) && !hint_owner_rests(mutex->owner) &&
           !hint_overtakes(task, mutex);
}

/* The next mutex of the set that the task has to wait for, or NULL. */
static TAKTI_NOINLINE_HOT struct takt_mutex *hint_next_of(struct takt_task *task, struct takt_hint_set *set)
{
    while (set->position < set->count) { /* at most TAKT_HINT_SET_MAX */
        struct takt_mutex *mutex = set->mutexes[set->position++];
        if (hint_waits(task, mutex)) {
            return mutex;
        }
    }
    return NULL;
}

/* Makes the task wait ahead. Meanwhile `previous`, of the ready queue, is the queue of the item handed over to it:
 * handed.c. */
static void hint_wait_ahead(struct takt_task *task, struct takt_mutex *mutex)
{
    task->previous = (struct takt_task *)(void *)task->wait_queue;
    takti_lock_later(task, mutex);
}

/* Whether the task, whose wait is over and whose hint is valid, waits ahead now. */
static inline bool hint_applies(struct takt_task *task, struct takt_hint_set *set)
{
    struct takt_mutex *first = set == NULL ? task->hint : set->mutexes[0];
    struct takt_mutex *mutex = set != NULL ? hint_next_of(task, set) : hint_waits(task, first) ? first : NULL;
    if (mutex != NULL) {
        hint_set(task, mutex, TAKTI_FLAG_AHEAD);
        if (set != NULL) {
            set->current = mutex;
            task->hint = (struct takt_mutex *)(void *)set;
            task->timer.flags |= TAKTI_FLAG_SET;
        }
        hint_wait_ahead(task, mutex);
    } else if (takti_mutex_free(first) && !takti_mutex_fifo(first)) {
        hint_expect(task, first);
    }
    return mutex != NULL;
}

static bool hint_ready(struct takt_task *task)
{
    unsigned spoilt = TAKTI_FLAG_SUSPENDED | TAKTI_FLAG_EXPECTED; /* EXPECTED: it waited for something else instead */
    bool counts = (task->timer.flags & spoilt) == 0 && task->timer.state != TAKTI_BLOCKED_MUTEX && !holds_any(task);
    struct takt_hint_set *set = hint_set_of(task);
    hint_forget(task);
    if (counts && hint_applies(task, set)) {
        return hint_other_best();
    }
    if ((task->timer.flags & TAKTI_FLAG_SUSPENDED) != 0) {
        task->timer.flags &= (uint8_t)~TAKTI_FLAG_SUSPENDED;
        task->timer.state = TAKTI_SUSPENDED;
        takti_budget_wait_ends(task);
        takti_budget_waits(task);
        return false;
    }
    takti_budget_ready(task);
    task->timer.state = TAKTI_READY;
    return takti_ready_add(task);
}

/* At the end of a wait ahead, restores the queue of the item handed over before; a task that ends and waits to lock was
 * handed nothing. */
static void hint_handed(struct takt_task *task)
{
    task->wait_queue = is(task, TAKTI_FLAG_AHEAD) ? (struct takt_task **)(void *)task->previous : NULL;
}

/* Makes a task that waited ahead, and has left the queue, ready or suspended. */
static void hint_wake(struct takt_task *task)
{
    hint_handed(task);
    hint_forget(task);
    (void)takti_hand(task); /* the result is that of the original wait */
}

/* The next mutex, after this one, for which tasks wait because of `root`, directly or through other owners; or NULL. */
static const struct takt_mutex *hint_behind(const struct takt_mutex *mutex, const struct takt_task *root)
{
    const struct takt_task *task = mutex->waiters;
    for (;;) { /* at most the declared users of all mutexes */
        while (task != NULL && (task->timer.contended == NULL || task == root)) { /* root: a deadlock */
            task = task->next;
        }
        if (task != NULL) {
            return task->timer.contended;
        }
        if (mutex->next_contended != NULL || mutex->owner == root) {
            return mutex->next_contended;
        }
        const struct takt_task *owner = mutex->owner;
        task = owner->next;
        mutex = (const struct takt_mutex *)owner->wait_queue;
    }
}

/* The first task, in declaration order, that waits ahead because of `root`; or NULL. */
static struct takt_task *hint_first_kept_by(const struct takt_task *root)
{
    struct takt_task *first = NULL;
    for (const struct takt_mutex *mutex = root->timer.contended; mutex != NULL; mutex = hint_behind(mutex, root)) {
        for (struct takt_task *task = mutex->waiters; task != NULL; task = task->next) {
            if (is(task, TAKTI_FLAG_AHEAD) && (first == NULL || task->config->index < first->config->index)) {
                first = task;
            }
        }
    }
    return first;
}

/* Ends the waits ahead because of `owner`, which sleeps, is suspended, or waits for a task that is. */
static TAKTI_NOINLINE_HOT void hint_rest(const struct takt_task *owner)
{
    for (struct takt_task *task; (task = hint_first_kept_by(owner)) != NULL;) {
        struct takt_mutex *mutex = hint_mutex(task);
        takti_wait_remove(task);
        hint_wake(task);
        takti_mutex_left(mutex);
    }
}

/* A task waits for a mutex of `owner`. */
static void hint_wait(const struct takt_task *task, const struct takt_task *owner)
{
    if (hint_owner_rests(owner)) {
        hint_rest(task);
    }
}

/* takti_mutex_hand_over if the best waiter waits ahead, or gave a hint before it called lock. */
static void hint_hand_over(struct takt_mutex *mutex, struct takt_task *owner)
{
    struct takt_task **link = &mutex->waiters;
    while (*link != NULL && (is(*link, TAKTI_FLAG_AHEAD) || takti_is_ending(*link))) { /* at most the declared users */
        link = &(*link)->next;
    }
    takti_trace(TAKT_EVENT_UNLOCK, owner, mutex->id, 0);
    takti_uncontend(mutex);
    owner->holds--;
    takti_held_unlocked(owner, mutex);
    if (*link != NULL) {
        struct takt_task *next = *link;
        (void)takti_hand_first(link);
        takti_mutex_own(mutex, next);
        if (mutex->waiters != NULL) {
            takti_contend(mutex);
            takti_key_raise(next, takti_mutex_best(mutex));
            if (next->timer.state == TAKTI_SUSPENDED) {
                takti_key_update(owner);
                hint_rest(next);
                return;
            }
        }
    } else {
        mutex->owner = NULL;
        while (mutex->waiters != NULL) { /* all that wait ahead */
            struct takt_task *task = mutex->waiters;
            mutex->waiters = task->next;
            if (is(task, TAKTI_FLAG_SET)) {
                hint_handed(task);
                task->timer.flags &= (uint8_t)~TAKTI_FLAG_AHEAD;
                task->timer.state = TAKTI_BLOCKED; /* and its wait is over: hint_ready */
                (void)takti_hand(task);
                if (task->timer.state == TAKTI_BLOCKED_MUTEX) { /* on another mutex of the set */
                    takti_key_update(owner);
                }
                continue;
            }
            hint_wake(task);
            if (task->timer.state == TAKTI_READY) {
                hint_expect(task, mutex);
            }
        }
    }
    takti_key_update(owner);
}

/* A ready task that was expected to lock the mutex waits ahead. */
static void hint_hold_back(struct takt_task *task, void *context)
{
    struct takt_mutex *mutex = context;
    if (is(task, TAKTI_FLAG_EXPECTED) && task->hint == mutex && !holds_any(task)) {
        takti_ready_remove(task);
        hint_set(task, mutex, TAKTI_FLAG_AHEAD);
        hint_wait_ahead(task, mutex);
    }
}

/* The running task locks a mutex of RESERVED_OWNER. The other tasks expected to lock it wait ahead, since the running
 * task is at least as good. */
static void hint_take(struct takt_mutex *mutex)
{
    struct takt_task *task = takti_kernel.ready.running;
    const void *expected = mutex->next_contended;
    if (is(task, 0)) {
        hint_forget(task);
    }
    takti_mutex_own(mutex, task);
    if (expected != task) {
        takti_ready_each(hint_hold_back, mutex); /* O(ready tasks) */
    }
}

/* Ends the waits ahead of the tasks from `link` to `last`. Returns whether there was one. */
static bool hint_cancel_down_to(struct takt_task **link, const struct takt_task *last)
{
    bool some = false;
    while (*link != last) { /* at most the declared users */
        struct takt_task *task = *link;
        if (is(task, TAKTI_FLAG_AHEAD)) {
            *link = task->next;
            hint_wake(task);
            some = true;
        } else {
            link = &task->next;
        }
    }
    return some;
}

static void hint_overtake(struct takt_mutex *mutex, struct takt_task **link, const struct takt_task *waiter)
{
    if (hint_cancel_down_to(link, waiter)) {
        takti_key_update(mutex->owner);
    }
}

static void hint_cancel(struct takt_mutex *mutex)
{
    (void)hint_cancel_down_to(&mutex->waiters, NULL);
}

static const struct takti_hints hints = {hint_ready,  hint_hand_over, hint_take, hint_overtake,
                                         hint_cancel, hint_rest,      hint_wait};

/* Sets a hint of the running task: a mutex, or a set. No effect if it owns a mutex. */
static void hint_give(void *what, unsigned flag)
{
    struct takt_task *task = takti_kernel.ready.running;
    if (!holds_any(task)) {
        *takti_kernel.hints = &hints;
        task->timer.flags &= (uint8_t)~TAKTI_FLAG_SET;
        hint_set(task, what, 0);
        task->timer.flags |= (uint8_t)flag;
    }
}

void takt_hint_next(struct takt_mutex *mutex)
{
    uint32_t lock = takt_port_enter();
    hint_check_caller(lock);
    if (mutex != NULL) {
        hint_give(mutex, 0);
    } else if (is(takti_kernel.ready.running, 0) && !holds_any(takti_kernel.ready.running)) {
        hint_forget(takti_kernel.ready.running);
    }
    takt_port_leave(lock);
}

void takt_hint_next_set(struct takt_hint_set *set)
{
    uint32_t lock = takt_port_enter();
    hint_check_caller(lock);
    TAKT_ASSERT(set->count > 0 && set->count <= TAKT_HINT_SET_MAX);
    set->position = 0;
    hint_give(set, TAKTI_FLAG_SET);
    takt_port_leave(lock);
}
#else
/* For other languages, and where the address of a function is taken. */
void(takt_hint_next)(struct takt_mutex *mutex)
{
    (void)mutex;
}

void(takt_hint_next_set)(struct takt_hint_set *set)
{
    (void)set;
}
#endif
