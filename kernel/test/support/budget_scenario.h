/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BUDGET_SCENARIO_H
#define BUDGET_SCENARIO_H

/* What the tests of budgets share. */
#include "kernel/port.h"
#include "misuse.h"
#include "ports/host/host.h"

enum { LAST = 9 }; /* the level of those that were demoted */

static struct takt_mutex m;
static struct takt_mutex n;
static struct takt_condition condition;
static struct takt_rendezvous rendezvous;
static struct takt_budget budgets[SCENARIO_TASKS];
static unsigned hooks;
static unsigned noted;

static void fresh(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    takt_mutex_init(&n, 2);
    takt_condition_init(&condition, 3);
    takt_rendezvous_init(&rendezvous, 4);
    memset(budgets, 0, sizeof budgets);
    hooks = 0;
    noted = 0;
}

static void hook(struct takt_task *task)
{
    CHECK(takt_port_in_interrupt() && task == scenario_find("a"));
    CHECK(takt_task_budget_ns(task) == 0);
    hooks++;
    noted = scenario_now();
}

static struct takt_budget *limit(struct takt_task_config *config, enum takt_budget_policy policy, unsigned ms)
{
    struct takt_budget *budget = &budgets[config->index];
    *budget = (struct takt_budget){.full_ns = TAKT_MS(ms), .hook = hook, .policy = (uint8_t)policy, .level = LAST};
    config->budget = budget;
    return budget;
}

static void work_5(void *argument)
{
    (void)argument;
    scenario_work(5);
}

#endif
