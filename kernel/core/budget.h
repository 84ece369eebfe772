/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_BUDGET_H
#define TAKTI_BUDGET_H

/* Budgets of tasks. All functions are called with the kernel locked, and are empty where TAKT_BUDGETS is 0. */
#include "takt/budget.h"
#include "takt/mutex.h"
#include "takt/server.h"
#include "takt/system.h"

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

/*
 * Servers: kernel/jobs/server.c. Called with the kernel locked, too. Without servers they are empty, and no task is
 * served.
 */

/* Values of a record TAKT_EVENT_BUDGET of a server, besides TAKT_BUDGET_SERVER: it is exhausted. */
enum {
    TAKTI_SERVER_REPLENISHED = 5, /* task = the first that it serves */
    TAKTI_SERVER_LOST = 6         /* polling: nothing was ready, so its budget is gone; task as before */
};

/* Only with servers: before the tasks start, and when they have. */
void takti_servers_start(const struct takt_system *system);
void takti_servers_started(const struct takt_system *system);
/* ... What is left in all, of a server. */
uint64_t takti_server_left_ns(const struct takt_server *server, uint64_t now_ns);

#if TAKT_SERVERS
/* A task that is in no queue becomes ready: its key is set. */
void takti_server_ready(struct takt_task *task);
/* The same without that it becomes ready. */
void takti_server_key(struct takt_task *task);
/* A task may be no longer ready. */
void takti_server_rests(const struct takt_task *task);
/* End of a task. */
void takti_server_ends(const struct takt_task *task);
/* A part of the budget is used up: whether more of it is there. In an interrupt; opens the lock in between. */
bool takti_server_continues(struct takt_budget *budget, uint32_t lock);
/* Of these, each returns whether the task is served: it has used up the budget, in an interrupt, which opens the lock
 * in between; the last unlock of a task that would be demoted then; the begin of a job. */
bool takti_server_exhaust(struct takt_task *task, uint32_t lock);
bool takti_server_unlocked(struct takt_task *task);
bool takti_server_begins(struct takt_budget *budget);

static inline bool takti_is_served(const struct takt_task_config *config)
{
    return config->budget != NULL && *config->budget->server != NULL;
}

/* The server of a task; NULL: it has none. */
static inline struct takt_server *takti_server_of(const struct takt_task *task)
{
    return takti_is_served(task->config) ? *task->config->budget->server : NULL;
}

/* What is left of a budget: its own, or of its server. */
static inline uint64_t *takti_left_in(struct takt_budget *budget)
{
    return *budget->server != NULL ? &(*budget->server)->left_ns : &budget->left_ns;
}

#define takti_left_ns(budget) (*takti_left_in(budget))

/* The budget's task executed from `since_ns` to `now_ns`, and is charged. */
static inline void takti_server_runs(const struct takt_budget *budget, uint64_t since_ns, uint64_t now_ns)
{
    struct takt_server *server = *budget->server;
    if (server != NULL) {
        server->from_ns = server->until_ns == since_ns ? server->from_ns : since_ns;
        server->until_ns = now_ns;
    }
}

static inline uint64_t takti_own_deadline_ns(const struct takt_task *task)
{
    return takti_is_served(task->config) ? *task->config->budget->deadline_ns : task->job_deadline_ns;
}
#else
#define takti_left_ns(budget) (budget)->left_ns
#define takti_server_ready(task) ((void)(task))
#define takti_server_key(task) ((void)(task))
#define takti_server_rests(task) ((void)(task))
#define takti_server_ends(task) ((void)(task))
#define takti_server_continues(budget, lock) ((void)(budget), (void)(lock), false)
#define takti_server_exhaust(task, lock) ((void)(task), (void)(lock), false)
#define takti_server_unlocked(task) ((void)(task), false)
#define takti_server_begins(budget) ((void)(budget), false)
#define takti_server_runs(budget, since_ns, now_ns) ((void)(budget), (void)(since_ns), (void)(now_ns))
#define takti_is_served(config) ((void)(config), false)

static inline struct takt_server *takti_server_of(const struct takt_task *task)
{
    (void)task;
    return NULL;
}

static inline uint64_t takti_own_deadline_ns(const struct takt_task *task)
{
    return task->job_deadline_ns;
}
#endif

/* Whether a budget is of a server. */
static inline bool takti_is_shared(const struct takt_budget *budget)
{
    return TAKT_SERVERS && *budget->server != NULL;
}

/* Whether the end of a budget demotes its task. */
static inline bool takti_demotes(const struct takt_budget *budget)
{
    return budget->policy == TAKT_BUDGET_DEMOTE || takti_is_shared(budget);
}

/* Whether a task is served and has no jobs: each of its waits is charged. */
static inline bool takti_is_served_always(const struct takt_task *task)
{
    return TAKT_SERVERS && takti_server_of(task) != NULL && task->config->release == TAKT_BACKGROUND;
}

/* The wait of a task ends: it becomes ready. */
static inline void takti_budget_ready(struct takt_task *task)
{
    takti_budget_wait_ends(task);
    takti_server_ready(task);
}

#endif
