/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_EVENTS_H
#define TAKT_EVENTS_H

#include "takt/task.h"

/*
 * 32 event flags. A set wakes every waiter that the flags then satisfy, and each of them sees the same flags: what
 * they clear is cleared after all of them. Waiters by key, FIFO among equals. Seed 000, 3.4 (events).
 */
struct takt_events {
    struct takt_task *waiters;    /* private: kernel lock */
    uint32_t flags;               /* private */
    _Alignas(void *) uint16_t id; /* private: names it in the trace */
    uint8_t hands;                /* private: FLAGS */
};

/* How a task waits: for any of its flags, which is 0, with these. */
enum {
    TAKT_EVENTS_ALL = 1,  /* for all of them */
    TAKT_EVENTS_ONE = 2,  /* it gets only the lowest of those that are set. Not with ALL */
    TAKT_EVENTS_CLEAR = 4 /* what it gets is cleared */
};

/* What a task waits for, and then what it got. The caller's; while the task waits, the kernel's. */
struct takt_events_wanted {
    uint32_t flags; /* wanted, not 0. After TAKT_OK those that it got, else as it was */
    uint32_t mode;  /* TAKT_EVENTS_* */
};

#define TAKT_EVENTS_DEFINE(name, trace_id) struct takt_events name = {.id = (trace_id), .hands = TAKTI_HANDS_FLAGS}

/* No flag is set. Context: any, while nobody uses it. Blocks: never. */
void takt_events_init(struct takt_events *events, uint16_t trace_id);

/* Sets flags and wakes whom they satisfy. O(waiters), each with an insertion into the ready queue. Context: any.
 * Blocks: never. */
void takt_events_set(struct takt_events *events, uint32_t flags);

/* Context: any. Blocks: never. O(1). */
void takt_events_clear(struct takt_events *events, uint32_t flags);
uint32_t takt_events_get(const struct takt_events *events);

/* Waits until the flags satisfy what is wanted. TAKT_DELETED: they were deleted meanwhile; TAKT_TIMEOUT: `until_ns`
 * (absolute) came first. Context: task, not cooperative. Blocks: until the flags satisfy it. O(waiters) insertion. */
TAKT_MUST_USE enum takt_status takt_events_wait(struct takt_events *events, struct takt_events_wanted *wanted);
TAKT_MUST_USE enum takt_status takt_events_wait_until(struct takt_events *events, struct takt_events_wanted *wanted,
                                                      uint64_t until_ns);
/* TAKT_BUSY when they do not. Context: any. Blocks: never. O(1). */
TAKT_MUST_USE enum takt_status takt_events_try_wait(struct takt_events *events, struct takt_events_wanted *wanted);

/* Every waiter returns TAKT_DELETED. The storage is the caller's again. O(waiters), locked. Context: task. Blocks:
 * never. */
void takt_events_delete(struct takt_events *events);

#endif
