/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TASK_H
#define TAKT_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "takt/engine.h"
#include "takt/protection.h"
#include "takt/time.h"
#if TAKT_PROCESSES
#include "takt_port_inline.h" /* struct takt_port_context */
#endif
#include "takt_preset.h"
#include "takt_sched.h"

/* Whether a task knows all mutexes that it holds: what can end in the middle of a section has to give them up. */
#define TAKT_TRACKS_HELD_MUTEXES (TAKT_BUDGETS || TAKT_PROCESSES)

struct takt_budget;
struct takt_mutex;
struct takt_process;
struct takt_task;

/* What happens to a job that is late (DESIGN, "Jobs"). */
enum takt_policy {
    TAKT_MISS_CONTINUE, /* releases queue up behind it */
    TAKT_MISS_SKIP,     /* releases that come while a job is unfinished are dropped and counted as lost */
    TAKT_MISS_STOP,     /* the task is stopped at the deadline, or at its last unlock after it */
    TAKT_MISS_NOTIFY    /* `miss_hook` is called at the deadline; then as CONTINUE */
};

enum takt_release_kind { TAKT_BACKGROUND, TAKT_PERIODIC, TAKT_SPORADIC };

enum takt_style {
    TAKT_STYLE_ENTRY, /* `entry` is called once per job */
    TAKT_STYLE_LOOP   /* `entry` is called once and calls takt_job_wait itself; the first job is released before it */
};

/*
 * What a task is: constant, usually generated into flash. `level` is the rank in the bitmap of levels, 0 the highest;
 * a fixed band spans one level per group of equals, an edf band is one level (takt_system.edf_levels). A background
 * task has no deadline, so its level is fixed.
 */
struct takt_task_config {
    uint8_t release; /* enum takt_release_kind. First what is small: shorter instructions reach it there */
    uint8_t style;   /* enum takt_style */
    uint8_t on_miss; /* enum takt_policy */
    uint8_t level;
    uint16_t index;      /* of its own, in the declaration: decides ties, names it in the trace */
    uint32_t stack_size; /* bytes */
    const char *name;
    void (*entry)(void *argument);
    void *argument;
    void *stack;                                /* lowest address, aligned to 8 */
    uint64_t period_ns;                         /* period or minimum inter-arrival; 0 for a background task */
    uint64_t deadline_ns;                       /* relative to the release, > 0, <= TAKT_FOREVER / 2; 0: background */
    uint64_t offset_ns;                         /* periodic: first release after takt_start or takt_task_start */
    uint64_t wcet_ns;                           /* for admission and synthetic loads; takt/budget.h enforces */
    struct takt_task_statistics *statistics;    /* what it counts about itself; or NULL: nothing */
    struct takt_arrivals *arrivals;             /* sporadic: its own; else NULL */
    struct takt_deadline_timer *deadline_timer; /* TAKT_MISS_STOP and TAKT_MISS_NOTIFY: its own; else NULL */
    void (*miss_hook)(struct takt_task *task);  /* TAKT_MISS_NOTIFY: called in an interrupt, kernel unlocked; or NULL */
#if TAKT_BUDGETS
    struct takt_budget *budget; /* its own; or NULL: it executes for as long as it likes */
#endif
#if TAKT_PROCESSES
    struct takt_process *process; /* whose it is; NULL: idle */
#endif
};

/* An instant that the kernel waits for. Private; kernel lock. */
struct takt_timer {
    uint64_t at_ns;
    struct takt_timer *next;      /* the next one for the same instant, in the order in which they were armed */
    struct takt_timer *previous;  /* the one before it; of the first: the last */
    uint16_t armed;               /* or 0. takti_has_plain_wait */
    uint8_t flags;                /* of a task: TAKTI_FLAG_* */
    uint8_t state;                /* whose it is, and of a task's its state: enum takti_state */
    struct takt_mutex *contended; /* of a task: those that it holds and others wait for; read with takt_task.next */
#if TAKT_ENGINE_RTM
    uint16_t record; /* of the task manager, one more than its number, and whether it stays; 0: none */
#endif
};

/* Sporadic releases that wait: until their minimum distance has passed, or for the job before them. */
struct takt_arrivals {
    uint64_t *releases_ns; /* `capacity` places, the caller's */
    uint64_t last_ns;      /* private, like the rest: the last release, waiting ones included; TAKT_FOREVER: none yet */
    uint16_t capacity;     /* > 0 */
    uint16_t first;
    uint16_t count;
};

/* Policies notify and stop look at the clock when a deadline passes. Private; zero before the first start. */
struct takt_deadline_timer {
    struct takt_timer timer;
    struct takt_task *task;
};

/* An instant at which the kernel calls a function, in the timer's interrupt, unlocked. Private; zero before the first.
 */
struct takti_call {
    struct takt_timer timer;
    void (*function)(struct takti_call *call);
};

/* What a task counts about itself. Owner: the kernel, under its lock. */
struct takt_task_statistics {
    uint32_t jobs_completed;
    uint32_t misses;
    uint32_t overruns;               /* releases that found the previous job unfinished, seen when that one ended */
    uint32_t lost;                   /* releases dropped */
    uint64_t first_miss_deadline_ns; /* of the first job that missed; 0: none did */
    uint64_t response_ns_max;        /* kept by presets with trace */
    uint64_t execution_ns_max;       /* kept by presets with trace */
};

union takti_level;

/* What a task that waited in a queue has been handed: field `hands`, the third byte two pointers after the queue. */
enum takti_hands {
    TAKTI_HANDS_LOCK,
    TAKTI_HANDS_CEILING,
    TAKTI_HANDS_UNIT,
    TAKTI_HANDS_BLOCK,
    TAKTI_HANDS_MESSAGE,
    TAKTI_HANDS_LETTER,
    TAKTI_HANDS_FLAGS,
    TAKTI_HANDS_BYTES,
    TAKTI_HANDS_SIGNAL,
    TAKTI_HANDS_TAKEN,  /* a message of a slot */
    TAKTI_HANDS_BUFFER, /* in a slot */
    TAKTI_HANDS_CALL,
    TAKTI_HANDS
};

/* takt/mutex.h */
struct takt_mutex {
    struct takt_task *waiters; /* private: best key first, FIFO among equals; kernel lock. Must stay first. */
    struct takt_task *owner;   /* private */
    uint16_t id;               /* private: names it in the trace */
    uint8_t hands;             /* private: LOCK or CEILING */
#if TAKT_QUOTAS
    bool lent : 1;    /* private: kernel/sync/wait.c, lend_place */
    bool created : 1; /* private: from a quota, it lends its owner no key: kernel/sync/inherit.c */
#else
    bool lent; /* private: kernel/sync/wait.c, lend_place */
#endif
    struct takt_mutex *next_contended; /* private: the owner's list, while somebody waits */
#if TAKT_TRACKS_HELD_MUTEXES
    struct takt_mutex *next_held; /* private: the owner's list of all */
#endif
#if TAKT_PROCESSES
    uint8_t broken_by; /* private: process that ended in the section, while it is broken; UINT8_MAX: a task of none */
#endif
};

/*
 * A task. The caller owns the storage, from takt_task_start until it is stopped or deleted; every field is private and
 * under the kernel lock. Fields that are used together lie together: two at a time are one access on some processors.
 */
struct takt_task {
    /* Of the port, at a switch: saved context. Must stay first. */
    void *stack_pointer;

    /* core/task.c, at its start */
    const struct takt_task_config *config;

    /* time/timer.c: its next release, or the end of its delay or wait. `state` and `flags`: whatever changes its state
     */
    struct takt_timer timer;

    /* core/ready.h while it is ready, sync/wait.c while it is blocked */
    struct takt_task *next;     /* in a fixed level's circle of ready tasks, or in a queue of waiters */
    struct takt_task *previous; /* in the circle */

    /* core/task.c at its start, then sync/inherit.c: its key in effect (with key_deadline_ns) */
    union takti_level *level; /* where it is, or would be, when it is ready; NULL before all */
    uint32_t level_bit;       /* of that level, in its word of the bitmap */

    /* jobs/job.c: of the current job, or of the last */
    uint64_t job_deadline_ns;

    /* sync/wait.c, and the object that it waits for */
    struct takt_task **wait_queue; /* blocked: the queue that it is in; then, until it runs: kernel/sync/handed.c */
    void *wait_buffer;             /* mailbox: where the message goes to or comes from */

    /* sync/ */
    struct takt_mutex *hint; /* hint.c: takt/hint.h */
    uint32_t holds;          /* mutex.h: mutexes held, and TAKTI_HOLDS unless it is to be stopped at the last unlock */
#if TAKT_EDF
    uint64_t key_deadline_ns; /* inherit.c, and jobs/job.c at a release: in effect in an edf level; 0 in a fixed one */
#endif

    /* core/dispatch.c */
#if TAKT_SLICES
    uint64_t slice_left_ns;
#endif

    /* sync/mutex.h */
#if TAKT_TRACKS_HELD_MUTEXES
    struct takt_mutex *held; /* all that it holds, the last first */
#endif

    /* For the trace: interrupt.c, job.c, trace.c, wait.c */
#if TAKT_TRACE
    uint64_t execution_ns;   /* of the current job; modulo 2^64 while it has only kernel time in it */
    uint32_t job_number;     /* of the current job, from 0 */
    uint32_t trace_identity; /* band and index as the trace writes them */
    uint16_t wait_object;
#endif

    /* With processes: the call that it is in, rendezvous.c, process/, the port */
#if TAKT_PROCESSES
    uintptr_t kept[5];         /* what a call that waits keeps where an unprotected one has it on its stack */
    struct takt_mutex serving; /* the call of a rendezvous that it serves: one at a time */
    uint8_t managed_by;        /* TAKTI_BY of another process that suspended or stopped it; 0: none did */
    struct takt_port_context context;
#endif
};

/*
 * Starts `task` as `config` says: the first release of a periodic task comes `offset_ns` from now (from 0 in
 * takt_system.init); a sporadic one waits for its trigger; a background task is ready at once. With admission
 * (takt_system.admission) a started system answers TAKT_REFUSED or TAKT_UNDECIDED (also while another task makes a
 * proof) and leaves everything as it was when the set with this task is not proved feasible. Context: task, init.
 * Blocks: never. The proof is preemptible, and bounded by takt_admission.iterations. TAKT_STATE: the task is not
 * stopped; TAKT_LIMIT: no room for admission. Storage that was never started is zero; no other task that is not stopped
 * has the same config->index. `config` and its stack stay as long as the task is not stopped. A task that starts again
 * with the same `config` goes on counting its statistics; its jobs are numbered from 0 again.
 */
TAKT_MUST_USE enum takt_status takt_task_start(struct takt_task *task, const struct takt_task_config *config);

/*
 * Stops a task: its job is abandoned (a miss, if its deadline has passed) and no more are released; it may be started
 * again. A task that holds mutexes is stopped at its last unlock (a suspended one has to be resumed for that); in a
 * cooperative system the running job ends first. Nothing happens to a stopped task. Waiters that inherited to others
 * through it are put right. What it waited for and was handed since, but has not run to get, goes to the next waiter or
 * back to the object as the first there: a unit, block, message, lock, flag that it cleared, byte, signal, place or
 * call. O(waiters), and of a call of a rendezvous, slot or pipe as that of giving it back. It goes on counting for
 * admission until its deadline or next release. Context: task, interrupt. Blocks: never; a task that stops itself does
 * not go on.
 */
void takt_task_stop(struct takt_task *task);

/*
 * As takt_task_stop, and the storage and the stack are the caller's again once takt_task_stopped says so; in an
 * interrupt that stopped the task which it interrupted, only after it has returned. Context: task, interrupt. Blocks:
 * never.
 */
void takt_task_delete(struct takt_task *task);

/* Whether the task is stopped. Context: any. Blocks: never. */
bool takt_task_stopped(const struct takt_task *task);

/*
 * Takes the task from the processor until takt_task_resume; waits, releases and deadlines go on, mutexes that it holds
 * stay held. Does not count: one resume ends it. A ready task that is resumed goes behind its equals. A stopped task
 * ignores both. Context: any; a cooperative job that suspends itself ends first. Blocks: until it is resumed, whoever
 * suspends itself.
 */
void takt_task_suspend(struct takt_task *task);
/* Ends it; nothing happens to a task that is not suspended. Context: any. Blocks: never. */
void takt_task_resume(struct takt_task *task);

/* The task that runs; NULL in idle or before the start. Context: any; in an interrupt: the interrupted task. Blocks:
 * never. */
struct takt_task *takt_task_running(void);

/* Gives way to equals: the calling task goes behind the ready tasks of its fixed level. Nothing in an edf level.
 * Context: task. Blocks: never. */
void takt_task_yield(void);

/* A copy of what the task has counted. Context: any. Blocks: never. */
struct takt_task_statistics takt_task_statistics(const struct takt_task *task);

/*
 * Ends the current job and blocks until the next is released; goes straight on when it has been. Context: task of style
 * loop with a period or inter-arrival, not cooperative, no mutex held. Blocks: until the next release. The job's
 * instants are absolute, so releases do not drift.
 */
void takt_job_wait(void);

/* Release and deadline of the calling task's job, absolute ns. Context: task with a period or inter-arrival. Blocks:
 * never. */
uint64_t takt_job_release_ns(void);
uint64_t takt_job_deadline_ns(void);

/*
 * A sporadic task's trigger came: releases a job now, or, when that is closer than the minimum inter-arrival, at last
 * release + minimum. At most `arrivals->capacity` releases wait; more are lost and counted, and with policy skip every
 * one that comes while a job is unfinished. A stopped task ignores it, as does one that was never started. In
 * takt_system.init the instant is 0. One insertion into the ready queue, at most one timer armed: O(timers). Context:
 * any. Blocks: never.
 */
void takt_job_release(struct takt_task *task);

/*
 * The same for `at_ns` (absolute), or now when that has passed: so a job says when its task is to be released again, as
 * the jobs of a cooperative system may that has no periods (the seed's NOS). Releases come in the order in which they
 * were asked for. Never, for TAKT_FOREVER: that counts as lost. Context: any. Blocks: never.
 */
void takt_job_release_at(struct takt_task *task, uint64_t at_ns);

#endif
