/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_EVENTS_H
#define TAKT_EVENTS_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/*
 * 32 event flags. A set wakes every waiter that the flags then satisfy. All of them see the same flags: those that they
 * clear are cleared after the last of them. Waiters by key, FIFO among equals. Seed 000, 3.4 (events).
 *
 * With a `trigger` no task may wait. A set after which the trigger's flags are satisfied, and before which they were
 * not, releases a job of that sporadic task. The job clears what it serves, by a try or takt_events_clear: while the
 * flags stay satisfied no set releases another one.
 */
struct takt_events {
    struct takt_task *waiters;                /* private: kernel lock */
    uint32_t flags;                           /* private */
    TAKT_ALIGNAS(sizeof(void *)) uint16_t id; /* private: names it in the trace */
    uint8_t hands;                            /* private: FLAGS */
    uint8_t trigger_mode;                     /* private: 0 or TAKT_EVENTS_ALL */
    uint32_t trigger_flags;                   /* private: those that release it */
    struct takt_task *trigger;                /* private: or NULL */
};

/* Mode of a wait. 0: for any of the flags. */
enum {
    TAKT_EVENTS_ALL = 1,  /* for all of the flags */
    TAKT_EVENTS_ONE = 2,  /* the task gets only the lowest set flag. Not with ALL */
    TAKT_EVENTS_CLEAR = 4 /* the flags that the task gets are cleared */
};

/* The flags that a task waits for, and then those that it got. Caller-owned; the kernel's while the task waits. */
struct takt_events_wanted {
    uint32_t flags; /* wanted, not 0. After TAKT_OK the flags that it got, otherwise unchanged */
    uint32_t mode;  /* TAKT_EVENTS_* */
};

#define TAKT_EVENTS_DEFINE(name, trace_id) struct takt_events name = {.id = (trace_id), .hands = TAKTI_HANDS_FLAGS}

/* Defines flags with a trigger: any of `wanted`, with TAKT_EVENTS_ALL as `mode` all of them, release a job of `task`.
 */
#define TAKT_EVENTS_TRIGGER_DEFINE(name, trace_id, wanted, mode, task) \
    struct takt_events name = {.id = (trace_id),                       \
                               .hands = TAKTI_HANDS_FLAGS,             \
                               .trigger_mode = (mode),                 \
                               .trigger_flags = (wanted),              \
                               .trigger = (task)}

/* Initializes all flags to 0, without a trigger. Context: any, while it is not in use. Blocks: never. */
void takt_events_init(struct takt_events *events, uint16_t trace_id);

/* Sets flags and wakes the waiters that they satisfy. O(waiters), each with an insertion into the ready queue. Context:
 * any. Blocks: never. */
void takt_events_set(struct takt_events *events, uint32_t flags);

/* Context: any. Blocks: never. O(1). */
void takt_events_clear(struct takt_events *events, uint32_t flags);
uint32_t takt_events_get(const struct takt_events *events);

/* Waits until the flags satisfy `wanted`. TAKT_DELETED: the object was deleted meanwhile; TAKT_TIMEOUT: `until_ns`
 * (absolute) came first. Context: task, not cooperative. Blocks: until the flags satisfy it. O(waiters) insertion. */
TAKT_MUST_USE enum takt_status takt_events_wait(struct takt_events *events, struct takt_events_wanted *wanted);
TAKT_MUST_USE enum takt_status takt_events_wait_until(struct takt_events *events, struct takt_events_wanted *wanted,
                                                      uint64_t until_ns);
/* TAKT_BUSY when the flags do not satisfy `wanted`. Context: any. Blocks: never. O(1). */
TAKT_MUST_USE enum takt_status takt_events_try_wait(struct takt_events *events, struct takt_events_wanted *wanted);

/* Every waiter returns TAKT_DELETED. The storage is the caller's again. O(waiters), locked. Context: task. Blocks:
 * never. */
void takt_events_delete(struct takt_events *events);

TAKT_C_END

#endif
