/* SPDX-License-Identifier: Apache-2.0 */
/* Servers: their tasks, what is left of their budgets, and when it comes back. */
#include "kernel/observe/invariants.h"

#if TAKT_SERVERS
/* The parts of a sporadic server's budget. */
static void walk_parts(struct takti_walk *walk, const struct takt_server *server)
{
    const struct takt_server_part *parts = server->parts;
    if (!takti_must(walk, server->part_count != 0 && server->part_count <= TAKT_SERVER_PARTS,
                    "a server has one part of its budget at least, and no more than it can", server)) {
        return;
    }
    uint64_t sum_ns = parts[0].amount_ns;
    for (unsigned number = 1; number < server->part_count; number++) {
        takti_must(walk, parts[number].at_ns > parts[number - 1].at_ns, "parts of a budget come one after another",
                   server);
        sum_ns += parts[number].amount_ns;
    }
    takti_must(walk, sum_ns == server->budget_ns, "the parts of a budget add up to it", server);
    takti_must(walk, parts[server->part_count - 1].at_ns <= parts[0].at_ns + server->period_ns,
               "a part of a budget comes back in a period", server);
    takti_must(walk, server->settled_ns == 0 || server->exhausted || server->settled_ns == parts[0].amount_ns,
               "what is left of a budget is of its first part", server);
}

static void walk_server(struct takti_walk *walk, const struct takt_server *server)
{
    unsigned ready = 0;
    for (unsigned number = 0; number < server->task_count; number++) {
        const struct takt_task *task = server->tasks[number];
        bool dormant = task->timer.state == TAKTI_DORMANT;
        ready += !dormant && (takti_budget_of(task)->state & TAKTI_BUDGET_READY) != 0 ? 1 : 0;
    }
    takti_must(walk, server->ready == ready, "a server counts its tasks that are ready", server);
    takti_must(walk, server->exhausted == (server->left_ns == TAKT_FOREVER), "an exhausted server charges nothing",
               server);
    takti_must(walk, server->exhausted || server->left_ns <= server->budget_ns,
               "what a server has left is at most its budget", server);
    const struct takt_task *finishing = server->finishing;
    takti_must(walk, finishing == NULL || (server->exhausted && (finishing->holds & TAKTI_HOLDS_COUNT) != 0),
               "a task that finishes its section after the exhaustion is in one", server);
    bool polling = server->kind == TAKT_SERVER_POLLING;
    takti_must(walk, !polling || server->ready != 0 || server->exhausted, "a polling server without work has no budget",
               server);
    if (server->kind == TAKT_SERVER_SPORADIC) {
        walk_parts(walk, server);
    }
    bool expects = server->kind != TAKT_SERVER_SPORADIC || server->exhausted;
    bool armed = server->replenishment.timer.armed != 0 || *takti_kernel.interrupts != 0; /* or being served */
    takti_must(walk, !expects || armed, "the budget of a server comes back", server);
}

void takti_walk_served(struct takti_walk *walk, const struct takt_task *task)
{
    bool counted = (takti_budget_of(task)->state & TAKTI_BUDGET_READY) != 0;
    takti_must(walk, counted == (task->timer.state == TAKTI_READY), "a server knows which of its tasks are ready",
               task);
}

void takti_walk_servers(struct takti_walk *walk)
{
    const struct takt_system *system = takti_kernel.system;
    for (unsigned number = 0; number < *system->server_count; number++) {
        walk_server(walk, &(*system->servers)[number]);
    }
}

unsigned takti_walk_servers_timers(const struct takt_timer *timer)
{
    unsigned found = 0;
    for (unsigned number = 0; number < *takti_kernel.system->server_count; number++) {
        const struct takt_timer *one = &(*takti_kernel.system->servers)[number].replenishment.timer;
        found += timer == one || (timer == NULL && one->armed != 0) ? 1 : 0;
    }
    return found;
}
#endif
