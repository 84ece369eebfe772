/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task that waits for a signal has the state TAKTI_BLOCKED_MUTEX, on a mutex without an owner: so code for keys,
 * timeouts and stops treats it as any other waiter of a mutex, and inherit.c calls this file if its wait is abandoned.
 */
#include "kernel/sync/mutex.h"

void takt_condition_init(struct takt_condition *condition, uint16_t trace_id)
{
    *condition = (struct takt_condition){.waiting = {.id = trace_id}};
}

/* Removes a wait for a signal. O(waiters). */
static void condition_forget(struct takt_condition *condition, const struct takti_condition_wait *wait)
{
    struct takti_condition_wait **link = &condition->waits;
    while (*link != wait) {
        link = &(*link)->next;
    }
    *link = wait->next;
}

/*
 * Signals the best waiter, whose wait the caller removes. `before`: the result for the previous waiter, or NULL.
 * Returns the task if it now waits for its mutex.
 */
static struct takt_task *condition_wake(struct takt_condition *condition, struct takt_task *before)
{
    struct takt_task *task = condition->waiting.waiters;
    struct takt_mutex *mutex = ((const struct takti_condition_wait *)task->wait_buffer)->mutex;
    condition->waiting.waiters = task->next;
    takti_trace(TAKT_EVENT_TAKE, task, condition->waiting.id, 0);
    if (takti_is_ending(task)) {
        (void)takti_wake(task, TAKT_OWNER_DIED); /* it is suspended, and owns no other mutex */
        return NULL;
    }
    if (takti_mutex_free(mutex)) {
        task->wait_queue = &mutex->waiters; /* handed over to it */
        (void)takti_hand(task);
        takti_mutex_own(mutex, task);
    } else if (takti_mutex_broken(mutex)) {
        (void)takti_wake(task, TAKT_OWNER_DIED);
    } else {
        takti_timer_cancel(&task->timer);
        if (before != NULL && before->wait_queue == &mutex->waiters) {
            takti_lock_next(task, mutex, before);
        } else {
            takti_lock_later(task, mutex);
        }
        return task;
    }
    return NULL;
}

/*
 * Called for a task that has left the queue: it was stopped or timed out. After a timeout it must own its mutex before
 * it becomes ready or suspended.
 */
static void condition_left(struct takt_condition *condition)
{
    const struct takti_condition_wait *wait = condition->waits;
    while (wait->task->timer.state == TAKTI_BLOCKED_MUTEX) { /* at most the declared users */
        wait = wait->next;
    }
    struct takt_task *task = wait->task;
    struct takt_mutex *mutex = wait->mutex;
    condition_forget(condition, wait);
    if (task->timer.state == TAKTI_DORMANT || takti_is_ending(task)) {
        return;
    }
    if (takti_mutex_free(mutex)) {
        task->wait_queue = &mutex->waiters;
        takti_mutex_own(mutex, task);
        return;
    }
    if (takti_mutex_broken(mutex)) {
        takti_result_set(task, TAKT_OWNER_DIED);
        return;
    }
    if (task->timer.state == TAKTI_READY) {
        takti_ready_remove(task);
    } else {
        task->timer.flags |= TAKTI_FLAG_SUSPENDED;
    }
    takti_lock_later(task, mutex);
}

enum takt_status takt_condition_wait_until(struct takt_condition *condition, struct takt_mutex *mutex,
                                           uint64_t until_ns)
{
    uint32_t lock = takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    TAKTI_KEPT(struct takti_condition_wait, wait);
    *wait = (struct takti_condition_wait){task, mutex, condition->waits, NULL};
    TAKT_ASSERT(takt_port_caller(lock) == 0 && mutex->owner == task);
    takti_mutex_give(mutex, task);
    if (task->holds == 0 && takti_last_unlock(task)) {
        return takti_reschedule(lock);
    }
    condition->waits = wait;
    condition->left = condition_left;
    task->wait_buffer = wait;
    takti_mutex_left_link();
    return takti_wait_as(TAKTI_BLOCKED_MUTEX, &condition->waiting.waiters, TAKT_TRACE ? condition->waiting.id : 0,
                         until_ns);
}

enum takt_status takt_condition_wait(struct takt_condition *condition, struct takt_mutex *mutex)
{
    return takt_condition_wait_until(condition, mutex, TAKT_FOREVER);
}

/* Signals the best waiter, if any. */
static TAKTI_NOINLINE_SIZE void condition_signal(struct takt_condition *condition)
{
    bool ends = true;
    while (ends && condition->waiting.waiters != NULL) { /* tasks that end are skipped; at most the declared users */
        struct takt_task *task = condition->waiting.waiters;
        struct takti_condition_wait *wait = task->wait_buffer;
        ends = takti_is_ending(task);
        wait->signalled = condition;
        condition_forget(condition, wait);
        (void)condition_wake(condition, NULL);
    }
}

void takt_condition_signal(struct takt_condition *condition)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    takti_trace_call(TAKT_EVENT_POST, lock, condition->waiting.id, 0);
    if (condition->waiting.waiters == NULL) {
        takt_port_leave(lock);
        return;
    }
    condition_signal(condition);
    (void)takti_reschedule(lock);
}

/* A task is stopped after it was signalled and before it ran: its signal goes to the next waiter. A broadcast does not,
 * as it reached every waiter. */
void takti_condition_give_back(struct takt_task *task)
{
    struct takti_condition_wait *wait = task->wait_buffer;
    struct takt_condition *condition = wait->signalled;
    if (condition != NULL) {
        wait->signalled = NULL;
        takti_trace(TAKT_EVENT_POST, task, condition->waiting.id, 0);
        condition_signal(condition);
    }
}

void takt_condition_broadcast(struct takt_condition *condition)
{
    struct takt_task *task = NULL;
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takti_allowed(lock));
    takti_trace_call(TAKT_EVENT_POST, lock, condition->waiting.id, 0);
    condition->waits = NULL;
    while (condition->waiting.waiters != NULL) { /* at most the declared users */
        task = condition_wake(condition, task);
    }
    (void)takti_reschedule(lock);
}

void takt_condition_delete(struct takt_condition *condition)
{
    uint32_t lock = takt_port_enter();
    TAKT_ASSERT(takt_port_caller(lock) == 0);
    takti_object_deleted(condition);
    condition->waits = NULL;
    takti_delete(&condition->waiting.waiters, &condition->waiting.waiters, condition->waiting.id, lock);
}
