/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BUDGET_H
#define TAKT_BUDGET_H

#include "base/dialect.h"
#include "takt/task.h"

TAKT_C_BEGIN

/* Action when a job exceeds its budget. */
enum takt_budget_policy {
    TAKT_BUDGET_NOTIFY,    /* `hook` is called, once per job; nothing is enforced */
    TAKT_BUDGET_DEMOTE,    /* the task continues at `level`, below all tasks with deadlines, until a release finds no
                              unfinished job; keys that it inherits apply as well */
    TAKT_BUDGET_STOP,      /* the task is stopped, as by takt_task_stop */
    TAKT_BUDGET_SERVER = 4 /* the budget is that of `server` (takt/server.h); the task is demoted without it */
};

/* Members of a budget with processes. */
struct takt_server;

struct takt_budget_in_process {
    struct takti_call section_end; /* armed while it waits in a section: needs an entry of TAKT_TIMERS_DEFINE */
    struct takt_task *task;        /* its owner */
};

/*
 * Execution-time budget of each job of a task: system calls count, interrupts and other tasks do not. A background task
 * has one budget, from its start on. Caller-owned, one per task: takt_task_config.budget, in a kernel with TAKT_BUDGETS
 * (kernel/config/sched/budgets).
 *
 * Demote and stop also charge the kernel time that a job causes and the time that it is not ready, so that the proof
 * holds for the other tasks however the job behaves. The proof grants a job, besides the budget, `waits` waits of
 * `suspension_ns` in total, and `locks` locks of a mutex that is owned. Each further wait costs `wait_ns` of the
 * budget, each yield `yield_ns`, and further time suspended counts as execution; waiting for a mutex whose owner
 * inherits from the task does not. With `waits` 0 a delay, or a wait with a timeout, uses up the whole budget.
 * Exhaustion by a wait takes effect at once.
 *
 * Demote and stop also watch critical sections, from the lock when no mutex is held to the unlock that leaves none held
 * (a call being served counts as a mutex): in one the task executes and waits for at most `hold_ns`, and each wait in
 * it costs `wait_ns` more, except for a mutex whose owner inherits from it. A section that overruns during a wait ends
 * in that wait with processes, and after it without. A background task with `full_ns` TAKT_FOREVER has only its
 * sections watched. A task that uses up its budget in a section is demoted or stopped at the end of the section. A task
 * that is still in it after `hold_ns` is stopped there: its mutexes are broken, and tasks that wait for one of them, or
 * lock one before takt_mutex_init, get TAKT_OWNER_DIED, as do the callers that it served.
 *
 * Rationale: docs/decisions/0014-budgets.md.
 */
struct takt_budget {
    uint64_t full_ns; /* > 0; not read with server */
    uint64_t hold_ns; /* longest critical section; 0: the task locks nothing. Not read with notify */
    void (*hook)(struct takt_task *task); /* notify: called in an interrupt, kernel unlocked; NULL: none */
    uint64_t suspension_ns; /* total waiting time of a job in the proof. This field and the next four: demote, stop */
    uint32_t wait_ns;       /* kernel time of one wait in the proof */
    uint32_t yield_ns;      /* kernel time of a yield to another task */
    uint16_t waits;         /* waits of a job in the proof */
    uint16_t locks;         /* contended locks of a job in the proof */
    uint8_t policy;         /* enum takt_budget_policy */
    uint8_t level;          /* demote, server: a fixed level below all tasks with deadlines */
    uint8_t state;          /* private, as all following fields: kernel lock. TAKTI_BUDGET_* */
    uint32_t exhausted;     /* exhaustions, overrun sections included */
    uint64_t left_ns;       /* remaining budget; TAKT_FOREVER: not watched, or no longer */
    uint64_t section_ns;    /* remaining time in the section; TAKT_FOREVER: in none */
    uint64_t suspension_left_ns; /* remaining suspension_ns; this and the next fields are of the current job */
    uint64_t waiting_since_ns;   /* not ready, and charged, since then; TAKT_FOREVER: neither */
    uint16_t waits_left;
    uint16_t locks_left;
    struct takt_server *server[TAKT_SERVERS]; /* not private; NULL: none */
    uint64_t deadline_ns[TAKT_SERVERS];       /* of the own key of a served task */
    struct takt_budget_in_process in_process[TAKT_PROCESSES];
};

/*
 * Remaining budget of a task, ns; 0: used up, or the task is stopped; TAKT_FOREVER: it has none. Context: any. Blocks:
 * never. O(1).
 */
uint64_t takt_task_budget_ns(const struct takt_task *task);

/* Number of times that a task used up its budget or stayed in a section for longer than `hold_ns`. Context: any.
 * Blocks: never. O(1). */
uint32_t takt_task_exhausted(const struct takt_task *task);

TAKT_C_END

#endif
