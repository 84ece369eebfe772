/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effective keys. A task runs with the best of its own key and the keys of the best waiter of every mutex that it
 * holds. That is the first one, since waiters are sorted by their effective keys, so inheritance is transitive; unless
 * they are in FIFO order, where it is looked for. Source: seed 000, 5.3. The
 * place-holder of 5.3.2 is not needed: it is for a ready queue that also contains blocked tasks. Only mutexes with
 * waiters are in the owner's list `contended`, since others affect no key. Sections of processes that no declaration
 * bounds are excluded: takti_lends.
 */
#include "kernel/sync/mutex.h"

struct key {
    union takti_level *level;
    uint32_t bit;
    uint64_t deadline_ns[TAKT_EDF];      /* 0 in a fixed level */
    uint16_t order[TAKT_INHERITS_ORDER]; /* takti_key_order */
    uint16_t of[TAKT_TRACE]; /* task of the key; TAKT_TRACE_IDLE: a message or ceiling, TAKT_TRACE_NO_OBJECT: the
                                task itself */
};

static inline uint64_t key_deadline_ns(const struct key *key)
{
    return TAKT_EDF ? *key->deadline_ns : 0;
}

static inline unsigned key_order(const struct key *key, const struct takt_task *task)
{
    return TAKT_INHERITS_ORDER ? *key->order : task->config->index;
}

/* Sets the effective key of a task and moves it within its queue. `first`: before its equals in a fixed level. */
static void key_apply(struct takt_task *task, const struct key *key, bool first)
{
    bool ready = task->timer.state == TAKTI_READY;
    bool waits = task->timer.state >= TAKTI_BLOCKED && task->timer.state <= TAKTI_BLOCKED_PIPE;
    struct takt_task **queue = waits ? task->wait_queue : NULL;
    bool stays = takti_mutex_waits_fifo(task); /* where it is in that queue */
    bool stays_in_level = ready && task->level == key->level && takti_in_edf(&takti_kernel.ready, task);
    if (ready) {
        if (!stays_in_level) {
            takti_ready_remove(task);
        }
    } else if (queue != NULL) {
        if (!stays) {
            takti_wait_remove(task);
        }
        if (TAKTI_LENDS && task->timer.state == TAKTI_BLOCKED_MUTEX) {
            ((struct takt_mutex *)queue)->lent = false;
        }
    }
    if (TAKT_INHERITS_ORDER && stays_in_level && key_order(key, task) != takti_key_order(task)) {
        (void)takti_ready_insert(task, TAKTI_UNKEY);
    }
    task->level = key->level;
    task->level_bit = key->bit;
    takti_key_deadline_set(task, key_deadline_ns(key));
    takti_key_order_set(task, key_order(key, task));
    takti_trace_identify(task);
    if (stays_in_level) {
        (void)takti_ready_insert(task, TAKTI_REKEY);
    } else if (ready) {
        (void)takti_ready_insert(task, first ? TAKTI_FIRST : TAKTI_LAST);
    } else if (queue != NULL && !stays) {
        takti_wait_insert(task);
    }
    if (TAKT_TRACE) {
        takti_trace(TAKT_EVENT_KEY, task, *key->of, takti_level_index(&takti_kernel.ready, task->level));
    }
}

#if TAKT_QUOTAS
bool takti_lends(const struct takt_mutex *mutex, const struct takt_task *owner)
{
    return !mutex->apart && (mutex->created || !takti_is_thread(owner));
}
#endif

/* The owner of the mutex that `task` waits for, if it inherits from `task`; or NULL. */
static struct takt_task *next_in_chain(const struct takt_task *task)
{
    const struct takt_mutex *mutex = (const struct takt_mutex *)task->wait_queue;
    if (task->timer.state != TAKTI_BLOCKED_MUTEX) {
        return NULL;
    }
    struct takt_task *owner = mutex->owner;
    return !TAKT_QUOTAS || (owner != NULL && takti_lends(mutex, owner)) ? owner : NULL;
}

/* Sets the deadline, the order, and the task of the key for the trace. */
static inline void key_note(struct key *key, uint64_t deadline_ns, unsigned order, uint16_t of)
{
    if (TAKT_EDF) {
        *key->deadline_ns = deadline_ns;
    }
    if (TAKT_INHERITS_ORDER) {
        *key->order = (uint16_t)order;
    }
    if (TAKT_TRACE) {
        *key->of = of;
    }
}

static struct key key_of(const struct takt_task *task)
{
    struct key key = {.level = task->level, .bit = task->level_bit};
    uint16_t of = task->config == NULL ? TAKT_TRACE_IDLE : task->config->index; /* slot.c has tasks without one */
    key_note(&key, takti_key_deadline_ns(task), TAKT_INHERITS_ORDER ? takti_key_order(task) : 0, of);
    return key;
}

/* The task's own key, of its current job. */
static struct key own_key(const struct takt_task *task)
{
    unsigned level = takti_own_level(task);
    bool edf = TAKT_EDF && takti_level_edf(&takti_kernel.ready, level);
    struct key key = {.level = &takti_kernel.ready.levels[level], .bit = TAKT_BITMAP_BIT(level)};
    key_note(&key, edf ? takti_own_deadline_ns(task) : 0, task->config->index, TAKT_TRACE_NO_OBJECT);
    return key;
}

/* Whether the task's key is strictly better than `key`. In a fixed level the order is nothing. */
static bool before_key(const struct takt_task *task, const struct key *key)
{
    if (!TAKT_EDF || task->level != key->level) {
        return task->level < key->level;
    }
    uint64_t deadline_ns = takti_key_deadline_ns(task);
    return deadline_ns < key_deadline_ns(key) ||
           (TAKT_INHERITS_ORDER && deadline_ns == key_deadline_ns(key) && takti_key_order(task) < *key->order &&
            takti_in_edf(&takti_kernel.ready, task));
}

/* Whether it is equal to `key`. */
static bool has_key(const struct takt_task *task, const struct key *key)
{
    return task->level == key->level && (!TAKT_EDF || takti_key_deadline_ns(task) == key_deadline_ns(key)) &&
           (!TAKT_INHERITS_ORDER || takti_key_order(task) == *key->order || !takti_in_edf(&takti_kernel.ready, task));
}

/*
 * `waiter` began to wait for a mutex of `task`: raises the task and the owners in its chain. At most one step per task.
 */
void takti_key_raise(struct takt_task *task, const struct takt_task *waiter)
{
    struct key key = key_of(waiter);
    bool locks = waiter->timer.state == TAKTI_BLOCKED_MUTEX; /* otherwise it is a ceiling, or a message */
    if (TAKT_QUOTAS && (locks ? next_in_chain(waiter) == NULL : takti_is_thread(task))) {
        return;
    }
    while (task != NULL && takti_key_better(waiter, task)) {
        key_apply(task, &key, false);
        task = next_in_chain(task);
    }
}

#if TAKT_SERVERS
/* The best of the task's own key and those of the best waiters for its mutexes. O(mutexes held). */
static struct key best_key(const struct takt_task *task)
{
    struct key key = own_key(task);
    for (const struct takt_mutex *held = task->timer.contended; held != NULL; held = held->next_contended) {
        if (takti_lends(held, task)) {
            const struct takt_task *best = takti_mutex_best(held);
            if (before_key(best, &key)) {
                key = key_of(best);
            }
        }
    }
    return key;
}

/* Its own key has changed, and it is in no queue. O(mutexes held). */
void takti_key_renew(struct takt_task *task)
{
    struct key key = best_key(task);
    bool moved = key.level != task->level;
    task->level = key.level;
    task->level_bit = key.bit;
    takti_key_deadline_set(task, key_deadline_ns(&key));
    takti_key_order_set(task, key_order(&key, task));
    takti_trace_identify(task);
    if (moved) {
        takti_trace(TAKT_EVENT_KEY, task, *key.of, takti_level_index(&takti_kernel.ready, task->level));
    }
}

/* The same for one that may be in a queue, and its chain. A better key: behind its equals, a worse one: before them. */
void takti_key_follow(struct takt_task *task)
{
    while (task != NULL) {
        struct key key = best_key(task);
        if (has_key(task, &key)) {
            return;
        }
        key_apply(task, &key, before_key(task, &key));
        task = next_in_chain(task);
    }
}
#endif

/*
 * A waiter left a mutex of `task`, or `task` unlocked one: its key may get worse, and so may those along the chain. A
 * task whose key gets worse is queued before its equals: it was running, or would have been. O(mutexes held) per link;
 * ends at a link whose key does not change.
 */
void takti_key_update(struct takt_task *task)
{
    while (task != NULL) {
        struct key key = own_key(task);
        for (const struct takt_mutex *mutex = task->timer.contended; mutex != NULL; mutex = mutex->next_contended) {
            if (takti_lends(mutex, task)) {
                const struct takt_task *best = takti_mutex_best(mutex);
                if (before_key(best, &key)) {
                    key = key_of(best);
                }
            }
        }
        if (has_key(task, &key)) {
            return;
        }
        key_apply(task, &key, true);
        task = next_in_chain(task);
    }
}

/* A task abandoned its wait for a mutex: the owners in the chain no longer inherit from it. */
void takti_mutex_left(struct takt_mutex *mutex)
{
    if (mutex->owner == NULL) { /* it waited for a signal */
        struct takt_condition *condition = (struct takt_condition *)mutex;
        condition->left(condition);
        return;
    }
    if (mutex->waiters == NULL) {
        takti_uncontend(mutex);
    }
    takti_key_update(mutex->owner);
}

/* takti_uncontend for an owner with several contended mutexes. O(mutexes held). */
void takti_uncontend_among(struct takt_mutex *mutex)
{
    struct takt_mutex **link = &mutex->owner->timer.contended;
    while (*link != mutex) {
        link = &(*link)->next_contended;
    }
    *link = mutex->next_contended;
}
