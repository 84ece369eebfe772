/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While the mutex is owned, the ceiling is queued among its waiters, like a task with that key. So the owner inherits
 * the ceiling until the unlock, by the rules of inherit.c, which has no code for ceilings. Meanwhile the mutex is in
 * the owner's list of contended ones.
 */
#include "takt/ceiling.h"

#include "kernel/sync/mutex.h"

void takt_ceiling_init(struct takt_ceiling *ceiling, uint16_t trace_id, uint8_t level, uint64_t deadline_ns)
{
    *ceiling = (struct takt_ceiling){
        .mutex = {.id = trace_id, .hands = TAKTI_HANDS_CEILING}, .deadline_ns = deadline_ns, .level = level};
}

/* Whether the calling task may lock: its priority is not above the ceiling. For assertions, and calls of processes. */
TAKTI_CHECKS bool takti_ceiling_for_caller(const struct takt_ceiling *ceiling, uint32_t lock)
{
    const struct takt_task *task = takti_kernel.ready.running;
    if (takt_port_caller(lock) != 0 || task == &takti_kernel.idle || ceiling->mutex.owner == task) {
        return false;
    }
    bool edf = takti_level_edf(&takti_kernel.ready, ceiling->level);
    return task->config->level > ceiling->level ||
           (task->config->level == ceiling->level && (!edf || task->config->deadline_ns >= ceiling->deadline_ns));
}

/* Makes a task the owner of a free mutex; its waiters, if any, are already in the queue. */
static void ceiling_own(struct takt_ceiling *ceiling, struct takt_task *task)
{
    struct takt_mutex *mutex = &ceiling->mutex;
    struct takt_task *key = &ceiling->ceiling;
    takti_mutex_own(mutex, task);
    if (TAKT_COOPERATIVE) {
        return;
    }
    key->config = &takti_kernel.idle_config; /* it is not a task */
    key->level = &takti_kernel.ready.levels[ceiling->level];
    key->level_bit = takt_bitmap_bit(TAKT_LEVEL_WORDS, ceiling->level);
    key->wait_queue = &mutex->waiters;
    key->timer.state = TAKTI_BLOCKED;
    bool edf = takti_level_edf(&takti_kernel.ready, ceiling->level);
    takti_key_order_set(key, task->config->index); /* of its owner */
    takti_key_deadline_set(key, edf ? takt_add(takt_port_now_ns(), ceiling->deadline_ns) : 0);
    takti_wait_insert(key);
    takti_contend(mutex);
    takti_key_raise(task, mutex->waiters);
}

/* Removes the ceiling from the waiters. The owner's key is unchanged. */
static void ceiling_remove(struct takt_ceiling *ceiling)
{
    if (!TAKT_COOPERATIVE) {
        takti_wait_remove(&ceiling->ceiling);
        takti_uncontend(&ceiling->mutex);
    }
}

/* Makes the calling task the owner of a free mutex. It stays the best task; its new level may have slices. */
static enum takt_status ceiling_take(struct takt_ceiling *ceiling, uint32_t lock)
{
    ceiling_own(ceiling, takti_kernel.ready.running);
    if (takti_has_slices()) {
        return takti_reschedule(lock);
    }
    takt_port_leave(lock);
    return TAKT_OK;
}

enum takt_status takt_ceiling_lock_until(struct takt_ceiling *ceiling, uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_ceiling_for_caller(ceiling, lock));
    if (ceiling->mutex.owner != NULL) {
        enum takt_status refused = takti_mutex_refusal(&ceiling->mutex);
        return refused != TAKT_OK ? takti_mutex_refuse(refused, lock)
                                  : takti_wait_for_mutex_until(&ceiling->mutex, until_ns);
    }
    return ceiling_take(ceiling, lock);
}

enum takt_status takt_ceiling_lock(struct takt_ceiling *ceiling)
{
    return takt_ceiling_lock_until(ceiling, TAKT_FOREVER);
}

enum takt_status takt_ceiling_try_lock(struct takt_ceiling *ceiling)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_ceiling_for_caller(ceiling, lock));
    if (ceiling->mutex.owner != NULL) {
        return takti_mutex_refuse(takti_mutex_broken(&ceiling->mutex) ? TAKT_OWNER_DIED : TAKT_BUSY, lock);
    }
    return ceiling_take(ceiling, lock);
}

/* Hands the mutex over to the best waiter, which may be suspended. */
static TAKTI_NOINLINE_HOT void ceiling_pass(struct takt_ceiling *ceiling, struct takt_task *owner)
{
    struct takt_task *next = ceiling->mutex.waiters;
    (void)takti_hand_first(&ceiling->mutex.waiters);
    ceiling_own(ceiling, next);
    if (TAKTI_HINTS && next->timer.state == TAKTI_SUSPENDED) {
        takti_key_update(owner);
        (void)takti_on_owner_blocked(next);
    }
}

/* Hands it over to the best waiter, or frees it if there is none. */
static void ceiling_give(struct takt_ceiling *ceiling, struct takt_task *task)
{
    ceiling_remove(ceiling);
    takti_mutex_clear_owner(&ceiling->mutex, task);
    if (takti_ending_leave(&ceiling->mutex.waiters)) {
        ceiling_pass(ceiling, task);
    }
    takti_key_update(task);
}

void takti_ceiling_give_back(struct takt_task **queue, struct takt_task *task)
{
    ceiling_give((struct takt_ceiling *)queue, task);
}

void takt_ceiling_unlock(struct takt_ceiling *ceiling)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && ceiling->mutex.owner == task);
    ceiling_give(ceiling, task);
    takti_mutex_given_back(task);
    (void)takti_reschedule(lock);
}

void takt_ceiling_delete(struct takt_ceiling *ceiling)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *owner = ceiling->mutex.owner;
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_trace(TAKT_EVENT_DELETE, takti_kernel.ready.running, ceiling->mutex.id, 0);
    if (takti_mutex_broken(&ceiling->mutex) && !takti_is_ending(owner)) {
        ceiling->mutex.owner = NULL;
    } else if (owner != NULL) {
        ceiling_remove(ceiling);
        takti_wake_all(&ceiling->mutex.waiters, TAKT_DELETED);
        takti_mutex_clear_owner(&ceiling->mutex, owner);
        takti_key_update(owner);
        takti_mutex_given_back(owner);
    }
    if (takti_handed_forget != NULL) {
        takti_handed_forget(&ceiling->mutex.waiters);
    }
    (void)takti_reschedule(lock);
}
