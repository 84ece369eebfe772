/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/sync/mutex.h"

void takt_mutex_init(struct takt_mutex *mutex, uint16_t trace_id)
{
    mutex->waiters = NULL;
    mutex->owner = NULL;
    mutex->next_contended = NULL;
    mutex->id = trace_id;
    mutex->hands = TAKTI_HANDS_LOCK;
    mutex->lent = false;
    takti_mutex_created_set(mutex, false, false);
    if (TAKT_FIFO_WAITERS) {
        *mutex->in_turn = false;
    }
}

enum { CHAIN_MAX = 255 }; /* longest chain of owners searched */

/* Whether the owner of a mutex waits, directly or through other owners, for the running task. O(chain). */
static bool closes_cycle(const struct takt_mutex *mutex)
{
    for (unsigned links = 0; mutex->owner != NULL && links < CHAIN_MAX; links++) {
        const struct takt_task *owner = mutex->owner;
        if (owner == takti_kernel.ready.running) {
            return true;
        }
        if (owner->timer.state != TAKTI_BLOCKED_MUTEX) {
            return false;
        }
        mutex = (const struct takt_mutex *)owner->wait_queue;
    }
    return false;
}

bool takti_mutex_deadlock(const struct takt_mutex *mutex)
{
    if (!closes_cycle(mutex)) {
        return false;
    }
    takti_trace(TAKT_EVENT_DEADLOCK, takti_kernel.ready.running, mutex->id, 0);
    takti_fault_note(TAKT_FAULT_DEADLOCK, takti_kernel.ready.running, (uintptr_t)mutex);
    return true;
}

static void check_caller(const struct takt_mutex *mutex, uint32_t lock)
{
    const struct takt_task *task = takti_kernel.ready.running;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && mutex->owner != task && task != &takti_kernel.idle);
}

enum takt_status takt_mutex_lock_until(struct takt_mutex *mutex, uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    check_caller(mutex, lock);
    if (mutex->owner != NULL) {
        enum takt_status refused = takti_mutex_refusal(mutex);
        return refused != TAKT_OK ? takti_mutex_refuse(refused, lock) : takti_wait_for_mutex_until(mutex, until_ns);
    }
    takti_mutex_own(mutex, takti_kernel.ready.running);
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_mutex_lock(struct takt_mutex *mutex)
{
    if (TAKTI_OPTIMIZE_SIZE) {
        return takt_mutex_lock_until(mutex, TAKT_FOREVER);
    }
    uint32_t lock = takt_port_enter();
    check_caller(mutex, lock);
    if (TAKTI_UNLIKELY(mutex->owner != NULL)) {
        enum takt_status refused = takti_mutex_refusal(mutex);
        return refused != TAKT_OK ? takti_mutex_refuse(refused, lock) : takti_wait_for_mutex(mutex);
    }
    takti_mutex_own(mutex, takti_kernel.ready.running);
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_mutex_try_lock(struct takt_mutex *mutex)
{
    enum takt_status status = TAKT_BUSY;
    uint32_t lock = takt_port_enter();
    check_caller(mutex, lock);
    if (mutex->owner == NULL) {
        takti_mutex_own(mutex, takti_kernel.ready.running);
        status = TAKT_OK;
    } else if (TAKTI_HINTS && mutex->owner->timer.state == TAKTI_RESERVED_OWNER) {
        takti_hints()->take(mutex);
        status = TAKT_OK;
    } else if (takti_mutex_broken(mutex)) {
        status = TAKT_OWNER_DIED;
    }
    takt_port_leave(lock);
    return status;
}

/* Hands a contended mutex over to the first waiter. */
static __attribute__((noinline)) enum takt_status hand_over(struct takt_mutex *mutex, uint32_t lock)
{
    struct takt_task *task = takti_kernel.ready.running;
    takti_mutex_hand_over(mutex, task);
    takti_mutex_given_back(task);
    return takti_reschedule(lock);
}

static TAKTI_NOINLINE_HOT void trace_taken_back_one_by_one(const struct takt_mutex *mutex, struct takt_task *task,
                                                           const struct takt_task *next)
{
    unsigned object = mutex->id;
    takti_trace_inline(TAKT_EVENT_UNLOCK, task, object, 0);
    takti_trace_inline(TAKT_EVENT_READY, next, object, 0);
    takti_trace_inline(TAKT_EVENT_LOCK, next, object, 0);
    takti_trace_identify(task);
    takti_trace_inline(TAKT_EVENT_KEY, task, TAKT_TRACE_NO_OBJECT, task->config->level);
}

/* The records of take_back_position, at once: `task` unlocked and has its own level again, `next` owns the mutex. */
static inline void trace_taken_back(const struct takt_mutex *mutex, struct takt_task *task,
                                    const struct takt_task *next)
{
    unsigned object = mutex->id;
    unsigned level = task->config->level;
    uint32_t era;
    uint32_t ticks = takt_port_ticks(&era);
    struct takt_trace_record *record = takti_kernel.trace->next;
    if (!takti_trace_has_room_for(4, record, era)) {
        trace_taken_back_one_by_one(mutex, task, next);
        return;
    }
    takti_kernel.trace->next = record + 4;
    takti_trace_fill_of(record, ticks, TAKT_EVENT_UNLOCK, task, object);
    takti_trace_fill_of(record + 1, ticks, TAKT_EVENT_READY, next, object);
    takti_trace_fill_of(record + 2, ticks, TAKT_EVENT_LOCK, next, object);
    takti_trace_band_set(task, (uint32_t)takti_kernel.system->level_bands[level] << 8);
    takti_trace_fill_of(record + 3, ticks, TAKT_EVENT_KEY, task, TAKT_TRACE_NO_OBJECT | level << 16);
}

/*
 * The same in the common case: the only waiter takes back its position in the ready queue, which lend_position in
 * wait.c gave to the owner, and runs. The caller returns to its own level, as the first, or to its place by deadline;
 * it must have no equals in its present level, if that is a fixed one, no pending stop and no other contended mutex.
 */
static __attribute__((noinline)) enum takt_status take_back_position(struct takt_mutex *mutex, struct takt_task *next,
                                                                     uint32_t lock)
{
    struct takt_task *task = takti_kernel.ready.running;
    uint32_t holds = task->holds - 1;
    bool edf = takti_in_edf(&takti_kernel.ready, task);
    if (mutex->lent && task->timer.contended == mutex && (edf || takti_ready_alone(task)) && holds != 0 &&
        takti_has_plain_wait(next)) {
        unsigned level = task->config->level;
        mutex->waiters = NULL;
        takti_mutex_owner_set(mutex, next);
        next->timer.state = TAKTI_READY;
        bool first = takti_ready_insert(next, TAKTI_REPLACE); /* or another has an equal deadline */
        task->holds = holds;
        task->timer.contended = NULL;
        task->level = &takti_kernel.ready.levels[level];
        task->level_bit = takt_bitmap_bit(TAKT_LEVEL_WORDS, level);
        if (edf) {
            takti_key_deadline_set(task, takti_own_deadline_ns(task));
            takti_key_order_set(task, task->config->index);
        }
        (void)takti_ready_insert(task, TAKTI_FIRST);
        if (TAKT_TRACE) {
            trace_taken_back(mutex, task, next);
        }
        return takti_switch_last(edf && !first ? takti_ready_first() : next, task, 0);
    }
    return hand_over(mutex, lock);
}

/* Does not return if it stops the task, the caller. Not declared so, to allow a tail call from the unlock. */
static __attribute__((noinline)) enum takt_status stop_at_last(struct takt_task *task, uint32_t lock)
{
    (void)takti_last_unlock(task);
    return takti_reschedule(lock);
}

void takt_mutex_unlock(struct takt_mutex *mutex)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *waiters = mutex->waiters;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && mutex->owner == takti_kernel.ready.running);
    if (TAKTI_OPTIMIZE_SIZE) {
        struct takt_task *caller = takti_kernel.ready.running;
        takti_mutex_give(mutex, caller);
        takti_mutex_given_back(caller);
        (void)takti_reschedule(lock);
        return;
    }
    if (TAKTI_UNLIKELY(waiters != NULL)) {
        (void)(TAKTI_LENDS ? take_back_position(mutex, waiters, lock) : hand_over(mutex, lock));
        return;
    }
    struct takt_task *task = takti_kernel.ready.running;
    uint32_t holds = task->holds - 1;
    mutex->owner = NULL; /* no waiters: the key is unchanged */
    task->holds = holds;
    takti_held_unlocked(task, mutex);
    takti_trace(TAKT_EVENT_UNLOCK, task, mutex->id, 0);
    if (TAKTI_UNLIKELY(takti_last_of(task))) {
        (void)stop_at_last(task, lock);
    } else {
        takt_port_leave(lock);
    }
}

void takt_mutex_delete(struct takt_mutex *mutex)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *owner = mutex->owner;
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_object_deleted(mutex);
    takti_trace(TAKT_EVENT_DELETE, takti_kernel.ready.running, mutex->id, 0);
    if (mutex->waiters != NULL) {
        takti_uncontend(mutex);
        takti_mutex_give_up(mutex, TAKT_DELETED);
    }
    if (takti_mutex_free(mutex) || (takti_mutex_broken(mutex) && !takti_is_ending(owner))) {
        mutex->owner = NULL;
    } else {
        takti_mutex_clear_owner(mutex, owner);
        takti_key_update(owner);
        takti_mutex_given_back(owner);
    }
    if (takti_handed_forget != NULL) {
        takti_handed_forget(&mutex->waiters);
    }
    (void)takti_reschedule(lock);
}

void takti_mutex_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_mutex *mutex = (struct takt_mutex *)queue;
    if (mutex->owner == task) {
        takti_mutex_give(mutex, task);
    }
    if (task->wait_buffer != NULL) {
        takti_condition_give_back(task);
    }
}
