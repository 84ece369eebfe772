/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for an object or an expiry. The waking call writes the result into the task: no kernel code runs after the
 * block. */
#include "kernel/sync/mutex.h"

/* Whether waiter a precedes waiter b, which came earlier: FIFO in fixed levels; in edf levels by the order of the keys,
 * then of declaration. */
static bool waits_before(const struct takt_task *a, const struct takt_task *b)
{
    if (takti_before(a, b)) {
        return true;
    }
    if (!TAKT_EDF || takti_before(b, a) || !takti_in_edf(&takti_kernel.ready, a)) {
        return false;
    }
    unsigned order = takti_key_order(a);
    unsigned other = takti_key_order(b);
    return order < other || (TAKT_INHERITS_ORDER && order == other && a->config->index < b->config->index);
}

/* Inserts by key after `link`; all waiters before it precede the task. Behind all if it waits for a mutex with waiters
 * in FIFO order. O(waiters), at most the declared users. */
static inline void insert_behind(struct takt_task **link, struct takt_task *task)
{
    struct takt_task *other = *link;
    bool last = takti_mutex_waits_fifo(task);
    while (last && other != NULL) {
        link = &other->next;
        other = *link;
    }
    while (other != NULL && !waits_before(task, other)) {
        link = &other->next;
        other = *link;
    }
    task->next = other;
    *link = task;
}

/* Inserts by key into the queue that the task waits in. */
void takti_wait_insert(struct takt_task *task)
{
    insert_behind(task->wait_queue, task);
}

/* The same before its equals, for a task that came before all waiters. */
void takti_wait_insert_first(struct takt_task *task)
{
    struct takt_task **link = task->wait_queue;
    while (*link != NULL && waits_before(*link, task)) { /* at most the declared users */
        link = &(*link)->next;
    }
    task->next = *link;
    *link = task;
}

/* Removes a waiter from its queue. O(waiters). */
void takti_wait_remove(struct takt_task *task)
{
    struct takt_task **link = task->wait_queue;
    while (*link != task) {
        link = &(*link)->next;
    }
    *link = task->next;
}

/* takti_wait for a task that has equals or is in an edf level. */
static __attribute__((noinline)) enum takt_status wait_general(struct takt_task **queue, uint16_t object)
{
    struct takt_task *task = takti_block(queue, TAKTI_BLOCKED, object);
    takti_wait_insert(task);
    return takti_leave(task);
}

/* Blocks the running task in the queue of an object. Returns, unlocked, the status that the waking call wrote. */
enum takt_status takti_wait(struct takt_task **queue, uint16_t object)
{
    struct takt_task *task = takti_kernel.ready.running;
    if (TAKT_EDF || TAKT_TRACE || TAKT_SINGLE_PATH || TAKTI_UNLIKELY(!takti_ready_alone(task)) ||
        TAKTI_UNLIKELY(*queue != NULL)) {
        return wait_general(queue, object);
    }
    takti_ready_remove(task);
    task->timer.state = TAKTI_BLOCKED;
    task->wait_queue = queue;
    task->next = NULL;
    *queue = task;
    return takti_leave(task);
}

/* The same until `until_ns`. With TAKT_SINGLE_PATH also in no queue. */
static inline struct takt_task *block_until(struct takt_task **queue, enum takti_state state, uint16_t object,
                                            uint64_t until_ns)
{
    struct takt_task *task = takti_block(queue, state, object);
    if (!TAKT_SINGLE_PATH || queue != NULL) {
        takti_wait_insert(task);
    }
    bool mostly = state == TAKTI_BLOCKED_MUTEX || TAKT_SINGLE_PATH; /* it has no timeout */
    if (TAKTI_OPTIMIZE_SIZE || !mostly || until_ns != TAKT_FOREVER) {
        takti_timer_arm(&task->timer, until_ns);
    }
    return task;
}

/* As takti_wait, until `until_ns`. */
enum takt_status takti_wait_until(struct takt_task **queue, uint16_t object, uint64_t until_ns)
{
    return takti_leave(block_until(queue, TAKTI_BLOCKED, object, until_ns));
}

/*
 * As takti_wait_until, in another state. BLOCKED_FIFO: behind all waiters, also if its key changes. BLOCKED_MUTEX: in
 * the queue of a mutex, which may have no owner (condition.c).
 */
enum takt_status takti_wait_as(enum takti_state state, struct takt_task **queue, uint16_t object, uint64_t until_ns)
{
    struct takt_task *task = takti_block(queue, state, object);
    if (state != TAKTI_BLOCKED_FIFO) {
        takti_wait_insert(task);
    } else {
        while (*queue != NULL) { /* at most the declared users */
            queue = &(*queue)->next;
        }
        task->next = NULL;
        *queue = task;
    }
    if (until_ns != TAKT_FOREVER) {
        takti_timer_arm(&task->timer, until_ns);
    }
    return takti_leave(task);
}

/* A task locks a mutex with waiters: tasks behind it in the queue, after `link`, that wait ahead stop doing so. */
static inline void overtake(struct takt_mutex *mutex, struct takt_task **link, const struct takt_task *task)
{
    if (takti_hints() != NULL) {
        takti_hints()->overtake(mutex, link, task);
    }
}

/* A task begins to wait for a mutex. If the mutex's owner sleeps or is suspended, tasks that wait ahead for mutexes of
 * the waiting task must stop doing so. */
static inline void chain_may_rest(const struct takt_task *task, const struct takt_mutex *mutex)
{
    if (TAKTI_HINTS && task->timer.contended != NULL && takti_hints() != NULL) {
        takti_hints()->wait(task, mutex->owner);
    }
}

/* Blocks the running task on a mutex. */
static inline struct takt_task *block_on_mutex(struct takt_mutex *mutex, uint64_t until_ns)
{
    bool first = mutex->waiters == NULL;
    struct takt_task *task = block_until(&mutex->waiters, TAKTI_BLOCKED_MUTEX, TAKT_TRACE ? mutex->id : 0, until_ns);
    task->wait_buffer = NULL; /* otherwise it was signalled: condition.c */
    if (TAKTI_LENDS) {
        mutex->lent = false;
    }
    if (first) {
        takti_contend(mutex);
    } else {
        overtake(mutex, &mutex->waiters, task);
    }
    takti_mutex_left_link();
    takti_key_raise(mutex->owner, task);
    return task;
}

/* The owner is not ready, or there is none. */
static TAKTI_NOINLINE_HOT enum takt_status wait_slow_path(struct takt_mutex *mutex, uint64_t until_ns)
{
    if (mutex->owner->timer.state == TAKTI_RESERVED_OWNER) {
        takti_hints()->take(mutex);
        takt_port_leave(0);
        return TAKT_OK;
    }
    struct takt_task *task = block_on_mutex(mutex, until_ns);
    chain_may_rest(task, mutex);
    return takti_leave(task);
}

/* Blocks the running task on a mutex; the owners in the chain inherit. */
enum takt_status takti_wait_for_mutex_until(struct takt_mutex *mutex, uint64_t until_ns)
{
    if (TAKTI_HINTS && TAKTI_UNLIKELY(mutex->owner->timer.state != TAKTI_READY)) {
        return wait_slow_path(mutex, until_ns);
    }
    return takti_leave(block_on_mutex(mutex, until_ns));
}

/* The running task, which calls for a rendezvous, waits until its call, in `wait_buffer`, is completed. */
enum takt_status takti_wait_for_served(struct takt_mutex *serving, const void *call)
{
    struct takt_task *task = block_on_mutex(serving, TAKT_FOREVER);
    task->wait_buffer = (void *)(uintptr_t)call;
    if (serving->owner->timer.state != TAKTI_READY) {
        chain_may_rest(task, serving);
    }
    return takti_leave(task);
}

/* Makes the task, which is in no queue, wait for the mutex, after `link`. */
static inline TAKTI_INLINE_ALWAYS void lock_behind(struct takt_task *task, struct takt_mutex *mutex,
                                                   struct takt_task **link)
{
    bool first = mutex->waiters == NULL;
    takti_budget_wait_ends(task);
    task->timer.state = TAKTI_BLOCKED_MUTEX;
    if (TAKT_SERVERS &&
        task != takti_kernel.ready.running) { /* it may have been ready; the running one: at the switch */
        takti_server_rests(task);
    }
    task->wait_queue = &mutex->waiters;
    takti_wait_object_set(task, mutex->id);
    insert_behind(link, task);
    takti_trace(TAKT_EVENT_BLOCK, task, mutex->id, 0);
    mutex->lent = false;
    if (first) {
        takti_contend(mutex);
    } else if ((task->timer.flags & TAKTI_FLAG_AHEAD) == 0) {
        overtake(mutex, link, task);
    }
    takti_mutex_left_link();
    takti_key_raise(mutex->owner, task);
    chain_may_rest(task, mutex);
}

/* Makes a task that is in no queue, and may not be the running one, wait for a mutex that another task owns. */
void takti_lock_later(struct takt_task *task, struct takt_mutex *mutex)
{
    lock_behind(task, mutex, &mutex->waiters);
}

/*
 * The same right after `before`, which is usually no worse: then the search begins there. So several tasks that are
 * added in the order of their keys pass the waiters once in total.
 */
void takti_lock_next(struct takt_task *task, struct takt_mutex *mutex, struct takt_task *before)
{
    lock_behind(task, mutex, waits_before(task, before) ? &mutex->waiters : &before->next);
}

/*
 * takti_wait_for_mutex in the common case: the first waiter, alone in its level or the best of an edf level, and an
 * owner that is ready, in such a level, too, and has no other waiters. The owner takes over the waiter's position in
 * the ready queue (seed 000, 5.3.2), instead of two removals, an insertion and a search for the first. With
 * take_back_position in mutex.c it takes a third of the instructions of mutex_contended in benchmarks/kernel.
 * take_back_position requires that nothing has changed since: `lent` is true until another task waits for the mutex or
 * the waiter's key changes. Returns the task that runs next. NULL: not the common case.
 */
static inline struct takt_task *lend_position(struct takt_mutex *mutex, struct takt_task *task)
{
    struct takt_task *owner = mutex->owner;
    union takti_level *level = task->level;
    uint32_t bit = task->level_bit;
    bool edf = takti_in_edf(&takti_kernel.ready, task);
    if (mutex->waiters != NULL || (!edf && !takti_ready_alone(task)) || owner->timer.state != TAKTI_READY ||
        !takti_lends(mutex, owner)) {
        return NULL;
    }
    const struct takt_mutex *contended = owner->timer.contended; /* and its `next`, which follows: in one load */
    const struct takt_task *equal = owner->next;
    __asm("" : : "r"(contended), "r"(equal));
    if (contended != NULL) {
        return NULL;
    }
    bool other = edf && (takti_key_order(task) != task->config->index || !takti_key_better(task, owner));
    if (TAKT_EDF && (other || takti_in_edf(&takti_kernel.ready, owner) != edf)) {
        return NULL; /* it is in the queue twice itself, or runs among equal deadlines */
    }
    if (!edf) {
        takti_ready_remove(owner);
    }
    TAKTI_PAIR_STORES(level, bit);
    owner->level = level;
    owner->level_bit = bit;
    if (edf) {
        takti_key_deadline_set(owner, takti_key_deadline_ns(task));
        takti_key_order_set(owner, task->config->index);
    }
    bool first = takti_ready_insert(owner, TAKTI_REPLACE);
    mutex->next_contended = NULL;
    owner->timer.contended = mutex;
    mutex->waiters = task;
    mutex->lent = true;
    task->next = NULL;
    task->wait_queue = &mutex->waiters;
    task->wait_buffer = NULL;
    task->timer.state = TAKTI_BLOCKED_MUTEX;
    return edf && !first ? takti_ready_first() : owner; /* another has an equal deadline */
}

static TAKTI_NOINLINE_HOT void trace_lent_one_by_one(const struct takt_task *task, const struct takt_task *owner,
                                                     unsigned object, unsigned level)
{
    takti_trace_inline(TAKT_EVENT_BLOCK, task, object, 0);
    takti_trace_inline(TAKT_EVENT_KEY, owner, task->config->index, level);
}

/* The records of lend_position: `task` waits, and `owner` has its level. */
static inline void trace_lent(struct takt_task *task, struct takt_task *owner, const struct takt_mutex *mutex)
{
    unsigned object = mutex->id;
    unsigned level = takti_level_index(&takti_kernel.ready, owner->level);
    takti_wait_object_set(task, mutex->id);
    takti_trace_band_set(owner, task->trace->identity & TAKTI_TRACE_BAND);
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    struct takt_trace_record *record = takti_kernel.trace->next;
    if (!takti_trace_has_room_for(2, record, era)) {
        trace_lent_one_by_one(task, owner, object, level);
        return;
    }
    takti_kernel.trace->next = record + 2;
    takti_trace_fill_of(record, ticks, TAKT_EVENT_BLOCK, task, object);
    takti_trace_fill_of(record + 1, ticks, TAKT_EVENT_KEY, owner, task->config->index | level << 16);
}

/* The same without a timeout. */
enum takt_status takti_wait_for_mutex(struct takt_mutex *mutex)
{
    struct takt_task *task = takti_kernel.ready.running;
    struct takt_task *next = TAKTI_LENDS ? lend_position(mutex, task) : NULL;
    if (next != NULL) {
        if (TAKT_TRACE) {
            trace_lent(task, TAKT_EDF ? mutex->owner : next, mutex);
        }
        return takti_switch_last(next, task, 0);
    }
    return takti_wait_for_mutex_until(mutex, TAKT_FOREVER);
}

/* Ends the wait of a task that has left its queue; returns whether it should run now. */
static TAKTI_NOINLINE_SIZE_OR_INLINE bool end_wait(struct takt_task *task, enum takt_status status)
{
    takti_timer_cancel(&task->timer);
    takti_trace_inline(TAKT_EVENT_READY, task, takti_wait_object(task), status);
    return takti_make_ready(task);
}

/* With the item that it waited for. */
bool takti_hand(struct takt_task *task)
{
    return end_wait(task, TAKT_OK);
}

/* Without an item that could be taken back: kernel/core/handed.h. */
bool takti_wake(struct takt_task *task, enum takt_status status)
{
    task->wait_queue = NULL;
    if (TAKTI_OPTIMIZE_SIZE || status != TAKT_OK) {
        takti_result_set(task, status);
    }
    return end_wait(task, status);
}

enum takt_status takti_refuse_traced(uint32_t lock, unsigned object)
{
    takti_trace_call(TAKT_EVENT_REFUSE, lock, object, TAKT_BUSY);
    takt_port_leave(lock);
    return TAKT_BUSY;
}

/* takti_wake_last for a task with a timeout, or a suspended one. */
enum takt_status takti_wake_slow_path(struct takt_task *task, uint32_t lock)
{
    if (TAKTI_OPTIMIZE_SIZE ? takti_hand(task) : end_wait(task, TAKT_OK)) {
        return takti_switch(lock);
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

/* Each is suspended, since its process ended. */
void takti_ending_leave_slow_path(struct takt_task **queue)
{
    while (*queue != NULL && takti_is_ending(*queue)) { /* at most the tasks of the process */
        struct takt_task *task = *queue;
        *queue = task->next;
        (void)takti_wake(task, TAKT_OWNER_DIED);
    }
}

/* Hands the item over to the best waiter, which must exist; returns whether it should run now. */
bool takti_hand_first(struct takt_task **queue)
{
    struct takt_task *task = *queue;
    *queue = task->next;
    return takti_hand(task);
}

/* Ends the wait of the best waiter, which must exist. */
bool takti_wake_first(struct takt_task **queue)
{
    struct takt_task *task = *queue;
    *queue = task->next;
    return takti_wake(task, TAKT_OK);
}

/* Removes a waiting task from its queue. Returns the mutex that it waited for, for takti_wait_abandoned; or NULL. */
struct takt_mutex *takti_wait_leave(struct takt_task *task)
{
    struct takt_task **queue = task->wait_queue;
    if (queue != NULL) {
        takti_wait_remove(task);
    }
    return task->timer.state == TAKTI_BLOCKED_MUTEX ? (struct takt_mutex *)queue : NULL;
}

void takti_wake_all(struct takt_task **queue, enum takt_status status)
{
    while (*queue != NULL) { /* at most the declared users */
        struct takt_task *task = *queue;
        *queue = task->next;
        (void)takti_wake(task, status);
    }
}

/* Last step of a delete of an object with two queues, or with one, which is then passed twice. */
void takti_delete(struct takt_task **queue, struct takt_task **other, uint16_t object, uint32_t lock)
{
    takti_trace(TAKT_EVENT_DELETE, takti_kernel.ready.running, object, 0);
    takti_wake_all(queue, TAKT_DELETED);
    takti_wake_all(other, TAKT_DELETED);
    if (takti_handed_forget != NULL) {
        takti_handed_forget(queue);
    }
    (void)takti_reschedule(lock);
}

/* Slow path of a delay: the task has given a hint, or holds a mutex that others may wait ahead for. */
void takti_sleep_slow_path(uint64_t until_ns, struct takt_task *task)
{
    bool hinted = (task->timer.flags & TAKTI_FLAG_HINTED) != 0;
    task->timer.state = hinted ? TAKTI_BLOCKED : TAKTI_BLOCKED_DELAY;
    task->wait_queue = NULL;
    (void)takti_on_owner_blocked(task);
    takti_timer_arm(&task->timer, until_ns);
    (void)takti_leave(task);
}
