/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_BUDGET_H
#define TAKTI_BUDGET_H

/* Budgets of tasks. All functions are called with the kernel locked, and are empty where TAKT_BUDGETS is 0. */
#include "takt/budget.h"
#include "takt/mutex.h"

/* Value of a record TAKT_EVENT_BUDGET besides enum takt_budget_policy: the section lasted longer than the hold. */
enum { TAKTI_BUDGET_BROKEN = 3 };

/* takt_budget.state */
enum {
    TAKTI_BUDGET_SPENT = 1,   /* used up by the current job */
    TAKTI_BUDGET_DEMOTED = 2, /* its own key is at `level` */
    TAKTI_BUDGET_PENDING = 4, /* demotion at the last unlock */
    TAKTI_BUDGET_READY = 8    /* its server counts it as ready */
};

struct takti_budgets {
    struct takt_timer timer; /* armed while a task with budget left runs, not in its last interrupt; and for `spent` */
    uint64_t since_ns;       /* the running task is charged up to this time; in an interrupt: its begin */
    struct takt_task *spent; /* its budget is used up by a wait or a yield: the timer is due; or NULL */
};

/* Lists of the mutexes that a task holds, and mutexes whose owner ended in its section. */
#if TAKT_TRACKS_HELD_MUTEXES
void takti_held_locked(struct takt_task *task, struct takt_mutex *mutex);
void takti_held_unlocked(struct takt_task *task, struct takt_mutex *mutex);
/* Breaks a mutex held by a task whose process ends. O(mutexes held + waiters). */
void takti_held_give_up(struct takt_task *task, struct takt_mutex *mutex);
/* Breaks all mutexes that the task holds. O(mutexes held + waiters). */
void takti_held_give_up_all(struct takt_task *task);
bool takti_mutex_broken(const struct takt_mutex *mutex);
#else
static inline void takti_held_locked(struct takt_task *task, struct takt_mutex *mutex)
{
    (void)task;
    (void)mutex;
}

static inline void takti_held_unlocked(struct takt_task *task, struct takt_mutex *mutex)
{
    (void)task;
    (void)mutex;
}

static inline bool takti_mutex_broken(const struct takt_mutex *mutex)
{
    (void)mutex;
    return false;
}
#endif

/* kernel/process/process.c: in an interrupt, the budget of a task is used up or its section too long. Returns whether
 * that ended its process. `waited`: by a wait or a yield. */
bool takti_process_exhausted(struct takt_task *task, bool in_section, bool waited);

void takti_budget_due(uint32_t lock); /* only with budgets */

#if TAKT_BUDGETS
void takti_budget_prepare(struct takt_task *task);
void takti_budget_begin(struct takt_task *task, bool late);
void takti_budget_switch(const struct takt_task *next);
void takti_budget_yield(struct takt_task *task);
void takti_budget_waits(const struct takt_task *task);
void takti_budget_wait_ends(const struct takt_task *task);
void takti_budget_pause(uint64_t now_ns);
void takti_budget_resume(void);
void takti_budget_section_due(struct takti_call *call); /* with processes; in the timer interrupt, unlocked */
void takti_budget_stops(struct takt_task *task);
void takti_budget_ends(struct takt_task *task);
bool takti_budget_demotes(struct takt_task *task);
bool takti_budget_pending(const struct takt_task *task);
void takti_budget_locked(struct takt_task *task); /* by takti_held_locked */
void takti_budget_unlocked(struct takt_task *task);

static inline struct takt_budget *takti_budget_of(const struct takt_task *task)
{
    return task->config->budget;
}

/* The level of a task without inheritance. */
static inline unsigned takti_own_level(const struct takt_task *task)
{
    const struct takt_budget *budget = task->config->budget;
    bool demoted = budget != NULL && (budget->state & TAKTI_BUDGET_DEMOTED) != 0;
    return demoted ? budget->level : task->config->level;
}
#else
static inline struct takt_budget *takti_budget_of(const struct takt_task *task)
{
    (void)task;
    return NULL;
}

static inline void takti_budget_prepare(struct takt_task *task)
{
    (void)task;
}

static inline void takti_budget_begin(struct takt_task *task, bool late)
{
    (void)task;
    (void)late;
}

static inline void takti_budget_switch(const struct takt_task *next)
{
    (void)next;
}

static inline void takti_budget_yield(struct takt_task *task)
{
    (void)task;
}

static inline void takti_budget_waits(const struct takt_task *task)
{
    (void)task;
}

static inline void takti_budget_wait_ends(const struct takt_task *task)
{
    (void)task;
}

static inline void takti_budget_pause(uint64_t now_ns)
{
    (void)now_ns;
}

static inline void takti_budget_resume(void)
{
}

static inline void takti_budget_stops(struct takt_task *task)
{
    (void)task;
}

static inline void takti_budget_locked(struct takt_task *task)
{
    (void)task;
}

static inline void takti_budget_unlocked(struct takt_task *task)
{
    (void)task;
}

static inline void takti_budget_ends(struct takt_task *task)
{
    (void)task;
}

static inline bool takti_budget_demotes(struct takt_task *task)
{
    (void)task;
    return false;
}

static inline bool takti_budget_pending(const struct takt_task *task)
{
    (void)task;
    return false;
}

static inline unsigned takti_own_level(const struct takt_task *task)
{
    return task->config->level;
}
#endif

#endif
