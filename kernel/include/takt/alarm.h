/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ALARM_H
#define TAKT_ALARM_H

#include "takt/semaphore.h"
#include "takt/task.h"

/*
 * A software timer: at an instant, and then every `period_ns` if that is not 0, its handler is called, in the timer's
 * interrupt with the kernel unlocked, or by the task that serves the alarm's queue. The instants are absolute, so that
 * nothing drifts. Each alarm needs a place of TAKT_TIMERS_DEFINE. Seed 000, 3.3 (timers).
 */
struct takt_alarm {
    struct takti_call call;                    /* private, as the rest: kernel lock. Must stay first */
    void (*handler)(struct takt_alarm *alarm); /* constant */
    struct takt_alarm_queue *queue;            /* constant: whose task calls the handler; NULL: the interrupt does */
    struct takt_alarm *next;                   /* in the queue */
    uint64_t period_ns;                        /* constant; 0: it comes once */
#if TAKT_PROCESSES
    uint64_t distance_ns; /* constant: the least between two that come, whoever starts it; 0: none is kept */
    uint64_t earliest_ns; /* of the next */
#endif
    uint32_t missed;
    uint16_t id; /* names it in the trace */
    bool started;
    bool queued;
#if TAKT_PROCESSES
    uint8_t by;           /* TAKTI_BY of the process that was the last to start or stop it; 0: none was */
    uint64_t declared_ns; /* when it comes by the declaration; TAKT_FOREVER: when somebody starts it */
#endif
};

/* Alarms that have come and wait for a task, in the order in which they came. Each one that comes posts the semaphore.
 */
struct takt_alarm_queue {
    struct takt_alarm *first; /* private: kernel lock */
    struct takt_alarm **end;  /* private: where the next one is put */
    struct takt_semaphore *semaphore;
    uint32_t count; /* private: how many */
};

#define TAKT_ALARM_DEFINE(name, trace_id, calls, every_ns) \
    struct takt_alarm name = {                             \
        .call = {.function = takti_alarm_due}, .handler = (calls), .period_ns = (every_ns), .id = (trace_id)}

/* One whose handler a task calls. */
#define TAKT_ALARM_QUEUED_DEFINE(name, trace_id, calls, every_ns, in_queue) \
    struct takt_alarm name = {.call = {.function = takti_alarm_due_queued}, \
                              .handler = (calls),                           \
                              .queue = (in_queue),                          \
                              .period_ns = (every_ns),                      \
                              .id = (trace_id)}

#define TAKT_ALARM_QUEUE_DEFINE(name, posts) struct takt_alarm_queue name = {.end = &name.first, .semaphore = (posts)}

/* Before it is started: the least between two that come. Of a kernel with processes. */
#if TAKT_PROCESSES
#define TAKT_ALARM_KEEP_DISTANCE(name, least_ns) ((name).distance_ns = (least_ns))
#else
#define TAKT_ALARM_KEEP_DISTANCE(name, least_ns) ((void)0)
#endif

/* A stopped alarm. `handler` may start, restart and stop it. Context: any, while nobody uses it. Blocks: never. */
void takt_alarm_init(struct takt_alarm *alarm, uint16_t trace_id, void (*handler)(struct takt_alarm *alarm),
                     uint64_t period_ns);

/*
 * The handler of a stopped alarm is called by the task that serves `queue`. One that comes while it still waits there
 * counts as missed. Context: any, while nobody uses it. Blocks: never.
 */
void takt_alarm_attach(struct takt_alarm *alarm, struct takt_alarm_queue *queue);

/* `semaphore` may have a trigger: then a sporadic task serves the queue, and its cost is in the proof. Context: any,
 * while nobody uses it. Blocks: never. */
void takt_alarm_queue_init(struct takt_alarm_queue *queue, struct takt_semaphore *semaphore);

/*
 * Starts it for `at_ns` (absolute, not TAKT_FOREVER); an instant that has passed comes at once, and of those that have
 * passed only one does: the others are missed. TAKT_STATE: it is started. One that came once is stopped, also while it
 * waits in a queue. With processes it comes no sooner than its declared distance after it came last, nor, with a
 * period, on a grid from the past. O(timers) insertion. Context: any. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_alarm_start(struct takt_alarm *alarm, uint64_t at_ns);

/* The same of one that is started or not: it forgets the instant before, and leaves its queue, O(alarms) that wait
 * there. Context: any. Blocks: never. */
void takt_alarm_restart(struct takt_alarm *alarm, uint64_t at_ns);

/*
 * Stops it. TAKT_STATE: there is nothing to stop; its handler may be under way. Afterwards the storage is the caller's
 * again, but for a handler that this call interrupted. O(timers), and O(alarms) that wait in its queue. Context: any.
 * Blocks: never.
 */
enum takt_status takt_alarm_stop(struct takt_alarm *alarm);

/* Time to its next instant, ns; TAKT_FOREVER: it is stopped. Context: any. Blocks: never. O(1). */
uint64_t takt_alarm_remaining_ns(const struct takt_alarm *alarm);

/*
 * Periods without a call of the handler, since it was initialized: the instant of the one after had passed as well, or
 * the one before was still in the queue. Context: any. Blocks: never. O(1).
 */
uint32_t takt_alarm_missed(const struct takt_alarm *alarm);

/*
 * Calls the handlers of those that wait in the queue at the moment of the call, at most; returns how many. Context:
 * task that waits for the semaphore or is released by it, one for each queue. Blocks: never, but in a handler.
 */
unsigned takt_alarm_serve(struct takt_alarm_queue *queue);

void takti_alarm_due(struct takti_call *call);
void takti_alarm_due_queued(struct takti_call *call);

#endif
