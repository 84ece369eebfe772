/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BUDGET_H
#define TAKT_BUDGET_H

#include "takt/task.h"

/* What happens to a task whose job has executed for its budget and goes on. */
enum takt_budget_policy {
    TAKT_BUDGET_NOTIFY, /* `hook` is called, once a job; nothing is enforced */
    TAKT_BUDGET_DEMOTE, /* it goes on at `level`, below all that have deadlines, and so do the jobs that were released
                           meanwhile, until a release finds none unfinished; keys that it inherits it has there too */
    TAKT_BUDGET_STOP    /* it is stopped, as by takt_task_stop */
};

/*
 * How long each job of a task may execute: interrupts and other tasks not counted, calls are. A background task has one
 * budget from its start on. The caller's, one per task; takt_task_config.budget, in the kind of kernel with
 * TAKT_BUDGETS (kernel/config/sched/budgets).
 *
 * Demote and stop also charge what a job makes the kernel do, and the time that it is not ready, so that others keep
 * what was proved whatever it does. A job may wait `waits` times, for `suspension_ns` in all, and find a mutex locked
 * `locks` times: that is in the proof besides the budget. Each wait beyond that costs `wait_ns` of the budget, a yield
 * `yield_ns`, and further waiting counts as execution. Not so while it waits for a mutex whose owner inherits from it.
 * With `waits` 0 a wait for an instant, or with a timeout, uses up the whole budget. A budget that is used up by a wait
 * has its effect at once.
 *
 * Demote and stop also watch sections: from the lock that finds no mutex held to the unlock that leaves none held (a
 * call that is served counts as one held) the task executes and waits for at most `hold_ns`, and a wait in it costs
 * what `wait_ns` is longer; not so one for a mutex whose owner inherits from it. With processes a section ends while
 * its task waits in it, else when that wait is over. A background task with `full_ns` TAKT_FOREVER has its sections
 * watched. Who uses up the budget in a section is demoted or stopped at its end. Who is not out of it after `hold_ns`
 * is stopped in it: its mutexes are broken, and whoever waits for one of them, or locks one before takt_mutex_init,
 * gets TAKT_OWNER_DIED; callers that it served too.
 *
 * Why it is so: docs/decisions/0014-budgets.md.
 */
struct takt_budget {
    uint64_t full_ns;                     /* > 0 */
    uint64_t hold_ns;                     /* 0: it locks nothing. Not read with notify */
    void (*hook)(struct takt_task *task); /* notify: called in an interrupt, kernel unlocked; or NULL */
    uint64_t suspension_ns;               /* how long a job may wait in all. This and the next four: demote, stop */
    uint32_t wait_ns;                     /* the kernel's time for one wait, as a proof counts it */
    uint32_t yield_ns;                    /* the same of a yield to another task */
    uint16_t waits;                       /* waits of a job that the proof counts */
    uint16_t locks;                       /* contended locks of a job that it counts */
    uint8_t policy;                       /* enum takt_budget_policy */
    uint8_t level;                        /* demote: a fixed level below all tasks with deadlines */
    uint8_t state;                        /* private, like the rest, and under the kernel lock: TAKTI_BUDGET_* */
    uint32_t exhausted;                   /* how often it happened, broken sections included */
    uint64_t left_ns;                     /* TAKT_FOREVER: not watched, or not any more */
    uint64_t section_ns;                  /* the same of the section; TAKT_FOREVER: it is in none */
    uint64_t suspension_left_ns;          /* of suspension_ns, like the next two of this job */
    uint64_t waiting_since_ns;            /* not ready since then, and charged for it; TAKT_FOREVER: it is not */
    uint16_t waits_left;
    uint16_t locks_left;
#if TAKT_PROCESSES
    struct takti_call section_end; /* while it waits in a section: needs a place of TAKT_TIMERS_DEFINE */
    struct takt_task *task;        /* whose it is */
#endif
};

/*
 * What is left of a task's budget, ns: 0 when it is used up or the task is stopped, TAKT_FOREVER without a budget.
 * Context: any. Blocks: never. O(1).
 */
uint64_t takt_task_budget_ns(const struct takt_task *task);

/* How often a task has used up its budget, or stayed in a section for longer than its hold. Context: any. Blocks:
 * never. O(1). */
uint32_t takt_task_exhausted(const struct takt_task *task);

#endif
