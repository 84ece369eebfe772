/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task may be woken with an item (a unit, a message, a mutex) and be stopped before it runs; then the item goes back
 * to its object. Until the task runs, its `wait_queue` points at the queue of that object; a byte of the object holds
 * the kind of the item (enum takti_hands). A task that is neither in the system's table nor a thread of a process keeps
 * the item at once, since a delete of the object could not find the task.
 */
#include "kernel/core/handed.h"
#include "kernel/core/processes.h"

#include "kernel/sync/mutex.h"
#include "takt/events.h"
#include "takt/pipe.h"
#include "takt/pool.h"
#include "takt/priority_mailbox.h"
#include "takt/process.h"
#include "takt/rendezvous.h"
#include "takt/semaphore.h"
#include "takt/signal.h"
#include "takt/slot.h"

#define HANDS_AT(type, queue)                                                                           \
    _Static_assert(offsetof(type, hands) == offsetof(type, queue) + 2 * sizeof(struct takt_task *) + 2, \
                   "enum takti_hands: takt/task.h")
HANDS_AT(struct takt_mutex, waiters);
HANDS_AT(struct takt_semaphore, waiters);
HANDS_AT(struct takt_pool, waiters);
HANDS_AT(struct takt_mailbox, receivers);
HANDS_AT(struct takt_priority_mailbox, receivers);
HANDS_AT(struct takt_events, waiters);
HANDS_AT(struct takt_pipe, waiters);
HANDS_AT(struct takt_signal_queue, waiter);
HANDS_AT(struct takt_rendezvous, acceptors);
_Static_assert(offsetof(struct takt_slot, received.hands) ==
                       offsetof(struct takt_slot, receivers) + 2 * sizeof(struct takt_task *) + 2 &&
                   offsetof(struct takt_slot, reserved.hands) ==
                       offsetof(struct takt_slot, senders) + 2 * sizeof(struct takt_task *) + 2,
               "enum takti_hands: takt/task.h");

static unsigned hands_of(struct takt_task *const *queue)
{
    return ((const uint8_t *)(queue + 2))[2];
}

static bool waits_ahead(const struct takt_task *task)
{
    const unsigned flags = TAKTI_FLAG_HINTED | TAKTI_FLAG_AHEAD;
    return TAKTI_HINTS && task->timer.state == TAKTI_BLOCKED_MUTEX && (task->timer.flags & flags) == flags;
}

/* In the table, or a thread: takti_handed_forget finds it. */
static bool is_listed(const struct takt_task *task)
{
    const struct takt_system *system = takti_kernel.system;
    bool listed = task >= system->tasks && task < system->tasks + system->task_count;
    return listed || (TAKT_PROCESSES && takti_is_thread(task));
}

/* The queue of the object that handed an item over to the task, which has not run since; NULL: none. */
static struct takt_task **handed_from(const struct takt_task *task)
{
    unsigned state = task->timer.state;
    bool woken = (state == TAKTI_READY || state == TAKTI_SUSPENDED) && task != takti_kernel.ready.running;
    struct takt_task **queue = NULL;
    if (woken || state == TAKTI_BLOCKED_PIPE) {
        queue = task->wait_queue;
    } else if (waits_ahead(task)) {
        queue = (struct takt_task **)(void *)task->previous; /* hint.c */
    }
    return queue != NULL && is_listed(task) ? queue : NULL;
}

bool takti_handed_lock(const struct takt_task *task)
{
    struct takt_task **queue = handed_from(task);
    unsigned hands = queue == NULL ? TAKTI_HANDS : hands_of(queue);
    bool lock = hands == TAKTI_HANDS_LOCK || hands == TAKTI_HANDS_CEILING || hands == TAKTI_HANDS_CALL;
    return lock && (task->holds & TAKTI_HOLDS_COUNT) == 1;
}

bool takti_handed_mutex(const struct takt_task *task, const struct takt_mutex *mutex)
{
    struct takt_task **queue = handed_from(task);
    unsigned hands = queue == NULL ? TAKTI_HANDS : hands_of(queue);
    bool lock = hands == TAKTI_HANDS_LOCK || hands == TAKTI_HANDS_CEILING;
    return (hands == TAKTI_HANDS_CALL && mutex == &task->in_process->serving) ||
           (lock && mutex == (const struct takt_mutex *)(void *)queue);
}

/* The wait of a task that waits for a signal, or was signalled and has not run with its mutex since; or NULL. */
static struct takti_condition_wait *wait_for_signal(const struct takt_task *task)
{
    bool locks = task->timer.state == TAKTI_BLOCKED_MUTEX && !waits_ahead(task) && is_listed(task);
    struct takt_task *const *queue = locks ? task->wait_queue : handed_from(task);
    return queue != NULL && hands_of(queue) == TAKTI_HANDS_LOCK ? task->wait_buffer : NULL;
}

/* Processes without slots link nothing of them. */
enum { SLOTS = !TAKT_PROCESSES || TAKT_PROCESS_SLOTS };

bool takti_take_back(struct takt_task *task)
{
    static void (*const give_back[TAKTI_HANDS])(struct takt_task * *queue, struct takt_task * task) = {
        [TAKTI_HANDS_LOCK] = takti_mutex_give_back,
        [TAKTI_HANDS_CEILING] = takti_ceiling_give_back,
        [TAKTI_HANDS_UNIT] = takti_semaphore_give_back,
        [TAKTI_HANDS_BLOCK] = takti_pool_give_back,
        [TAKTI_HANDS_MESSAGE] = takti_mailbox_give_back,
        [TAKTI_HANDS_LETTER] = takti_priority_mailbox_give_back,
        [TAKTI_HANDS_FLAGS] = takti_events_give_back,
        [TAKTI_HANDS_BYTES] = takti_pipe_give_back,
        [TAKTI_HANDS_SIGNAL] = takti_signal_give_back,
        [TAKTI_HANDS_TAKEN] = SLOTS ? takti_slot_give_back_taken : NULL,
        [TAKTI_HANDS_BUFFER] = SLOTS ? takti_slot_give_back_buffer : NULL,
        [TAKTI_HANDS_CALL] = takti_rendezvous_give_back,
    };
    struct takt_task **queue = handed_from(task);
    if (task->timer.state >= TAKTI_READY) {
        task->wait_queue = NULL; /* otherwise it is left unchanged */
    }
    if (queue == NULL) {
        bool signalled = task->timer.state == TAKTI_BLOCKED_MUTEX && wait_for_signal(task) != NULL;
        if (signalled) {
            takti_condition_give_back(task);
        }
        return signalled;
    }
    if (waits_ahead(task)) {
        task->previous = NULL;
    }
    unsigned hands = hands_of(queue);
    TAKT_ASSERT(hands < TAKTI_HANDS && give_back[hands] != NULL);
    give_back[hands](queue, task);
    return true;
}

/* The queue is the first member of a condition. */
static void forget(struct takt_task *task, struct takt_task *const *queue)
{
    struct takti_condition_wait *wait = wait_for_signal(task);
    if (wait != NULL && (struct takt_task *const *)(void *)wait->signalled == queue) {
        wait->signalled = NULL;
    }
    if (waits_ahead(task) && (struct takt_task **)(void *)task->previous == queue) {
        task->previous = NULL;
    } else if (task->wait_queue == queue) {
        task->wait_queue = NULL;
    }
}

void takti_handed_forget(struct takt_task *const *queue)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned index = 0; index < system->task_count; index++) {
        forget(&system->tasks[index], queue);
    }
    for (unsigned handle = system->task_count; handle < takti_object_count(); handle++) {
        if (takti_objects()[handle].kind == TAKT_OBJECT_TASK) {
            forget(takti_objects()[handle].object, queue);
        }
    }
}
