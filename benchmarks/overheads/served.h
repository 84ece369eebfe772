/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_OVERHEADS_SERVED_H
#define TAKT_OVERHEADS_SERVED_H

/*
 * In a kernel with servers each task has one, so that every release begins the use of a budget: sporadic ones, whose
 * budgets are in parts, as many as there can be after some jobs, and never end. With the option shared so many tasks
 * have one server instead, whose budget ends and comes back; 1: that is the task of long jobs. Part of system.c.
 */
static unsigned shared;

#if TAKT_SERVERS
static const uint64_t shared_budget_ns = 500000; /* for up to 16 tasks: with more, the keys of all take longer */
static const uint64_t shared_period_ns = 1300000 + 7 * 40;
static struct takt_server servers[TASKS_MAX];
static struct takt_task *served[TASKS_MAX];
static uint32_t keys_most; /* the longest interrupt in which the budget of servers[0] ended or came back */

static struct takt_server *server_of(unsigned index)
{
    if (shared == 1 && index < 2) {
        return &servers[1 - index];
    }
    return &servers[shared > 1 ? 0 : index];
}

static void serve(unsigned index)
{
    if (index < task_count) {
        budgets[index].policy = TAKT_BUDGET_SERVER;
        budgets[index].level = LEVEL_SPINNER;
        budgets[index].server[0] = server_of(index);
    }
}

static void servers_declare(struct takt_system *system)
{
    shared = (unsigned)option("shared", 0);
    for (unsigned i = 0; i < TASKS_MAX; i++) {
        served[i] = &tasks[i];
        servers[i] = (struct takt_server){.budget_ns = 2 * duration_ns,
                                          .period_ns = 4 * duration_ns,
                                          .deadline_ns = 4 * duration_ns,
                                          .tasks = &served[shared == 1 && i < 2 ? 1 - i : i],
                                          .task_count = 1,
                                          .kind = TAKT_SERVER_SPORADIC};
    }
    if (shared != 0) {
        unsigned longer = (shared + 15) / 16;
        servers[0].budget_ns = longer * shared_budget_ns;
        servers[0].period_ns = longer * shared_period_ns;
        servers[0].deadline_ns = servers[0].period_ns;
        servers[0].task_count = (uint16_t)shared;
        servers[0].kind = TAKT_SERVER_DEFERRABLE;
    }
    *system->servers = servers;
    *system->server_count = shared > 1 ? 1 : (uint16_t)option("tasks", TASKS_MAX);
}

/* A gap; `nothing`: nothing else came to pass in it. */
static void sort_keys(uint32_t gap, bool nothing)
{
    static uint32_t changed;
    uint32_t before = changed;
    changed = servers[0].exhaustions + servers[0].replenishments;
    if (shared != 0 && nothing && changed - before == 1) {
        keep_most(&keys_most, gap);
    }
}

static void keys_print(void)
{
    print_row("keys_", 0, (uint64_t)keys_most * TICK_NS);
}
#else
static void serve(unsigned index)
{
    (void)index;
}

static void servers_declare(struct takt_system *system)
{
    (void)system;
}

static void sort_keys(uint32_t gap, bool nothing)
{
    (void)gap;
    (void)nothing;
}

static void keys_print(void)
{
}
#endif

#endif
