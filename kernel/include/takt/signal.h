/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SIGNAL_H
#define TAKT_SIGNAL_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * Signals: numbered buffers from a pool that are passed from task to task by pointer, without copying. The task that
 * allocated or received a signal is its only holder until it sends or frees it; a call with a signal that the caller
 * does not hold fails an assertion. Each receiving task has a queue. Seed 004, paper A, 2.11 and 5.4 (OSE).
 *
 * In a process the address of a signal is that of a copy in its own memory: a send copies number and data into the
 * kernel, a receive out of it. Whether a task holds a signal only the kernel decides (docs/decisions/0028).
 */
struct takt_signal {
    uint32_t number;
    const struct takt_task *sender; /* NULL: an interrupt */
    const struct takt_task *holder; /* private, as the fields after it; NULL: an interrupt */
    struct takt_signal_pool *pool;
    struct takt_signal *next; /* in the queue or the pool; the signal itself while it is held */
};

/* Private; constant. Signals of a pool in the memory of processes. */
struct takti_signal_copies {
    uint8_t *storage;       /* the kernel's signals */
    uint8_t *const *copies; /* by index of a process: as many in its memory; NULL: it uses none of this pool */
    uintptr_t handle;       /* of the pool */
};

struct takt_signal_pool {
    struct takt_signal *free; /* private: kernel lock, as all fields. Freed signals */
    uint8_t *fresh;           /* private: end of the signals ever used */
    uint16_t left;            /* private: number of signals in `free` and from `fresh` on */
    uint16_t bytes;           /* private: size of a signal */
    struct takti_signal_copies in_process[TAKT_PROCESSES];
};

#define TAKT_SIGNAL_BYTES(size) \
    (((sizeof(struct takt_signal) + 7u) & ~(size_t)7u) + (((size_t)(size) + 7u) & ~(size_t)7u))

/* `memory`: uint8_t[TAKT_SIGNAL_BYTES(size) * max], aligned to 8, for `max` signals with `size` bytes of data. */
#define TAKT_SIGNAL_POOL_DEFINE(name, memory, size, max) \
    struct takt_signal_pool name = TAKTI_SIGNAL_POOL(memory, size, max)

#define TAKTI_SIGNAL_POOL(memory, size, max)                                         \
    {                                                                                \
        .fresh = (memory), .left = (max), .bytes = (uint16_t)TAKT_SIGNAL_BYTES(size) \
    }

/* With protection: for processes, whose memory for copies, TAKT_SIGNAL_BYTES(size) * max, is in `tables`. */
#define TAKT_SIGNAL_POOL_COPIED_DEFINE(name, memory, size, max, tables, its_handle) \
    struct takt_signal_pool name = {.fresh = (memory),                              \
                                    .left = (max),                                  \
                                    .bytes = TAKT_SIGNAL_BYTES(size),               \
                                    .in_process = {{(memory), (tables), (its_handle)}}}

/* As TAKT_SIGNAL_POOL_DEFINE. Context: any, while it is not in use. Blocks: never. */
void takt_signal_pool_init(struct takt_signal_pool *pool, void *memory, uint16_t size, uint16_t max);

/* The signals sent to one task, FIFO. With a trigger the owner is sporadic, and each signal that is queued releases a
 * job of it, which receives by a try; one for which the owner waits releases none. */
struct takt_signal_queue {
    const struct takt_task *owner;
    struct takt_signal *first;       /* private: kernel lock, as the fields after it */
    struct takt_task *waiter;        /* private: the owner while it waits */
    struct takt_signal **end;        /* private: link to which the next one is appended */
    uint16_t id;                     /* private: names it in the trace */
    uint8_t hands;                   /* private: SIGNAL */
    struct takt_task *trigger;       /* private: the owner, or NULL */
    uint16_t stored[TAKT_PROCESSES]; /* private: number of signals from `first` on */
};

#define TAKT_SIGNAL_QUEUE_DEFINE(name, trace_id, task) \
    struct takt_signal_queue name = {.owner = (task), .end = &name.first, .id = (trace_id), .hands = TAKTI_HANDS_SIGNAL}

/* Defines one with a trigger: a signal that is queued releases a job of `task`. */
#define TAKT_SIGNAL_QUEUE_TRIGGER_DEFINE(name, trace_id, task) \
    struct takt_signal_queue name = {                          \
        .owner = (task), .end = &name.first, .id = (trace_id), .hands = TAKTI_HANDS_SIGNAL, .trigger = (task)}

/* Without a trigger. Context: any, while it is not in use. Blocks: never. */
void takt_signal_queue_init(struct takt_signal_queue *queue, uint16_t trace_id, const struct takt_task *owner);

/* Allocates a signal, which the caller then holds; NULL: the pool has none left. Context: any. Blocks: never. O(1). */
TAKT_MUST_USE struct takt_signal *takt_signal_allocate(struct takt_signal_pool *pool, uint32_t number);

/* The data of a signal, aligned to 8. Context: any, the holder. Blocks: never. */
void *takt_signal_data(const struct takt_signal *signal);

/* Sends a signal to the task of a queue, which holds it once received; `*signal` becomes NULL. If the task waits for
 * such a signal, it receives it at once. Context: any, the holder. Blocks: never. O(numbers of the receiver). */
void takt_signal_send(struct takt_signal **signal, struct takt_signal_queue *queue);

/* The signals to receive. */
struct takt_signal_filter {
    const uint32_t *numbers;        /* any of these `count` numbers */
    const struct takt_task *sender; /* from this task; NULL: from any sender */
    uint16_t count;                 /* 0: any number; of a process at most TAKT_PROCESS_NUMBERS_MAX */
};
#define TAKT_PROCESS_NUMBERS_MAX 8

/*
 * Receives the first signal in the queue that passes `filter` (NULL: any), which the caller then holds; waits while
 * there is none. TAKT_TIMEOUT: `until_ns` (absolute) came first. Context: task that owns the queue, not cooperative.
 * Blocks: until such a signal comes. O(signals * numbers), locked. A stopped task keeps the signals that it holds and
 * those in its queue.
 */
TAKT_MUST_USE enum takt_status takt_signal_receive(struct takt_signal_queue *queue,
                                                   const struct takt_signal_filter *filter,
                                                   struct takt_signal **signal);
TAKT_MUST_USE enum takt_status takt_signal_receive_until(struct takt_signal_queue *queue,
                                                         const struct takt_signal_filter *filter,
                                                         struct takt_signal **signal, uint64_t until_ns);
/* TAKT_BUSY instead of waiting. Context: task that owns the queue. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_signal_try_receive(struct takt_signal_queue *queue,
                                                       const struct takt_signal_filter *filter,
                                                       struct takt_signal **signal);

/* Returns a signal to its pool; `*signal` becomes NULL. Context: any, the holder. Blocks: never. O(1). */
void takt_signal_free(struct takt_signal **signal);

TAKT_C_END

#endif
