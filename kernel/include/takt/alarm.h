/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_ALARM_H
#define TAKT_ALARM_H

#include "base/dialect.h"
#include "takt/semaphore.h"
#include "takt/task.h"

TAKT_C_BEGIN

/* Whether the minimum time between two expiries is kept. */
#define TAKT_ALARM_DISTANCE (TAKT_PROCESSES || TAKT_PROCESS_ALARMS)

/* Members of an alarm with processes, or in a kernel whose processes create alarms. */
struct takt_alarm_in_process {
    uint64_t distance_ns; /* constant: minimum time between two expiries, for any caller; 0: none */
    uint64_t earliest_ns; /* earliest permitted next expiry */
    uint64_t declared_ns; /* first expiry as declared; TAKT_FOREVER: not started by the declaration */
    uint8_t by;           /* TAKTI_BY of the process that started or stopped it last; 0: none */
};

/*
 * A software timer: its handler is called once, at an expiry, or periodically if `period_ns` is not 0: in the timer
 * interrupt with the kernel unlocked, or by the task that serves the alarm's queue. Expiries are absolute, so a
 * periodic alarm does not drift. Each alarm needs an entry of TAKT_TIMERS_DEFINE. Seed 000, 3.3 (timers).
 */
struct takt_alarm {
    struct takti_call call;                    /* private, as all other fields: kernel lock. Must stay first */
    void (*handler)(struct takt_alarm *alarm); /* constant */
    struct takt_alarm_queue *queue;            /* constant: its task calls the handler; NULL: the interrupt does */
    struct takt_alarm *next;                   /* in the queue */
    uint64_t period_ns;                        /* constant; 0: one-shot */
    uint32_t missed;
    uint16_t id; /* names it in the trace */
    bool started;
    bool queued;
    struct takt_alarm_in_process in_process[TAKT_ALARM_DISTANCE];
};

/* Expired alarms that wait for a task, FIFO. Each expiry posts the semaphore. */
struct takt_alarm_queue {
    struct takt_alarm *first; /* private: kernel lock */
    struct takt_alarm **end;  /* private: link to which the next one is appended */
    struct takt_semaphore *semaphore;
    uint32_t count; /* private: length */
};

#define TAKT_ALARM_DEFINE(name, trace_id, calls, every_ns) \
    struct takt_alarm name = {                             \
        .call = {.function = takti_alarm_due}, .handler = (calls), .period_ns = (every_ns), .id = (trace_id)}

/* An alarm whose handler a task calls. */
#define TAKT_ALARM_QUEUED_DEFINE(name, trace_id, calls, every_ns, in_queue) \
    struct takt_alarm name = {.call = {.function = takti_alarm_due_queued}, \
                              .handler = (calls),                           \
                              .queue = (in_queue),                          \
                              .period_ns = (every_ns),                      \
                              .id = (trace_id)}

#define TAKT_ALARM_QUEUE_DEFINE(name, posts) struct takt_alarm_queue name = {.end = &name.first, .semaphore = (posts)}

/* Sets the minimum time between two expiries, before the alarm is started. No effect in a kernel that does not keep it.
 */
#define TAKT_ALARM_KEEP_DISTANCE(name, least_ns) \
    (TAKT_ALARM_DISTANCE ? (void)((name).in_process->distance_ns = (least_ns)) : (void)0)

/* Initializes a stopped alarm. `handler` may start, restart and stop it. Context: any, while it is not in use. Blocks:
 * never. */
void takt_alarm_init(struct takt_alarm *alarm, uint16_t trace_id, void (*handler)(struct takt_alarm *alarm),
                     uint64_t period_ns);

/*
 * Lets the task that serves `queue` call the handler of a stopped alarm. An expiry while the alarm is still queued
 * counts as missed. Context: any, while it is not in use. Blocks: never.
 */
void takt_alarm_attach(struct takt_alarm *alarm, struct takt_alarm_queue *queue);

/* Initializes an empty queue. `semaphore` may have a trigger: then a sporadic task serves the queue, and the proof
 * includes the cost. Context: any, while it is not in use. Blocks: never. */
void takt_alarm_queue_init(struct takt_alarm_queue *queue, struct takt_semaphore *semaphore);

/*
 * Starts the alarm for `at_ns` (absolute, not TAKT_FOREVER). An expiry in the past occurs at once; of several past
 * expiries only one occurs, and the others count as missed. TAKT_STATE: it is started. A one-shot alarm is stopped from
 * its expiry on, also while it is queued. With processes the next expiry is at least the declared minimum time after
 * the last one and, if periodic, not on a grid that begins in the past. O(timers) insertion. Context: any. Blocks:
 * never.
 */
TAKT_MUST_USE enum takt_status takt_alarm_start(struct takt_alarm *alarm, uint64_t at_ns);

/* As takt_alarm_start for a started or stopped alarm: cancels the earlier expiry and removes the alarm from its queue,
 * O(queued alarms). Context: any. Blocks: never. */
void takt_alarm_restart(struct takt_alarm *alarm, uint64_t at_ns);

/*
 * Stops the alarm. TAKT_STATE: it is stopped; its handler may be running. The storage is the caller's again afterwards,
 * unless the caller interrupted the handler. O(timers), and O(queued alarms). Context: any. Blocks: never.
 */
enum takt_status takt_alarm_stop(struct takt_alarm *alarm);

/* Time to the next expiry, ns; TAKT_FOREVER: the alarm is stopped. Context: any. Blocks: never. O(1). */
uint64_t takt_alarm_remaining_ns(const struct takt_alarm *alarm);

/*
 * Number of expiries without a call of the handler since initialization: the following expiry had passed as well, or
 * the alarm was still queued for the previous one. Context: any. Blocks: never. O(1).
 */
uint32_t takt_alarm_missed(const struct takt_alarm *alarm);

/*
 * Calls the handlers of the alarms that are queued at the time of the call, and no more; returns their number. Context:
 * task that waits for the semaphore or is released by it, one for each queue. Blocks: never, except in a handler.
 */
unsigned takt_alarm_serve(struct takt_alarm_queue *queue);

void takti_alarm_due(struct takti_call *call);
void takti_alarm_due_queued(struct takti_call *call);

TAKT_C_END

#endif
