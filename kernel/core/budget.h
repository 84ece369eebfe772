/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_BUDGET_H
#define TAKTI_BUDGET_H

/* Budgets of tasks. Everything here is called with the kernel locked, and is nothing where TAKT_BUDGETS is 0. */
#include "takt/budget.h"
#include "takt/mutex.h"

/* Value of a record TAKT_EVENT_BUDGET besides enum takt_budget_policy: the section lasted longer than the hold. */
enum { TAKTI_BUDGET_BROKEN = 3 };

/* takt_budget.state */
enum {
    TAKTI_BUDGET_SPENT = 1,   /* used up by this job */
    TAKTI_BUDGET_DEMOTED = 2, /* its own key is that of `level` */
    TAKTI_BUDGET_PENDING = 4  /* it will be demoted at the last unlock */
};

struct takti_budgets {
    struct takt_timer timer; /* armed while a task runs that has something left, and not in its last interrupt; and for
                                `spent` */
    uint64_t since_ns;       /* the running task is charged up to here; in an interrupt: when it began */
    struct takt_task *spent; /* used up its budget by a wait or a yield: the timer is due for it; or NULL */
};

/* Mutexes that a task holds, where it knows them all; and those whose owner ended in the middle of a section. */
#if TAKT_TRACKS_HELD_MUTEXES
void takti_held_locked(struct takt_task *task, struct takt_mutex *mutex);
void takti_held_unlocked(struct takt_task *task, struct takt_mutex *mutex);
/* One of those that a task holds whose process ends. O(mutexes held + waiters). */
void takti_held_give_up(struct takt_task *task, struct takt_mutex *mutex);
/* All that it holds. O(mutexes held + waiters). */
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

/* kernel/process/process.c: the budget of a task is used up, or its section too long, in an interrupt: whether that
 * ended its process. `waited`: by a wait or a yield. */
bool takti_process_exhausted(struct takt_task *task, bool in_section, bool waited);

#if TAKT_BUDGETS
void takti_budget_prepare(struct takt_task *task);
void takti_budget_begin(struct takt_task *task, bool late);
void takti_budget_switch(const struct takt_task *next);
void takti_budget_yield(struct takt_task *task);
void takti_budget_waits(const struct takt_task *task);
void takti_budget_wait_ends(const struct takt_task *task);
void takti_budget_pause(uint64_t now_ns);
void takti_budget_resume(void);
void takti_budget_due(uint32_t lock);
void takti_budget_section_due(struct takti_call *call); /* with processes; in the timer's interrupt, unlocked */
void takti_budget_stops(struct takt_task *task);
void takti_budget_ends(struct takt_task *task);
bool takti_budget_demotes(struct takt_task *task);
bool takti_budget_pending(const struct takt_task *task);

/* The level that a task has without what it inherits. */
static inline unsigned takti_own_level(const struct takt_task *task)
{
    const struct takt_budget *budget = task->config->budget;
    bool demoted = budget != NULL && (budget->state & TAKTI_BUDGET_DEMOTED) != 0;
    return demoted ? budget->level : task->config->level;
}
#else
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
