/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_HANDED_H
#define TAKTI_HANDED_H

/*
 * What a waiter was handed and has not run to get. Whoever hands it over leaves takt_task.wait_queue as it is; a wait
 * that ends otherwise, and the switch to the task, set it to NULL. So nothing is paid for before a stop asks. Called
 * with the kernel locked.
 */
#include "kernel/core/state.h"

/*
 * The processor goes to `task`: what it was handed is its own from here on. Ports that switch by themselves do so.
 * `zero`: what takt_port_caller says of a task, which callers have in a register.
 */
static inline void takti_runs(struct takt_task *task, uint32_t zero)
{
    task->wait_queue = (struct takt_task **)(uintptr_t)zero;
    takti_kernel.ready.running = task;
}

/* wait.c: ends the wait of a task that has left its queue, or of the first, with what it waited for. */
bool takti_hand(struct takt_task *task);
bool takti_hand_first(struct takt_task **queue);

/* Whether its only lock is one that it was handed and has not run to get: it can be stopped at once. */
bool takti_handed_lock(const struct takt_task *task);

/*
 * A task ends, or was just taken from all it holds: what it was handed goes to the next waiter, or back to where it
 * came from. Whether there was something: then any task may be the best. As the call that gives back such a thing.
 */
bool takti_take_back(struct takt_task *task);

/* What tasks were handed from a queue that is deleted is theirs. O(tasks). Weak: absent where nothing is taken back. */
__attribute__((weak)) void takti_handed_forget(struct takt_task *const *queue);

/*
 * What is done for each enum takti_hands, in the file of that object: weak, so that only those are linked that a system
 * has. `queue` is the one that the task waited in.
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

/* condition.c: a task that was signalled, and waits for its mutex or has just lost it: the next one gets the signal. */
__attribute__((weak)) void takti_condition_give_back(struct takt_task *task);

/*
 * Whether what lies in the memory of a task's process may go back to `object`: the process could have given it there
 * itself, or nobody else takes from it. kernel/process/process.c
 */
#if TAKT_PROCESSES
bool takti_may_give_back(const struct takt_task *task, const void *object);
#else
#define takti_may_give_back(task, object) true
#endif

#endif
