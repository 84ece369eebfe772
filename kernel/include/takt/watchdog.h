/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_WATCHDOG_H
#define TAKT_WATCHDOG_H

#include "takt/task.h"

/* What happens when a task has not kicked its watchdog in time. */
enum takt_watchdog_action {
    TAKT_WATCHDOG_NOTIFY, /* its hook is called, and the time begins anew */
    TAKT_WATCHDOG_STOP,   /* the task is stopped (takt_task_stop), and the watchdog too */
    /*
     * The task is stopped, and started again at its next release, as if none had been lost in between: so what was
     * proved stays so. A background task: after the time of its watchdog. One that is not stopped by then, because it
     * holds a mutex, waits for the release after that.
     */
    TAKT_WATCHDOG_RESTART,
    TAKT_WATCHDOG_HALT /* the system stops with TAKT_FAULT_WATCHDOG */
};

/*
 * A task's watchdog. It looks when the time of a kick is over, whether there was another: a kick takes no timer, and
 * the timer's interrupts for it are at most two in each `time_ns`. Needs a place of TAKT_TIMERS_DEFINE.
 */
struct takt_watchdog {
    struct takti_call call; /* private, as the rest: kernel lock. Must stay first */
    struct takt_task *task; /* constant, as the next two */
    void (*hook)(struct takt_watchdog *watchdog);
    uint64_t time_ns;
    uint64_t until_ns; /* it expires, unless it is kicked */
    uint32_t expired;
    uint16_t id;    /* names it in the trace */
    uint8_t action; /* constant: enum takt_watchdog_action */
    uint8_t state;
#if TAKT_PROCESSES
    bool paused;   /* its task's process ended, and it will watch again */
    bool declared; /* it watches from the start of the system on */
    uint8_t by;    /* as of an alarm */
#endif
};

#define TAKT_WATCHDOG_DEFINE(name, trace_id, of_task, in_ns, does, hooks)  \
    struct takt_watchdog name = {.call = {.function = takti_watchdog_due}, \
                                 .task = (of_task),                        \
                                 .hook = (hooks),                          \
                                 .time_ns = (in_ns),                       \
                                 .id = (trace_id),                         \
                                 .action = (does)}

/*
 * A stopped watchdog; `time_ns` > 0. `hook`: for NOTIFY, called in the timer's interrupt, kernel unlocked; else NULL.
 * RESTART is not for systems with admission, which cannot prove in an interrupt. Context: any, while nobody uses it.
 * Blocks: never.
 */
void takt_watchdog_init(struct takt_watchdog *watchdog, uint16_t trace_id, struct takt_task *task, uint64_t time_ns,
                        enum takt_watchdog_action action, void (*hook)(struct takt_watchdog *watchdog));

/* Its time begins now, whether the task runs or not. TAKT_STATE: it has begun. O(timers). Context: any. Blocks:
 * never. */
TAKT_MUST_USE enum takt_status takt_watchdog_start(struct takt_watchdog *watchdog);

/*
 * Its time begins anew: it expires `time_ns` from now and not before. One that is stopped stays so. O(1), no timer.
 * Context: task that it watches. Blocks: never.
 */
void takt_watchdog_kick(struct takt_watchdog *watchdog);

/*
 * TAKT_STATE: it is stopped. A task that waits to be restarted stays stopped. Its hook may be under way in what this
 * call interrupted. O(timers). Context: any. Blocks: never.
 */
enum takt_status takt_watchdog_stop(struct takt_watchdog *watchdog);

/* How often it has expired. Context: any. Blocks: never. O(1). */
uint32_t takt_watchdog_expired(const struct takt_watchdog *watchdog);

void takti_watchdog_due(struct takti_call *call);

#endif
