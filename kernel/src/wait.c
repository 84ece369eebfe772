/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for an object or an instant. Whoever wakes a task writes the result into it: nothing runs after the block. */
#include "kernel/src/kernel.h"

struct takt_task *takti_wait_best(struct takt_node *queue)
{
    return queue == NULL ? NULL : TAKT_CONTAINER(queue, struct takt_task, queue.link);
}

/* Whether waiter a goes before waiter b that came earlier: FIFO in fixed levels, declaration order in edf levels. */
static bool waits_before(const struct takt_task *a, const struct takt_task *b)
{
    if (a->level != b->level || a->key_deadline_ns != b->key_deadline_ns) {
        return takti_key_before(a->level, a->key_deadline_ns, b->level, b->key_deadline_ns);
    }
    return takti_is_edf(a->level) && a->config->index < b->config->index;
}

/* Inserts by key into the queue that the task waits in. O(waiters), at most the declared users. */
void takti_wait_insert(struct takt_task *task)
{
    struct takt_node **queue = task->wait_queue;
    struct takt_node *node = *queue;
    if (node == NULL || waits_before(task, takti_wait_best(node))) {
        takt_list_prepend(queue, &task->queue.link);
        return;
    }
    do {
        node = node->next;
    } while (node != *queue && !waits_before(task, takti_wait_best(node)));
    takt_list_insert_before(node, &task->queue.link);
}

/* Blocks the running task; not in an interrupt, which the callers assert. Returns, locked, what its waker wrote. */
enum takt_status takti_wait(const struct takti_wait *wait)
{
    struct takt_task *task = takti_kernel.running;
    TAKT_ASSERT(takti_kernel.started && task != &takti_kernel.idle && !takti_kernel.system->cooperative);
    takti_make_unready(task);
    task->state = TAKTI_BLOCKED;
    task->wait_queue = wait->queue;
    task->wait_mutex = wait->mutex;
    task->wait_buffer = wait->buffer;
    task->wait_object = wait->object;
    takti_trace(TAKT_EVENT_BLOCK, task, wait->object, 0);
    if (wait->queue != NULL) {
        takti_wait_insert(task);
    }
    if (wait->until_ns != TAKT_FOREVER) {
        takti_timer_arm(task, TAKTI_TIMER_TIMEOUT, wait->until_ns);
    }
    if (wait->mutex != NULL) {
        takti_key_raise(wait->mutex->owner, task->level, task->key_deadline_ns);
    }
    takti_reschedule();
    return (enum takt_status)task->wait_status;
}

static void wait_leave(struct takt_task *task)
{
    if (task->wait_queue != NULL) {
        takt_list_remove(task->wait_queue, &task->queue.link);
        task->wait_queue = NULL;
    }
    task->wait_mutex = NULL;
    takti_timer_cancel(task, TAKTI_TIMER_TIMEOUT);
}

/* Ends the wait of a task that got what it waited for. The caller puts right what it inherited to. */
void takti_wake(struct takt_task *task, enum takt_status status)
{
    wait_leave(task);
    task->wait_status = (uint8_t)status;
    takti_trace(TAKT_EVENT_READY, task, task->wait_object, status);
    takti_make_ready(task, false);
}

/* Ends a wait that did not get its object: timeout, stop, deletion. With `TAKT_STATE` the task is not made ready. */
void takti_wait_cancel(struct takt_task *task, enum takt_status status)
{
    struct takt_mutex *mutex = task->wait_mutex;
    if (status == TAKT_STATE) {
        wait_leave(task);
    } else {
        takti_wake(task, status);
    }
    if (mutex != NULL) {
        takti_key_update(mutex->owner);
    }
}

void takti_wake_all(struct takt_node **queue, enum takt_status status)
{
    while (*queue != NULL) { /* at most the declared users */
        takti_wake(takti_wait_best(*queue), status);
    }
}

void takt_delay_until(uint64_t until_ns)
{
    uint32_t state = takt_port_lock();
    TAKT_ASSERT(!takt_port_in_interrupt());
    if (until_ns > takt_port_now_ns()) {
        struct takti_wait wait = {.until_ns = until_ns, .object = TAKT_TRACE_NO_OBJECT};
        (void)takti_wait(&wait); /* always TAKT_TIMEOUT: that is what it waits for */
    }
    takt_port_unlock(state);
}

void takt_delay(uint64_t duration_ns)
{
    uint32_t state = takt_port_lock();
    uint64_t now_ns = takt_port_now_ns();
    struct takti_wait wait = {.until_ns = now_ns + duration_ns, .object = TAKT_TRACE_NO_OBJECT};
    TAKT_ASSERT(!takt_port_in_interrupt() && duration_ns < TAKT_FOREVER - now_ns);
    (void)takti_wait(&wait); /* always TAKT_TIMEOUT */
    takt_port_unlock(state);
}
