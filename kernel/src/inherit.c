/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effective keys. A task runs with the best of its own key and of the first waiter of every mutex that it holds;
 * waiters are sorted by their effective keys, so the rule reaches along chains. Seed 000, 5.3; the place-holder
 * of 5.3.2 serves a queue that also holds blocked tasks, which ours does not.
 */
#include "kernel/src/kernel.h"

/* Gives a task its key and moves it within the queue that it is in. `first`: before its equals in a fixed level. */
static void key_apply(struct takt_task *task, unsigned level, uint64_t deadline_ns, bool first)
{
    bool ready = task->state == TAKTI_READY && !task->suspended;
    if (ready) {
        takti_ready_remove(task);
    } else if (task->wait_queue != NULL) {
        takt_list_remove(task->wait_queue, &task->queue.link);
    }
    task->level = (uint8_t)level;
    task->key_deadline_ns = deadline_ns;
    if (TAKT_TRACE) {
        task->trace_identity = takti_trace_identity(task);
    }
    if (ready) {
        takti_ready_insert(task, first);
    } else if (task->wait_queue != NULL) {
        takti_wait_insert(task);
    }
    takti_trace(TAKT_EVENT_KEY, task, TAKT_TRACE_NO_OBJECT, level);
}

static uint64_t base_deadline_ns(const struct takt_task *task)
{
    return takti_is_edf(task->config->level) ? task->job_deadline_ns : 0;
}

/* A new job's own key. The task is in no queue and holds no mutex, so its level is its own. */
void takti_key_base(struct takt_task *task)
{
    task->key_deadline_ns = base_deadline_ns(task);
}

/* A waiter with this key came to a mutex of `task`: raises it and whoever it waits for. At most one pass per task. */
void takti_key_raise(struct takt_task *task, unsigned level, uint64_t deadline_ns)
{
    while (task != NULL && takti_key_before(level, deadline_ns, task->level, task->key_deadline_ns)) {
        key_apply(task, level, deadline_ns, false);
        task = task->wait_mutex == NULL ? NULL : task->wait_mutex->owner;
    }
}

/*
 * A waiter left a mutex of `task`, or `task` gave one back: its key may get worse, and so along the chain. A task whose
 * key gets worse goes before its equals: it was running, or would have been. O(mutexes held) per link; a link whose key
 * stays as it is ends the walk.
 */
void takti_key_update(struct takt_task *task)
{
    while (task != NULL) {
        unsigned level = task->config->level;
        uint64_t deadline_ns = base_deadline_ns(task);
        for (const struct takt_mutex *mutex = task->held; mutex != NULL; mutex = mutex->next_held) {
            const struct takt_task *waiter = takti_wait_best(mutex->waiters);
            if (waiter != NULL && takti_key_before(waiter->level, waiter->key_deadline_ns, level, deadline_ns)) {
                level = waiter->level;
                deadline_ns = waiter->key_deadline_ns;
            }
        }
        if (level == task->level && deadline_ns == task->key_deadline_ns) {
            return;
        }
        key_apply(task, level, deadline_ns, true);
        task = task->wait_mutex == NULL ? NULL : task->wait_mutex->owner;
    }
}
