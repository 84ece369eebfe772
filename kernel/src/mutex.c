/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/src/kernel.h"

void takt_mutex_init(struct takt_mutex *mutex, uint16_t trace_id)
{
    *mutex = (struct takt_mutex){.id = trace_id};
}

static void own(struct takt_mutex *mutex, struct takt_task *task)
{
    mutex->owner = task;
    mutex->next_held = task->held;
    task->held = mutex;
    takti_trace(TAKT_EVENT_LOCK, task, mutex->id, 0);
}

/* Takes the mutex from its owner's list. O(mutexes held). */
static void disown(struct takt_mutex *mutex)
{
    struct takt_mutex **link = &mutex->owner->held;
    while (*link != mutex) {
        link = &(*link)->next_held;
    }
    *link = mutex->next_held;
    takti_trace(TAKT_EVENT_UNLOCK, mutex->owner, mutex->id, 0);
    mutex->owner = NULL;
}

enum takt_status takt_mutex_lock_until(struct takt_mutex *mutex, uint64_t until_ns)
{
    enum takt_status status = TAKT_OK;
    uint32_t state = takt_port_lock();
    struct takt_task *task = takti_kernel.running;
    TAKT_ASSERT(!takt_port_in_interrupt() && mutex->owner != task && task != &takti_kernel.idle);
    if (mutex->owner == NULL) {
        own(mutex, task);
    } else {
        struct takti_wait wait = {.queue = &mutex->waiters, .mutex = mutex, .until_ns = until_ns, .object = mutex->id};
        status = takti_wait(&wait);
    }
    takt_port_unlock(state);
    return status;
}

enum takt_status takt_mutex_lock(struct takt_mutex *mutex)
{
    return takt_mutex_lock_until(mutex, TAKT_FOREVER);
}

enum takt_status takt_mutex_try_lock(struct takt_mutex *mutex)
{
    enum takt_status status = TAKT_BUSY;
    uint32_t state = takt_port_lock();
    struct takt_task *task = takti_kernel.running;
    TAKT_ASSERT(!takt_port_in_interrupt() && mutex->owner != task && task != &takti_kernel.idle);
    if (mutex->owner == NULL) {
        own(mutex, task);
        status = TAKT_OK;
    }
    takt_port_unlock(state);
    return status;
}

void takt_mutex_unlock(struct takt_mutex *mutex)
{
    uint32_t state = takt_port_lock();
    struct takt_task *task = takti_kernel.running;
    TAKT_ASSERT(!takt_port_in_interrupt() && mutex->owner == task);
    disown(mutex);
    struct takt_task *next = takti_wait_best(mutex->waiters);
    if (next != NULL) {
        takti_wake(next, TAKT_OK);
        own(mutex, next); /* its key is at least that of the waiters behind it: nothing to inherit */
    }
    takti_key_update(task);
    takti_task_stop_pending(task);
    takti_reschedule();
    takt_port_unlock(state);
}

void takt_mutex_delete(struct takt_mutex *mutex)
{
    uint32_t state = takt_port_lock();
    struct takt_task *owner = mutex->owner;
    TAKT_ASSERT(!takt_port_in_interrupt());
    takti_wake_all(&mutex->waiters, TAKT_DELETED);
    if (owner != NULL) {
        disown(mutex);
        takti_key_update(owner);
        takti_task_stop_pending(owner);
    }
    takti_reschedule();
    takt_port_unlock(state);
}
