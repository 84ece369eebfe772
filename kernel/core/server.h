/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SERVER_H
#define TAKTI_SERVER_H

/* Servers: kernel/jobs/server.c. All functions are called with the kernel locked, and are empty where TAKT_SERVERS is
 * 0. */
#include "kernel/core/budget.h"
#include "takt/server.h"

/* Values of a record TAKT_EVENT_BUDGET of a server, besides TAKT_BUDGET_SERVER: it is exhausted. */
enum {
    TAKTI_SERVER_REPLENISHED = 5, /* task = the first that it serves */
    TAKTI_SERVER_LOST = 6         /* polling: nothing was ready, so its budget is gone; task as before */
};

/* Only with servers, from here ... */
/* Before the tasks start, and when they have. */
void takti_servers_start(const struct takt_system *system);
void takti_servers_started(const struct takt_system *system);
/* A task is no longer ready. */
void takti_server_rests(const struct takt_task *task);
/* A part of the budget is used up: whether more of it is there. In an interrupt; opens the lock in between. */
bool takti_server_continues(struct takt_server *server, uint32_t lock);
/* The task has used up the budget. In an interrupt; opens the lock in between. */
void takti_server_exhaust(struct takt_task *task, uint32_t lock);
/* The last unlock of a task that would be demoted then. */
void takti_server_unlocked(struct takt_task *task);
uint64_t takti_server_left_ns(const struct takt_server *server, uint64_t now_ns); /* ... to here */

#if TAKT_SERVERS
static inline bool takti_is_served(const struct takt_task_config *config)
{
    return config->budget != NULL && *config->budget->server != NULL;
}

/* The server of a task; NULL: it has none. */
static inline struct takt_server *takti_server_of(const struct takt_task *task)
{
    return takti_is_served(task->config) ? *task->config->budget->server : NULL;
}

/* A task that is in no queue becomes ready: its key is set. */
void takti_server_ready(struct takt_task *task);
/* End of a task. */
void takti_server_ends(const struct takt_task *task);

/* Served work executed from `since_ns` to `now_ns`, and was charged. */
static inline void takti_server_runs(struct takt_server *server, uint64_t since_ns, uint64_t now_ns)
{
    if (server->until_ns != since_ns) {
        server->from_ns = since_ns;
    }
    server->until_ns = now_ns;
}

static inline uint64_t takti_own_deadline_ns(const struct takt_task *task)
{
    return takti_server_of(task) == NULL ? task->job_deadline_ns : *task->config->budget->deadline_ns;
}
#else
static inline bool takti_is_served(const struct takt_task_config *config)
{
    (void)config;
    return false;
}

static inline struct takt_server *takti_server_of(const struct takt_task *task)
{
    (void)task;
    return NULL;
}

static inline void takti_server_ready(struct takt_task *task)
{
    (void)task;
}

static inline void takti_server_runs(struct takt_server *server, uint64_t since_ns, uint64_t now_ns)
{
    (void)server;
    (void)since_ns;
    (void)now_ns;
}

static inline void takti_server_ends(const struct takt_task *task)
{
    (void)task;
}

static inline uint64_t takti_own_deadline_ns(const struct takt_task *task)
{
    return task->job_deadline_ns;
}
#endif

/* The wait of a task ends: it becomes ready. */
static inline void takti_budget_ready(struct takt_task *task)
{
    takti_budget_wait_ends(task);
    takti_server_ready(task);
}

#endif
