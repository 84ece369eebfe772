/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/signal.h"

#include "kernel/core/kernel.h"
#include "kernel/core/processes.h"
#include "kernel/messages/copy.h"

/* What a waiting receiver expects: on its stack, or kept; `wait_buffer` points to it. */
struct expectation {
    const struct takt_signal_filter *filter;
    struct takt_signal **signal;
    struct takt_signal_filter copy[TAKT_PROCESSES]; /* `filter`, which the receiver's process could change */
};

void takt_signal_pool_init(struct takt_signal_pool *pool, void *memory, uint16_t size, uint16_t max)
{
    TAKT_ASSERT(memory != NULL && ((uintptr_t)memory & 7u) == 0 && max > 0);
    *pool = (struct takt_signal_pool)TAKTI_SIGNAL_POOL(memory, size, max);
}

void takt_signal_queue_init(struct takt_signal_queue *queue, uint16_t trace_id, const struct takt_task *owner)
{
    TAKT_ASSERT(owner != NULL);
    *queue =
        (struct takt_signal_queue){.owner = owner, .end = &queue->first, .id = trace_id, .hands = TAKTI_HANDS_SIGNAL};
}

/* Whether the caller holds it. */
static bool holds_signal(const struct takt_signal *signal, uint32_t lock)
{
    return signal != NULL && signal->next == signal && signal->holder == takti_caller(lock);
}

static void hold_signal(struct takt_signal *signal, const struct takt_task *holder)
{
    signal->holder = holder;
    signal->next = signal;
}

/* The receiver holds the signal, or with processes its copy. */
static inline void signal_hand(struct takt_signal *signal, struct takt_task *receiver,
                               const struct expectation *expectation)
{
    hold_signal(signal, receiver);
    *expectation->signal = TAKT_PROCESSES ? takti_signal_receive_copy(signal, receiver) : signal;
}

struct takt_signal *takt_signal_allocate(struct takt_signal_pool *pool, uint32_t number)
{
    uint32_t lock = takt_port_enter();
    struct takt_signal *signal = pool->free;
    TAKT_ASSERT(takti_allowed(lock));
    if (pool->left != 0) {
        pool->left--;
        if (signal != NULL) {
            pool->free = signal->next;
        } else {
            signal = (struct takt_signal *)(void *)pool->fresh;
            pool->fresh += pool->bytes;
        }
        signal->number = number;
        signal->pool = pool;
        hold_signal(signal, takti_caller(lock));
    }
    takt_port_leave(lock);
    return signal;
}

void *takt_signal_data(const struct takt_signal *signal)
{
    if (TAKT_ASSERTIONS) {
        uint32_t lock = takt_port_enter();
        TAKT_ASSERT(holds_signal(signal, lock));
        takt_port_leave(lock);
    }
    return (uint8_t *)(uintptr_t)signal + TAKT_SIGNAL_BYTES(0);
}

/* O(numbers). */
static bool passes(const struct takt_signal_filter *filter, const struct takt_signal *signal)
{
    if (filter == NULL) {
        return true;
    }
    if (filter->sender != NULL && filter->sender != signal->sender) {
        return false;
    }
    unsigned index = 0;
    while (index < filter->count && filter->numbers[index] != signal->number) {
        index++;
    }
    return index < filter->count || filter->count == 0;
}

/* For takti_signals_stored: the start of a process does not count them one by one. */
static inline void signals_count(struct takt_signal_queue *queue, int change)
{
    if (TAKT_PROCESSES) {
        *queue->stored = (uint16_t)(*queue->stored + change);
    }
}

void takt_signal_send(struct takt_signal **signal, struct takt_signal_queue *queue)
{
    uint32_t lock = takt_port_enter();
    struct takt_signal *sent = *signal;
    struct takt_task *waiter = queue->waiter;
    TAKT_ASSERT(takti_allowed(lock) && holds_signal(sent, lock));
    sent->sender = takti_caller(lock);
    *signal = NULL;
    takti_trace(TAKT_EVENT_SEND, sent->sender, queue->id, 0);
    if (waiter != NULL) {
        const struct expectation *expectation = waiter->wait_buffer;
        if (passes(expectation->filter, sent)) {
            signal_hand(sent, waiter, expectation);
            if (TAKT_PROCESSES) {
                waiter->wait_buffer = sent; /* for takti_signal_give_back: its process could change `*signal` */
            }
            queue->waiter = NULL;
            takti_trace(TAKT_EVENT_RECEIVE, waiter, queue->id, 0);
            (void)takti_wake_last(waiter, lock);
            return;
        }
    }
    sent->next = NULL;
    *queue->end = sent;
    queue->end = &sent->next;
    signals_count(queue, 1);
    (void)takti_trigger_last(queue->trigger, lock);
}

/* Puts the signal first in its queue. */
void takti_signal_give_back(struct takt_task **queue, struct takt_task *task)
{
    struct takt_signal_queue *signals =
        (struct takt_signal_queue *)(void *)((uint8_t *)queue - offsetof(struct takt_signal_queue, waiter));
    struct takt_signal *signal = task->wait_buffer;
    if (!TAKT_PROCESSES) {
        struct takt_signal **held = ((const struct expectation *)task->wait_buffer)->signal;
        signal = *held;
        *held = NULL;
    }
    takti_trace(TAKT_EVENT_SEND, task, signals->id, 0);
    signal->next = signals->first;
    if (signals->first == NULL) {
        signals->end = &signal->next;
    }
    signals->first = signal;
    signals_count(signals, 1);
}

/* Removes the first signal that passes from the queue; NULL: none. O(signals * numbers). */
static struct takt_signal *leave_queue(struct takt_signal_queue *queue, const struct takt_signal_filter *filter)
{
    struct takt_signal **link = &queue->first;
    while (*link != NULL && !passes(filter, *link)) {
        link = &(*link)->next;
    }
    struct takt_signal *signal = *link;
    if (signal != NULL) {
        *link = signal->next;
        if (queue->end == &signal->next) {
            queue->end = link;
        }
        signals_count(queue, -1);
    }
    return signal;
}

/* Keeps what the running task expects where a call, a trap, leaves its stack. */
static const struct expectation *expectation_keep(const struct expectation *expectation)
{
    TAKTI_KEPT(struct expectation, kept);
    *kept = *expectation;
    if (kept->filter != NULL) {
        kept->copy[0] = *expectation->filter;
        kept->filter = kept->copy;
    }
    return kept;
}

static enum takt_status signal_receive(struct takt_signal_queue *queue, const struct expectation *expectation,
                                       const uint64_t *until_ns)
{
    enum takt_status status = TAKT_BUSY;
    uint32_t lock = takt_port_enter();
    struct takt_task *task = takti_kernel.ready.running;
    TAKT_ASSERT(takt_port_caller(lock) == 0 && queue->owner == task);
    struct takt_signal *signal = leave_queue(queue, expectation->filter);
    if (signal != NULL) {
        signal_hand(signal, task, expectation);
        takti_trace(TAKT_EVENT_RECEIVE, task, queue->id, 0);
        status = TAKT_OK;
    } else if (until_ns != NULL) {
        if (TAKT_PROCESSES) {
            expectation = expectation_keep(expectation);
        }
        return takti_wait_with(expectation, &queue->waiter, queue->id, until_ns);
    }
    takt_port_leave(lock);
    return status;
}

enum takt_status takt_signal_receive_until(struct takt_signal_queue *queue, const struct takt_signal_filter *filter,
                                           struct takt_signal **signal, uint64_t until_ns)
{
    const struct expectation expectation = {.filter = filter, .signal = signal};
    return signal_receive(queue, &expectation, &until_ns);
}

enum takt_status takt_signal_receive(struct takt_signal_queue *queue, const struct takt_signal_filter *filter,
                                     struct takt_signal **signal)
{
    return takt_signal_receive_until(queue, filter, signal, TAKT_FOREVER);
}

enum takt_status takt_signal_try_receive(struct takt_signal_queue *queue, const struct takt_signal_filter *filter,
                                         struct takt_signal **signal)
{
    const struct expectation expectation = {.filter = filter, .signal = signal};
    return signal_receive(queue, &expectation, NULL);
}

void takt_signal_free(struct takt_signal **signal)
{
    uint32_t lock = takt_port_enter();
    struct takt_signal *given = *signal;
    TAKT_ASSERT(takti_allowed(lock) && holds_signal(given, lock));
    *signal = NULL;
    given->next = given->pool->free;
    given->pool->free = given;
    given->pool->left++;
    takt_port_leave(lock);
}

#if TAKT_PROCESSES
/* The memory of a task's process for copies of the pool's signals; NULL: it uses none. */
static uint8_t *copies_of(const struct takt_signal_pool *pool, const struct takt_task *task)
{
    return pool->in_process->copies[takti_process_index(task)];
}

bool takti_signal_fits(const struct takt_signal *signal, const struct takt_task *receiver)
{
    return copies_of(signal->pool, receiver) != NULL;
}

struct takt_signal *takti_signal_copy(const struct takt_signal *signal, const struct takt_task *task)
{
    uintptr_t offset = (uintptr_t)signal - (uintptr_t)signal->pool->in_process->storage;
    return (struct takt_signal *)(void *)(copies_of(signal->pool, task) + offset);
}

struct takt_signal *takti_signal_of(const struct takt_signal_pool *pool, const struct takt_signal *copy,
                                    const struct takt_task *task)
{
    uint8_t *storage = pool->in_process->storage;
    uintptr_t offset = (uintptr_t)copy - (uintptr_t)copies_of(pool, task);
    struct takt_signal *signal = (struct takt_signal *)(void *)(storage + offset);
    bool used = offset < (uintptr_t)(pool->fresh - storage) && offset % pool->bytes == 0;
    return used && signal->next == signal && signal->holder == task ? signal : NULL;
}

/* Copies the data of a signal. O(size). */
static void data_copy(struct takt_signal *to, const struct takt_signal *from, uint32_t bytes)
{
    uint8_t *out = (uint8_t *)to + TAKT_SIGNAL_BYTES(0);
    const uint8_t *in = (const uint8_t *)from + TAKT_SIGNAL_BYTES(0);
    uint32_t pairs = (bytes - (uint32_t)TAKT_SIGNAL_BYTES(0)) / 8u;
    if (pairs > 0) {
        TAKT_PORT_COPY_PAIRS(out, in, pairs);
    }
}

void takti_signal_send_copy(struct takt_signal *signal, const struct takt_signal *copy)
{
    signal->number = copy->number;
    data_copy(signal, copy, signal->pool->bytes);
}

struct takt_signal *takti_signal_receive_copy(const struct takt_signal *signal, const struct takt_task *receiver)
{
    struct takt_signal *copy = takti_signal_copy(signal, receiver);
    copy->number = signal->number;
    copy->sender = (const struct takt_task *)(signal->sender == NULL ? 0 : takti_task_handle(signal->sender));
    copy->pool = (struct takt_signal_pool *)signal->pool->in_process->handle;
    data_copy(copy, signal, signal->pool->bytes);
    return copy;
}

struct takt_signal *takti_signal_at(const struct takt_signal_pool *pool, unsigned index)
{
    uint8_t *signal = pool->in_process->storage + (uintptr_t)index * pool->bytes;
    return signal < pool->fresh ? (struct takt_signal *)(void *)signal : NULL;
}

bool takti_signal_held_by(const struct takt_signal *signal, uint8_t process)
{
    return signal->next == signal && signal->holder != NULL && takti_process_index(signal->holder) == process;
}

void takti_signal_put(struct takt_signal *signal)
{
    signal->next = signal->pool->free;
    signal->pool->free = signal;
    signal->pool->left++;
}

unsigned takti_signals_stored(const struct takt_signal_queue *queue)
{
    return *queue->stored;
}

bool takti_signal_drop(struct takt_signal_queue *queue)
{
    struct takt_signal *signal = leave_queue(queue, NULL);
    if (signal != NULL) {
        takti_signal_put(signal);
    }
    return signal != NULL;
}
#endif
