/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_HANDED_H
#define TAKTI_HANDED_H

/*
 * Items handed over to a waiter that has not run since. The call that hands over leaves takt_task.wait_queue unchanged;
 * any other end of the wait, and the switch to the task, set it to NULL. So there is no cost before a task is stopped.
 * Called with the kernel locked.
 */
#include "kernel/core/state.h"

/*
 * `task` gets the processor, and so owns what it was handed. Ports that switch by themselves do the same. `zero`: the
 * result of takt_port_caller for a task, which callers have in a register.
 */
static inline void takti_runs(struct takt_task *task, uint32_t zero)
{
    task->wait_queue = (struct takt_task **)(uintptr_t)zero;
    takti_kernel.ready.running = task;
}

/* wait.c: ends the wait of a task that has left its queue, or is the first in it, with the item that it waited for. */
bool takti_hand(struct takt_task *task);
bool takti_hand_first(struct takt_task **queue);

/* Whether the task's only mutex was handed over to it and it has not run since: then it can be stopped at once. */
bool takti_handed_lock(const struct takt_task *task);

/* With processes: whether this mutex of the task, perhaps of several, was handed over to it and it has not run since.
 */
bool takti_handed_mutex(const struct takt_task *task, const struct takt_mutex *mutex);

/*
 * Of a task that ends: passes the item that it was handed to the next waiter or back to the object. Returns whether
 * there was one; then any task may be the best. Bound: of the call that returns such an item.
 */
bool takti_take_back(struct takt_task *task);

/* Items handed over from a deleted queue belong to their tasks. O(tasks). Weak: absent where nothing is taken back. */
__attribute__((weak)) void takti_handed_forget(struct takt_task *const *queue);

/*
 * Return of an item, one function per enum takti_hands, in the file of that object: weak, so that only those of objects
 * in use are linked. `queue`: in which the task waited.
 */
#define TAKTI_GIVE_BACK(name) __attribute__((weak)) void name(struct takt_task **queue, struct takt_task *task)
TAKTI_GIVE_BACK(takti_mutex_give_back);
TAKTI_GIVE_BACK(takti_ceiling_give_back);
TAKTI_GIVE_BACK(takti_semaphore_give_back);
TAKTI_GIVE_BACK(takti_pool_give_back);
TAKTI_GIVE_BACK(takti_mailbox_give_back);
TAKTI_GIVE_BACK(takti_priority_mailbox_give_back);
TAKTI_GIVE_BACK(takti_events_give_back);
TAKTI_GIVE_BACK(takti_pipe_give_back);
TAKTI_GIVE_BACK(takti_signal_give_back);
TAKTI_GIVE_BACK(takti_slot_give_back_taken);
TAKTI_GIVE_BACK(takti_slot_give_back_buffer);
TAKTI_GIVE_BACK(takti_rendezvous_give_back);

/* condition.c: of a signalled task that waits for its mutex or has just lost it: the next waiter gets the signal. */
__attribute__((weak)) void takti_condition_give_back(struct takt_task *task);

/*
 * Whether an item in the memory of a task's process may go back to `object`: the process may give to the object, or is
 * its only receiver. kernel/process/process.c
 */
#if TAKT_PROCESSES
bool takti_may_give_back(const struct takt_task *task, const void *object);
#else
#define takti_may_give_back(task, object) true
#endif

#endif
