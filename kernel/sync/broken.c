/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes whose owner is stopped inside its critical section: it overran its hold, or its process faulted. */
#include "kernel/core/processes.h"
#include "kernel/sync/mutex.h"

#if TAKT_TRACKS_HELD_MUTEXES
void takti_held_locked(struct takt_task *task, struct takt_mutex *mutex)
{
    *mutex->next_held = *task->held;
    *task->held = mutex;
    takti_budget_locked(task);
}

void takti_held_unlocked(struct takt_task *task, struct takt_mutex *mutex)
{
    takti_held_remove(task, mutex);
    takti_budget_unlocked(task);
}

/* The idle task owns a broken mutex until it is initialized again. A mutex whose owner's process ends is about to be
 * broken. */
bool takti_mutex_broken(const struct takt_mutex *mutex)
{
    return mutex->owner == &takti_kernel.idle ||
           (TAKT_PROCESSES && mutex->owner != NULL && takti_is_ending(mutex->owner));
}

/* Removes the ceiling from the waiters: the entry with the configuration of idle, which never waits. O(waiters). */
static void break_ceiling(struct takt_mutex *mutex)
{
    struct takt_task **link = &mutex->waiters;
    while (*link != NULL && (*link)->config != &takti_kernel.idle_config) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = (*link)->next;
    }
}

static void break_mutex(struct takt_mutex *mutex, const struct takt_task *owner)
{
    if (mutex->waiters != NULL) {
        takti_uncontend(mutex);
        break_ceiling(mutex);
    }
    mutex->owner = &takti_kernel.idle;
    if (TAKT_PROCESSES) {
        *mutex->broken_by = takti_process_index(owner);
    }
    takti_trace(TAKT_EVENT_UNLOCK, owner, mutex->id, 0);
    takti_mutex_give_up(mutex, TAKT_OWNER_DIED);
}

void takti_held_give_up_all(struct takt_task *task)
{
    while (*task->held != NULL) {
        struct takt_mutex *mutex = *task->held;
        *task->held = *mutex->next_held;
        break_mutex(mutex, task);
    }
    task->holds = TAKTI_HOLDS;
}

void takti_held_give_up(struct takt_task *task, struct takt_mutex *mutex)
{
    if (takti_handed_mutex(task, mutex)) { /* it has not entered the section: the mutex is not broken */
        (void)takti_take_back(task);
    } else {
        task->holds--;
        takti_held_remove(task, mutex); /* no budget is watched for it, although it may still be the running task */
        break_mutex(mutex, task);
        takti_key_update(task);
    }
    if ((task->holds & TAKTI_HOLDS_COUNT) == 0) { /* no stop waits for it: the task is stopped anyway */
        takti_budget_stops(task);
        task->holds = takti_hinted(task) ? 0 : TAKTI_HOLDS;
    }
}
#endif
