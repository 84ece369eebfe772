/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PROCESSES_H
#define TAKTI_PROCESSES_H

/* What the kernel's services know of processes that end and start anew: docs/processes.md, What a restart does. Called
 * with the kernel locked. */
#include "kernel/core/state.h"
#include "takt/alarm.h"
#include "takt/mailbox.h"
#include "takt/watchdog.h"

#if TAKT_PROCESSES
/* Who made a change, as takt_alarm.by and others keep it: an index, and one more. */
#define TAKTI_BY(process) ((uint8_t)((process)->config->index + 1u))

/* kernel/process/process.c: whether a task may be started: its process was not stopped. */
bool takti_process_runs(const struct takt_task *task);

/* Whether the process of a task runs, and all its tasks have started. */
bool takti_process_whole(const struct takt_task *task);

void takti_processes_start(const struct takt_system *system);

/* takt_system.init has started what is declared to be started. O(objects). */
void takti_processes_declare(const struct takt_system *system);

/* The process of its task ends: nobody kicks until it has started again. */
void takti_watchdog_pause(struct takt_watchdog *watchdog);
void takti_watchdog_continue(struct takt_watchdog *watchdog);

/* As it is declared, whoever started or stopped it; `ends`: once the process of its task has started. O(timers). */
void takti_watchdog_renew(struct takt_watchdog *watchdog, bool ends);
void takti_watchdog_declare(struct takt_watchdog *watchdog);
bool takti_watchdog_watches(const struct takt_watchdog *watchdog);

static inline bool takti_watchdog_paused(const struct takt_watchdog *watchdog)
{
    return watchdog->paused;
}

/* As if nobody had started or stopped it: it waits for the next of the instants that are declared and that keeps its
 * distance to the last one that came. O(timers). */
void takti_alarm_renew(struct takt_alarm *alarm);

/* Messages that wait. mailbox.c */
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
