/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_PROCESSES_H
#define TAKTI_PROCESSES_H

/* Interface between the kernel's services and the end and restart of processes: docs/processes.md, What a restart does.
 * Called with the kernel locked. */
#include "kernel/core/state.h"
#include "takt/alarm.h"
#include "takt/events.h"
#include "takt/mailbox.h"
#include "takt/pipe.h"
#include "takt/pool.h"
#include "takt/priority_mailbox.h"
#include "takt/process.h"
#include "takt/rendezvous.h"
#include "takt/signal.h"
#include "takt/slot.h"
#include "takt/watchdog.h"

/* Values of a record TAKT_EVENT_PROCESS besides enum takt_process_fault. */
enum {
    TAKTI_PROCESS_STARTED = 16,    /* its first task may run */
    TAKTI_PROCESS_STOP_CALL = 17,  /* takt_process_stop */
    TAKTI_PROCESS_START_CALL = 18, /* takt_process_start */
    TAKTI_PROCESS_ON_CALL = 19     /* at the start of the system: it does not run yet */
};

/* The process that made a change, for takt_alarm.by and others: its index plus one. */
#define TAKTI_BY(process) ((uint8_t)((process)->config->index + 1u))

/* Whether the process of a task runs, and all its tasks have started. */
bool takti_process_whole(const struct takt_task *task);

void takti_processes_start(const struct takt_system *system);

/* With TAKT_PROCESS_START, at the start of the system, once its tasks have started: stops those of processes that are
 * not started with it. O(tasks). restart.c, or unprotected.c */
void takti_processes_hold(const struct takt_system *system);

/*
 * At a switch, locked: `task` is switched out, perhaps in a call, with its stack pointer outside its stack. Stops its
 * process, with a record, before overwritten memory is used. Returns the task to run instead of `next`.
 */
struct takt_task *takti_process_stack_left(struct takt_task *task, uintptr_t stack_pointer, struct takt_task *next);

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
    return TAKT_PROCESSES && watchdog->in_process->paused;
}

/* Resets an alarm to its declaration: to the next declared expiry that keeps the minimum time after the last one.
 * O(timers). */
void takti_alarm_renew(struct takt_alarm *alarm);

/* Stops an alarm that a process created. O(timers). */
void takti_alarm_end(struct takt_alarm *alarm);

/* Number of stored messages. mailbox.c */
unsigned takti_mailbox_stored(const struct takt_mailbox *mailbox);
unsigned takti_priority_mailbox_stored(const struct takt_priority_mailbox *mailbox);

/* 1 if the flags satisfy the trigger. events.c */
unsigned takti_events_due(const struct takt_events *events);

/* 1 if there are enough bytes for the trigger. pipe.c */
unsigned takti_pipe_due(const struct takt_pipe *pipe);

/* Number of calls that wait to be accepted. O(waiters). rendezvous.c */
unsigned takti_rendezvous_calls(const struct takt_rendezvous *rendezvous);

/* Number of signals in a queue. signal.c */
unsigned takti_signals_stored(const struct takt_signal_queue *queue);

/* Whether the kernel copies the data of calls, instead of handing over its address. */
static inline bool takti_rendezvous_copies(const struct takt_rendezvous *rendezvous)
{
    return rendezvous->request_size > 0 || rendezvous->reply_size > 0;
}

/*
 * Signals of processes; signal.c. The copy of a signal in the memory of a task's process, which uses the pool. Of a
 * copy the signal, if that task holds it, or NULL. Whether the receiver's process has copies of such signals.
 */
struct takt_signal *takti_signal_copy(const struct takt_signal *signal, const struct takt_task *task);
struct takt_signal *takti_signal_of(const struct takt_signal_pool *pool, const struct takt_signal *copy,
                                    const struct takt_task *task);
bool takti_signal_fits(const struct takt_signal *signal, const struct takt_task *receiver);

/* Number and data of a signal, from the copy of its holder, and to that of its receiver, which is returned. O(size). */
void takti_signal_send_copy(struct takt_signal *signal, const struct takt_signal *copy);
struct takt_signal *takti_signal_receive_copy(const struct takt_signal *signal, const struct takt_task *receiver);

/* At the end of a process: signal `index` of those ever used, or NULL; whether a task of that process holds it; its
 * return to the pool; and that of the first one in a queue, false: there is none. */
struct takt_signal *takti_signal_at(const struct takt_signal_pool *pool, unsigned index);
bool takti_signal_held_by(const struct takt_signal *signal, uint8_t process);
void takti_signal_put(struct takt_signal *signal);
bool takti_signal_drop(struct takt_signal_queue *queue);

/*
 * Blocks of processes; pool.c. The block of a token, which the task's process has from now on; token `index`, or NULL;
 * of a block the token, if that process has it, or NULL; its return, to a waiter or the pool: one insertion.
 */
void *takti_pool_block(const struct takt_pool *pool, void *token, const struct takt_task *task);
struct takti_pool_token *takti_pool_token_at(const struct takt_pool *pool, uintptr_t index);
struct takti_pool_token *takti_pool_token_of(const struct takt_pool *pool, const void *block, unsigned process);
void takti_pool_return(struct takt_pool *pool, struct takti_pool_token *token);

/*
 * Slots of processes; slot.c. Whether a task owns it. The kernel's buffer of the copy at `message`, if the task's
 * process has reserved it, with the message copied; or if the task, the owner, has taken it; or NULL. O(size +
 * capacity).
 */
bool takti_slot_is_owner(const struct takt_slot *slot, const struct takt_task *task);
void *takti_slot_reserved(struct takt_slot *slot, const void *message, const struct takt_task *task);
void *takti_slot_taken(const struct takt_slot *slot, const void *message, const struct takt_task *task);

/* Number of committed messages that are not taken; the task that they release, or NULL. */
unsigned takti_slot_stored(const struct takt_slot *slot);
struct takt_task *takti_slot_trigger(const struct takt_slot *slot);

/*
 * At the end of a process: buffer `index` of those ever used, or NULL; whether the process has reserved it; its return,
 * O(waiters). Whether a task of the process owns the slot; return of the next message that it has taken, or, if
 * `committed`, of the next that it has not: false: there is none. After that the slot is as before it was allocated, or
 * with messages of others (`shared`) closed without an owner: O(waiters).
 */
struct takt_message_buffer *takti_slot_buffer_at(const struct takt_slot *slot, unsigned index);
bool takti_slot_reserved_by(const struct takt_slot *slot, const struct takt_message_buffer *entry, unsigned process);
void takti_slot_return(struct takt_slot *slot, struct takt_message_buffer *entry);
bool takti_slot_owned_by(const struct takt_slot *slot, unsigned process);
bool takti_slot_drop(struct takt_slot *slot, bool committed);
void takti_slot_end(struct takt_slot *slot, bool shared);

/* The handle of a task; of a thread the one of its slot. process.c */
uintptr_t takti_task_handle(const struct takt_task *task);

/* takt_task_resume without a switch. task.c */
void takti_task_resume(struct takt_task *task);

/* Index of the process of a task; UINT8_MAX: it is of none. process.c */
uint8_t takti_process_index(const struct takt_task *task);

#if TAKT_PROCESSES
/* kernel/process/process.c: whether a task may be started: its process was not stopped. */
bool takti_process_runs(const struct takt_task *task);

/* NULL: the task is of no process. */
static inline struct takt_process *takti_process_of(const struct takt_task *task)
{
    return task->config->process;
}

/* The table of objects with handles, which begins with the tasks of the system. */
static inline const struct takt_object *takti_objects(void)
{
    return takti_kernel.system->objects;
}

static inline unsigned takti_object_count(void)
{
    return takti_kernel.system->object_count;
}
#else
static inline bool takti_process_runs(const struct takt_task *task)
{
    (void)task;
    return true;
}

static inline struct takt_process *takti_process_of(const struct takt_task *task)
{
    (void)task;
    return NULL;
}

static inline const struct takt_object *takti_objects(void)
{
    return NULL;
}

static inline unsigned takti_object_count(void)
{
    return 0;
}
#endif

#endif
