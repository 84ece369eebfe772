/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PROCESSES_H
#define TAKTI_PROCESSES_H

/* Interface between the kernel's services and the end and restart of processes: docs/processes.md, What a restart does.
 * Called with the kernel locked. */
#include "kernel/core/state.h"
#include "takt/alarm.h"
#include "takt/mailbox.h"
#include "takt/watchdog.h"

#if TAKT_PROCESSES
/* The process that made a change, for takt_alarm.by and others: its index plus one. */
#define TAKTI_BY(process) ((uint8_t)((process)->config->index + 1u))

/* kernel/process/process.c: whether a task may be started: its process was not stopped. */
bool takti_process_runs(const struct takt_task *task);

/* Whether the process of a task runs, and all its tasks have started. */
bool takti_process_whole(const struct takt_task *task);

void takti_processes_start(const struct takt_system *system);

/* Called when takt_system.init has started the objects declared so. O(objects). */
void takti_processes_declare(const struct takt_system *system);

/* Pauses a watchdog whose task's process ends, until the process has restarted. */
void takti_watchdog_pause(struct takt_watchdog *watchdog);
void takti_watchdog_continue(struct takt_watchdog *watchdog);

/* Resets a watchdog to its declaration; `ends`: once the process of its task has started. O(timers). */
void takti_watchdog_renew(struct takt_watchdog *watchdog, bool ends);
void takti_watchdog_declare(struct takt_watchdog *watchdog);
bool takti_watchdog_watches(const struct takt_watchdog *watchdog);

static inline bool takti_watchdog_paused(const struct takt_watchdog *watchdog)
{
    return watchdog->in_process->paused;
}

/* Resets an alarm to its declaration: to the next declared expiry that keeps the minimum time after the last one.
 * O(timers). */
void takti_alarm_renew(struct takt_alarm *alarm);

/* Number of stored messages. mailbox.c */
unsigned takti_mailbox_stored(const struct takt_mailbox *mailbox);

/* takt_task_resume without a switch. task.c */
void takti_task_resume(struct takt_task *task);
#else
static inline bool takti_process_runs(const struct takt_task *task)
{
    (void)task;
    return true;
}

static inline bool takti_watchdog_paused(const struct takt_watchdog *watchdog)
{
    (void)watchdog;
    return false;
}
#endif

#endif
