/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SEMAPHORE_H
#define TAKT_SEMAPHORE_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * Counting semaphore; waiters by key, FIFO among equals, or in turn, all or some. With a `trigger` each post releases a
 * job of that task (takt_job_release) instead: nothing is counted and no task can wait.
 */
struct takt_semaphore {
    struct takt_task *waiters; /* private: kernel lock */
    struct takt_task *trigger; /* private: sporadic task released by a post, or NULL */
    uint16_t id;               /* private: names it in the trace */
    uint8_t hands;             /* private: UNIT */
    uint32_t count;            /* private */
    uint32_t room;    /* private: posts on the fast path, which only count. 0: full, or the post takes the slow path */
    uint16_t maximum; /* private */
    uint16_t initial; /* private: with processes the count at the start, and at a restart of its process */
    bool in_turn[TAKT_FIFO_WAITERS]; /* private: every task waits in turn */
};

#define TAKT_SEMAPHORE_DEFINE(name, trace_id, begins, max) \
    struct takt_semaphore name = {TAKTI_SEMAPHORE(trace_id, begins, max)}

/* Every call waits as takt_semaphore_wait_in_turn. */
#define TAKT_SEMAPHORE_FIFO_DEFINE(name, trace_id, begins, max) \
    TAKTI_FIFO(struct takt_semaphore name = {TAKTI_SEMAPHORE(trace_id, begins, max), .in_turn = {true}})

#define TAKTI_SEMAPHORE(trace_id, begins, max)                                                                  \
    .id = (trace_id), .hands = TAKTI_HANDS_UNIT, .count = (begins), .room = (max) - (begins), .maximum = (max), \
    .initial = (begins)

/* Defines one with a trigger: a post releases a job of `task`. */
#define TAKT_SEMAPHORE_TRIGGER_DEFINE(name, trace_id, task) \
    struct takt_semaphore name = {.trigger = (task), .id = (trace_id), .maximum = 1}

/* `initial` <= `maximum`, `maximum` > 0; with a trigger `initial` is 0. Context: any, while it is not in use. Blocks:
 * never. */
void takt_semaphore_init(struct takt_semaphore *semaphore, uint16_t trace_id, struct takt_task *trigger,
                         uint16_t initial, uint16_t maximum);

/*
 * Decrements the count; waits while it is 0. TAKT_DELETED: the semaphore was deleted meanwhile; TAKT_FLUSHED:
 * takt_semaphore_flush; TAKT_TIMEOUT: `until_ns` (absolute) came first. Context: task, not cooperative. Blocks: until
 * it is posted. O(waiters) insertion.
 */
TAKT_MUST_USE enum takt_status takt_semaphore_wait(struct takt_semaphore *semaphore);
TAKT_MUST_USE enum takt_status takt_semaphore_wait_until(struct takt_semaphore *semaphore, uint64_t until_ns);

/* As takt_semaphore_wait, but queued behind all waiters: a semaphore that is only waited for in turn is FIFO, whatever
 * the keys. `until_ns`: TAKT_FOREVER for no timeout. Context: task, not cooperative. Blocks: until it is posted. */
TAKT_MUST_USE enum takt_status takt_semaphore_wait_in_turn(struct takt_semaphore *semaphore, uint64_t until_ns);

/* TAKT_BUSY when the count is 0, as it always is with a trigger. Context: any. Blocks: never. */
TAKT_MUST_USE enum takt_status takt_semaphore_try_wait(struct takt_semaphore *semaphore);

/* Wakes the best waiter, or increments the count. TAKT_LIMIT: the count is at its maximum; nothing changed. O(1) and
 * one insertion into the ready queue. Context: any. Blocks: never. */
enum takt_status takt_semaphore_post(struct takt_semaphore *semaphore);

/* Every waiter returns TAKT_FLUSHED; the count is unchanged. O(waiters), locked. Context: any. Blocks: never. */
void takt_semaphore_flush(struct takt_semaphore *semaphore);

/* The current count. Context: any. Blocks: never. */
uint32_t takt_semaphore_count(const struct takt_semaphore *semaphore);

/* Every waiter returns TAKT_DELETED. The storage is the caller's again. O(waiters), locked. Context: task. Blocks:
 * never. */
void takt_semaphore_delete(struct takt_semaphore *semaphore);

TAKT_C_END

#endif
