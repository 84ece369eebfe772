/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of takt/budget.h, in a kernel of kind budgets. */
#include "calls.h"

static struct takt_budget budget = {.full_ns = TAKT_S(1), .hold_ns = TAKT_S(1), .policy = TAKT_BUDGET_STOP};
static struct takt_mutex mutex;

CALL(left_of_fresh, takt_task_budget_ns(&fresh.task) < TAKT_S(1))
CALL(exhausted, takt_task_exhausted(&fresh.task))

/* The task asks for its own, in a section: both are charged. */
static void asks(void *argument)
{
    (void)argument;
    (void)!takt_mutex_lock(&mutex);
    left_of_fresh();
    takt_mutex_unlock(&mutex);
    takt_task_suspend(&fresh.task);
}

static void ask(void)
{
    takt_mutex_init(&mutex, 1);
    thread_prepare(&fresh, asks, 0);
    fresh.config.budget = &budget;
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static void budgeted(void)
{
    fresh_prepare(LEVEL_RUNNER);
    fresh.config.budget = &budget;
    (void)!takt_task_start(&fresh.task, &fresh.config);
}

static const struct scenario budgets[] = {
    {"takt_task_budget_ns", "its own, in a section", RETURNS, true, 0, ask},
    {"takt_task_exhausted", "of another", RETURNS, 0, 0, exhausted, .arm = budgeted},
};

void measure_calls(void)
{
    MEASURE(budgets);
}
