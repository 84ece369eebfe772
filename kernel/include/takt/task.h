/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TASK_H
#define TAKT_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"
#include "takt/engine.h"
#include "takt/protection.h"
#include "takt/time.h"
#include "takt_preset.h"
#include "takt_sched.h"

TAKT_C_BEGIN

#if TAKT_PROCESSES
#include "takt_port_inline.h"
#else
struct takt_port_context { /* the port's, with processes */
    char none;
};
#endif

/*
 * A member that a kernel has only with a feature is an array of one element or none, by the feature's constant: so
 * `if (TAKT_TRACE) { task->trace->job_number++; }` compiles in every kernel, and takes no memory where it is off.
 */

/* Whether each task has a list of the mutexes that it holds, needed where a task can end inside a critical section. */
#define TAKT_TRACKS_HELD_MUTEXES (TAKT_BUDGETS || TAKT_PROCESSES)

/* Whether sporadic tasks may be released in bursts. A build defines it for a system that declares any. */
#ifndef TAKT_BURSTS
#define TAKT_BURSTS 0
#endif

/* Whether tasks may share budgets (takt/server.h). A build defines it for a system that declares a server. */
#ifndef TAKT_SERVERS
#define TAKT_SERVERS 0
#endif

/* Whether a task that inherits from one of an edf level has that one's order among equal deadlines, too. Then it takes
 * over the place of its waiter in the queue of the level: kernel/engine/shared/ready.h. */
#define TAKT_INHERITS_ORDER (TAKT_EDF && !TAKT_SINGLE_PATH && !TAKT_SERVERS)

/* Whether hints (takt/hint.h) have an effect in a kernel with edf bands where a contended lock costs less without: then
 * it does without what makes it so. A build defines it to study hints. */
#ifndef TAKT_HEEDS_HINTS
#define TAKT_HEEDS_HINTS 0
#endif

/* Whether objects may have waiters in FIFO order. A build defines it for a system that declares any (`waiters`). */
#ifndef TAKT_FIFO_WAITERS
#define TAKT_FIFO_WAITERS 0
#endif

/* Whether each task has a block of the C library's thread-local storage, errno in it. A build defines it for a system
 * whose code reads such variables; else one block is for all tasks, or for those of a process. */
#ifndef TAKT_THREAD_LOCAL
#define TAKT_THREAD_LOCAL 0
#endif

/* The definition of an object with such waiters; in a kernel that has none a message of the compiler. */
#if TAKT_FIFO_WAITERS
#define TAKTI_FIFO(...) __VA_ARGS__
#else
#define TAKTI_FIFO(...) \
    TAKT_STATIC_ASSERT(TAKT_FIFO_WAITERS, "declare an object with waiters = \"fifo\" in system.toml")
#endif

struct takt_budget;
struct takt_mutex;
struct takt_process;
struct takt_task;

/* Policy for a job that misses its deadline (DESIGN, "Jobs"). */
enum takt_policy {
    TAKT_MISS_CONTINUE, /* later releases are queued */
    TAKT_MISS_SKIP,     /* releases that come while a job is unfinished are dropped and counted as lost */
    TAKT_MISS_STOP,     /* the task is stopped at the deadline, or at its last unlock after it */
    TAKT_MISS_NOTIFY    /* `miss_hook` is called at the deadline; then as CONTINUE */
};

enum takt_release_kind { TAKT_BACKGROUND, TAKT_PERIODIC, TAKT_SPORADIC };

enum takt_style {
    TAKT_STYLE_ENTRY, /* `entry` is called once per job */
    TAKT_STYLE_LOOP   /* `entry` is called once, at the first release, and calls takt_job_wait itself */
};

/*
 * Description of a task: constant, usually generated, in flash. `level` is its index in the bitmap of levels, 0 the
 * highest; a fixed band has one level per priority, an edf band is one level (takt_system.edf_levels). A background
 * task has no deadline, so its level is fixed, unless a server gives it one (takt/server.h).
 */
struct takt_task_config {
    uint8_t release; /* enum takt_release_kind. Small fields come first: shorter instructions reach them */
    uint8_t style;   /* enum takt_style */
    uint8_t on_miss; /* enum takt_policy */
    uint8_t level;
    uint16_t index;      /* position in the declaration, unique: decides ties, names the task in the trace */
    uint32_t stack_size; /* bytes */
    void *stack;         /* lowest address, aligned to 8 */
    const char *name;
    void (*entry)(void *argument);
    void *argument;
    uint64_t period_ns;                         /* period or minimum inter-arrival; 0 for a background task */
    uint64_t deadline_ns;                       /* relative to the release, > 0, <= TAKT_FOREVER / 2; 0: background */
    uint64_t offset_ns;                         /* periodic: first release after takt_start or takt_task_start */
    uint64_t wcet_ns;                           /* for admission and synthetic loads; takt/budget.h enforces */
    struct takt_task_statistics *statistics;    /* NULL: nothing is counted */
    struct takt_arrivals *arrivals;             /* sporadic: one per task; otherwise NULL */
    struct takt_deadline_timer *deadline_timer; /* TAKT_MISS_STOP, TAKT_MISS_NOTIFY: one per task; otherwise NULL */
    void (*miss_hook)(struct takt_task *task);  /* TAKT_MISS_NOTIFY: called in an interrupt, kernel unlocked; or NULL */
#if TAKT_BUDGETS
    struct takt_budget *budget; /* one per task; NULL: its execution time is not limited */
#endif
#if TAKT_PROCESSES
    struct takt_process *process; /* its process; NULL: idle */
#endif
};

/* A timer of the kernel. Private; kernel lock. */
struct takt_timer {
    uint64_t at_ns;
    struct takt_timer *next; /* next timer with the same expiry, in the order of arming */
    union {
        struct takt_timer *previous; /* previous timer with the same expiry; of the first: the last */
        uint16_t record; /* record of the task manager: its number plus one, and whether it persists; 0: none */
    };
    uint16_t armed;               /* nonzero: it is armed. takti_has_plain_wait */
    uint8_t flags;                /* of a task's timer: TAKTI_FLAG_* */
    uint8_t state;                /* kind of the timer; of a task's timer the state of the task: enum takti_state */
    struct takt_mutex *contended; /* of a task: its contended mutexes; read with takt_task.next */
};

/* Pending sporadic releases: they wait for the minimum inter-arrival time or for the end of the previous job. */
struct takt_arrivals {
    uint64_t *releases_ns; /* `capacity` entries, caller-owned */
    uint64_t last_ns; /* private, as all other fields: last release, pending ones included; TAKT_FOREVER: none yet */
    uint64_t burst_ns[TAKT_BURSTS];    /* how much sooner than period_ns apart they may come, in total; 0: no burst */
    uint64_t distance_ns[TAKT_BURSTS]; /* with burst_ns: least time between two */
    uint64_t regular_ns[TAKT_BURSTS];  /* last release as it would be period_ns apart, never before last_ns */
    uint16_t capacity;                 /* > 0 */
    uint16_t first;
    uint16_t count;
};

/* Timer at the deadline, for policies notify and stop. Private; zero before the first start. */
struct takt_deadline_timer {
    struct takt_timer timer;
    struct takt_task *task;
};

/* A timer whose expiry calls a function, in the timer interrupt, unlocked. Private; zero before its first use. */
struct takti_call {
    struct takt_timer timer;
    void (*function)(struct takti_call *call);
};

/* Statistics of a task. Owner: the kernel, under its lock. */
struct takt_task_statistics {
    uint32_t jobs_completed;
    uint32_t misses;
    uint32_t overruns;               /* releases while the previous job was unfinished, counted when it ends */
    uint32_t lost;                   /* releases dropped */
    uint64_t first_miss_deadline_ns; /* of the first job that missed; 0: none */
    uint64_t response_ns_max;        /* kept by presets with trace */
    uint64_t execution_ns_max;       /* kept by presets with trace */
};

union takti_level;

/* What an object hands over to a waiter: the field `hands`, the third byte two pointers after the queue of waiters. */
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
    TAKTI_HANDS_BUFFER, /* a buffer of a slot */
    TAKTI_HANDS_CALL,
    TAKTI_HANDS
};

/* takt/mutex.h */
struct takt_mutex {
    struct takt_task *waiters; /* private: by key, FIFO among equals, or all FIFO; kernel lock. Must stay first. */
    struct takt_task *owner;   /* private */
    uint16_t id;               /* private: names it in the trace */
    uint8_t hands;             /* private: LOCK or CEILING */
#if TAKT_QUOTAS
    bool lent : 1;    /* private: kernel/sync/wait.c, lend_position */
    bool created : 1; /* private: from a quota, ... */
    bool apart : 1;   /* private: ... whose owner inherits nothing: kernel/sync/inherit.c */
#else
    bool lent; /* private: kernel/sync/wait.c, lend_position */
#endif
    struct takt_mutex *next_contended; /* private: the owner's list of contended mutexes, while tasks wait */
    struct takt_mutex *next_held[TAKT_TRACKS_HELD_MUTEXES]; /* private: the owner's list of all held mutexes */
    uint8_t broken_by[TAKT_PROCESSES]; /* private: while it is broken, the process that ended in the section; UINT8_MAX:
                                          a task of no process */
    bool in_turn[TAKT_FIFO_WAITERS];   /* private: the waiters are in the order of their locks */
};

/* Members of a task for the trace. Written by interrupt.c, job.c, trace.c, wait.c */
struct takt_task_trace {
    uint64_t execution_ns; /* of the current job; modulo 2^64 while it contains only kernel time */
    uint32_t identity;     /* band and index, as in trace records */
    uint32_t job_number;   /* of the current job, from 0 */
    uint16_t wait_object;
};

/* Members of a task with processes. Written by the current call, rendezvous.c, process/, the port */
struct takt_task_in_process {
    uintptr_t kept[5];         /* variables of a blocked call, which an unprotected call has on its stack */
    struct takt_mutex serving; /* the call of a rendezvous that it serves; at most one */
    uint8_t managed_by;        /* TAKTI_BY of another process that suspended or stopped it; 0: none */
    struct takt_port_context context;
    void *exchange;      /* its buffer for that call, if the kernel copies the data: in memory of its process */
    uint32_t reply_size; /* bytes that go back to the caller; 0: none */
};

/*
 * A task. The caller owns the storage, from takt_task_start until it is stopped or deleted; every field is private and
 * under the kernel lock. Fields that are used together are adjacent: some processors load or store two at a time.
 */
struct takt_task {
    /* Owner: the port, at a switch: saved context. Must stay first. */
    void *stack_pointer;

    /* core/task.c, at its start */
    const struct takt_task_config *config;

    /* The engine: its next release, or the end of its delay or wait. `state` and `flags`: any change of its state */
    struct takt_timer timer;

    /* core/ready.h while it is ready, sync/wait.c while it is blocked */
    struct takt_task *next;     /* in a fixed level's circular list of ready tasks, or in a queue of waiters */
    struct takt_task *previous; /* in the circular list */

    /* core/task.c at its start, then sync/inherit.c: its effective key (with key_deadline_ns) */
    union takti_level *level; /* level in which it is queued when ready; NULL before the first start */
    uint32_t level_bit;       /* bit of that level in its word of the bitmap */

    /* jobs/job.c: of the current or last job */
    uint64_t job_deadline_ns;

    /* sync/wait.c, and the object waited for */
    struct takt_task **wait_queue; /* blocked: its queue; then, until it runs: kernel/sync/handed.c */
    void *wait_buffer;             /* mailbox: destination or source of the message */

    /* sync/ */
    struct takt_mutex *hint; /* hint.c: takt/hint.h */
    uint32_t holds;          /* mutex.h: mutexes held, plus TAKTI_HOLDS unless it is to be stopped at the last unlock */
    uint64_t key_deadline_ns[TAKT_EDF];  /* inherit.c, jobs/job.c at a release: effective in an edf level; 0 in a fixed
                                            one */
    uint16_t order[TAKT_INHERITS_ORDER]; /* with it: among equal deadlines; the index of the task whose key it is */

    /* core/dispatch.c */
    uint64_t slice_left_ns[TAKT_SLICES];

    /* core/task.c at its start, for the port: its block of thread-local storage, at the top of its stack */
    uint8_t *tls[TAKT_THREAD_LOCAL];

    struct takt_task_trace trace[TAKT_TRACE];

    /* sync/held.c: all held mutexes, the latest first */
    struct takt_mutex *held[TAKT_TRACKS_HELD_MUTEXES];

    struct takt_task_in_process in_process[TAKT_PROCESSES];
};

/*
 * Starts `task` as `config` says: the first release of a periodic task comes `offset_ns` from now (from 0 in
 * takt_system.init); a sporadic one waits for its trigger; a background task is ready at once. With admission
 * (takt_system.admission), on a started system: TAKT_REFUSED or TAKT_UNDECIDED (also while another task makes a proof)
 * when the set with this task is not proved feasible; nothing is changed then. Context: task, init. Blocks: never. The
 * proof is preemptible, and bounded by takt_admission.iterations. TAKT_STATE: the task is not stopped; TAKT_LIMIT: no
 * free entry for admission. The storage must be zero before the first start; no other task that is not stopped may have
 * the same config->index. `config` and the stack must stay until the task is stopped. A task that is started again with
 * the same `config` continues its statistics; its jobs are numbered from 0 again.
 */
TAKT_MUST_USE enum takt_status takt_task_start(struct takt_task *task, const struct takt_task_config *config);

/*
 * Stops a task: its job is abandoned (a miss, if its deadline has passed) and no more are released; it may be started
 * again. A task that holds mutexes is stopped at its last unlock (a suspended task must be resumed for that); in a
 * cooperative system the running job ends first. No effect on a stopped task. Inheritance through it is recomputed. If
 * it was handed an item and has not run since, the item goes to the next waiter or back to the object, as the first
 * there: a unit, block, message, lock, flag that it cleared, byte, signal, buffer or call. O(waiters); for a call of a
 * rendezvous, slot or pipe as for returning the item. The task counts for admission until its deadline or next release.
 * Context: task, interrupt. Blocks: never; does not return to a task that stops itself.
 */
void takt_task_stop(struct takt_task *task);

/*
 * As takt_task_stop; the storage and the stack are the caller's again once takt_task_stopped returns true. An interrupt
 * that stops the task that it interrupted must return first. Context: task, interrupt. Blocks: never.
 */
void takt_task_delete(struct takt_task *task);

/* Whether the task is stopped. Context: any. Blocks: never. */
bool takt_task_stopped(const struct takt_task *task);

/*
 * Suspends the task until takt_task_resume: it does not run; its waits, releases and deadlines continue, and its
 * mutexes stay held. Does not nest: one resume ends it. A ready task that is resumed is queued behind its equals. No
 * effect on a stopped task. Context: any; a cooperative job that suspends itself ends first. Blocks: until it is
 * resumed, a task that suspends itself.
 */
void takt_task_suspend(struct takt_task *task);
/* Resumes the task; no effect if it is not suspended. Context: any. Blocks: never. */
void takt_task_resume(struct takt_task *task);

/*
 * Ends the wait of a task for an object: its call returns TAKT_CANCELLED, and has had no effect, as at a timeout; that
 * of a pipe may have moved some bytes, and that of a condition has locked the mutex again. A delay ends early. A
 * suspended task stays suspended. TAKT_STATE, without effect: the task does not wait, or for its next release, or it
 * waits for the end of a call of a rendezvous that was accepted, or for the mutex of a condition that was signalled.
 * O(waiters); for a mutex also O(mutexes held) of each owner in the chain. Context: any. Blocks: never.
 */
TAKT_MUST_USE enum takt_status takt_task_cancel(struct takt_task *task);

/* The running task; NULL in idle or before the start. Context: any; in an interrupt: the interrupted task. Blocks:
 * never. */
struct takt_task *takt_task_running(void);

/* Queues the calling task behind the ready tasks of its fixed level. No effect in an edf level. Context: task. Blocks:
 * never. */
void takt_task_yield(void);

/* A copy of the statistics of the task. Context: any. Blocks: never. */
struct takt_task_statistics takt_task_statistics(const struct takt_task *task);

/*
 * Ends the current job and blocks until the next release; returns at once if it is due. Context: task of style loop
 * with a period or inter-arrival, not cooperative, no mutex held. Blocks: until the next release. Release times are
 * absolute and do not drift.
 */
void takt_job_wait(void);

/* Release and deadline of the calling task's job, absolute ns. Context: task with a period or inter-arrival. Blocks:
 * never. */
uint64_t takt_job_release_ns(void);
uint64_t takt_job_deadline_ns(void);

/*
 * Triggers a sporadic task: releases a job now, or at the last release plus the minimum inter-arrival time if that is
 * later; with a declared burst, at the earliest time that it allows. At most `arrivals->capacity` releases are pending;
 * further ones are lost and counted, as is, with policy skip, every one while a job is unfinished. No effect on a task
 * that is stopped or was never started. In takt_system.init the time is 0. One insertion into the ready queue, at most
 * one timer armed: O(timers). Context: any. Blocks: never.
 */
void takt_job_release(struct takt_task *task);

/*
 * As takt_job_release for `at_ns` (absolute), or now if that has passed: a job can release its own task again, as in a
 * cooperative system without periods (the seed's NOS). Releases occur in the order of the calls. TAKT_FOREVER: no
 * release, counted as lost. Context: any. Blocks: never.
 */
void takt_job_release_at(struct takt_task *task, uint64_t at_ns);

TAKT_C_END

#endif
