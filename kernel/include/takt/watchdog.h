/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_WATCHDOG_H
#define TAKT_WATCHDOG_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/* Action when a task has not kicked its watchdog in time. */
enum takt_watchdog_action {
    TAKT_WATCHDOG_NOTIFY, /* its hook is called, and the watchdog starts again */
    TAKT_WATCHDOG_STOP,   /* the task (takt_task_stop) and the watchdog are stopped */
    /*
     * The task is stopped, and restarted at its next release as if none had been lost, so that the proof still holds. A
     * background task is restarted after `time_ns`. If the task is not stopped by then, because it holds a mutex, the
     * restart waits for the release after that.
     */
    TAKT_WATCHDOG_RESTART,
    TAKT_WATCHDOG_HALT /* the system stops with TAKT_FAULT_WATCHDOG */
};

/* Members of a watchdog with processes. */
struct takt_watchdog_in_process {
    bool paused;   /* the process of its task ended; it starts again with the restart */
    bool declared; /* started with the system */
    uint8_t by;    /* TAKTI_BY of the process that started or stopped it last; 0: none */
};

/*
 * A watchdog of a task. A kick arms no timer: when `time_ns` has passed since a kick, the timer interrupt checks for a
 * later one. At most two timer interrupts in each `time_ns`. Needs an entry of TAKT_TIMERS_DEFINE.
 */
struct takt_watchdog {
    struct takti_call call; /* private, as all fields: kernel lock. Must stay first */
    struct takt_task *task; /* constant, as the next two */
    void (*hook)(struct takt_watchdog *watchdog);
    uint64_t time_ns;
    uint64_t until_ns; /* expiry unless it is kicked */
    uint32_t expired;
    uint16_t id;    /* names it in the trace */
    uint8_t action; /* constant: enum takt_watchdog_action */
    uint8_t state;
    struct takt_watchdog_in_process in_process[TAKT_PROCESSES];
};

#define TAKT_WATCHDOG_DEFINE(name, trace_id, of_task, in_ns, does, hooks)  \
    struct takt_watchdog name = {.call = {.function = takti_watchdog_due}, \
                                 .task = (of_task),                        \
                                 .hook = (hooks),                          \
                                 .time_ns = (in_ns),                       \
                                 .id = (trace_id),                         \
                                 .action = (does)}

/*
 * Initializes a stopped watchdog; `time_ns` > 0. `hook`: for NOTIFY, called in the timer interrupt, kernel unlocked;
 * otherwise NULL. RESTART must not be used with admission, since no proof can be made in an interrupt. Context: any,
 * while it is not in use. Blocks: never.
 */
void takt_watchdog_init(struct takt_watchdog *watchdog, uint16_t trace_id, struct takt_task *task, uint64_t time_ns,
                        enum takt_watchdog_action action, void (*hook)(struct takt_watchdog *watchdog));

/* Starts the watchdog now, whether the task runs or not. TAKT_STATE: it is started. O(timers). Context: any. Blocks:
 * never. */
TAKT_MUST_USE enum takt_status takt_watchdog_start(struct takt_watchdog *watchdog);

/*
 * Restarts the time: the watchdog expires `time_ns` from now and not before. No effect if it is stopped. O(1), no
 * timer. Context: task that it watches. Blocks: never.
 */
void takt_watchdog_kick(struct takt_watchdog *watchdog);

/*
 * Stops the watchdog. TAKT_STATE: it is stopped. A task that waits for its restart stays stopped. If the caller
 * interrupted the hook, that is still running. O(timers). Context: any. Blocks: never.
 */
enum takt_status takt_watchdog_stop(struct takt_watchdog *watchdog);

/* Number of expiries. Context: any. Blocks: never. O(1). */
uint32_t takt_watchdog_expired(const struct takt_watchdog *watchdog);

void takti_watchdog_due(struct takti_call *call);

TAKT_C_END

#endif
