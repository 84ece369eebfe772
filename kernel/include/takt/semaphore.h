/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SEMAPHORE_H
#define TAKT_SEMAPHORE_H

#include "takt/task.h"

/* Counting semaphore; waiters by key, FIFO among equals. With a `trigger` each post releases a job of that task. */
struct takt_semaphore {
    struct takt_node *waiters; /* private: kernel lock */
    struct takt_task *trigger; /* private: sporadic task released by a post, or NULL */
    uint16_t count;            /* private */
    uint16_t maximum;          /* private */
    uint16_t id;               /* private: names it in the trace */
};

#define TAKT_SEMAPHORE_DEFINE(name, trace_id, initial, max) \
    struct takt_semaphore name = {.count = (initial), .maximum = (max), .id = (trace_id)}

/* `initial` <= `maximum`. */
void takt_semaphore_init(struct takt_semaphore *semaphore, uint16_t trace_id, struct takt_task *trigger,
                         uint16_t initial, uint16_t maximum);

/* Takes one, waiting for it. Context: task. */
TAKT_MUST_USE enum takt_status takt_semaphore_wait(struct takt_semaphore *semaphore);
TAKT_MUST_USE enum takt_status takt_semaphore_wait_until(struct takt_semaphore *semaphore, uint64_t until_ns);

/* TAKT_BUSY when there is none. Context: any. */
TAKT_MUST_USE enum takt_status takt_semaphore_try_wait(struct takt_semaphore *semaphore);

/* Wakes the best waiter, or counts. TAKT_LIMIT: the count is at its maximum; nothing changed. Context: any. */
enum takt_status takt_semaphore_post(struct takt_semaphore *semaphore);

/* Every waiter returns TAKT_DELETED. Context: task. */
void takt_semaphore_delete(struct takt_semaphore *semaphore);

#endif
