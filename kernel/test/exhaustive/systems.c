/* SPDX-License-Identifier: Apache-2.0 */
/* Special parts of the systems of services that concern time. Expiries are few, so that many are equal. */
#include "exhaustive.h"
#include "takt/budget.h"
#include "takt/task.h"
#include "takt/watchdog.h"

#define US(count) ((count)*UINT64_C(1000))

/* What is asked at the end is asked earlier than usual: jobs come again and again. */
static void ends(struct plan *plan, uint64_t end_ns)
{
    plan->end_ns = end_ns;
    plan->sources[1].first_ns = end_ns - US(1);
}

static struct task_plan job(uint8_t level, uint64_t period_ns, uint64_t deadline_ns)
{
    return (struct task_plan){
        .level = level, .release = TAKT_PERIODIC, .period_ns = period_ns, .deadline_ns = deadline_ns, .pending_max = 1};
}

static struct task_plan sporadic(uint8_t level, uint64_t gap_ns, uint64_t deadline_ns)
{
    struct task_plan task = job(level, gap_ns, deadline_ns);
    task.release = TAKT_SPORADIC;
    return task;
}

/* Three tasks of one edf level, two of them released together; one has the deadline of another, now and then. */
void system_jobs(struct plan *plan)
{
    ends(plan, US(15));
    plan->level_edf[1] = true;
    plan->tasks[0] = job(1, US(6), US(4));
    plan->tasks[1] = job(1, US(12), US(8));
    plan->tasks[2] = sporadic(1, US(4), US(3));
}

/* The same, and something happens when a deadline is missed. */
void system_policies(struct plan *plan)
{
    system_jobs(plan);
    plan->tasks[0].on_miss = TAKT_MISS_NOTIFY;
    plan->tasks[0].hook = (struct op){.kind = OP_RELEASE, .object = 2};
    plan->tasks[1].on_miss = TAKT_MISS_STOP;
    plan->tasks[1].deadline_ns = US(6);
    plan->tasks[2].on_miss = TAKT_MISS_SKIP;
}

/* One that wakes a task, a periodic one that resumes one, and one that a task serves. */
void system_alarms(struct plan *plan)
{
    ends(plan, US(20));
    plan->alarms[0].op = (struct op){.kind = OP_POST};
    plan->alarms[1] = (struct alarm_plan){.op = {.kind = OP_RESUME, .object = 1}, .period_ns = US(8)};
}

void system_watchdogs(struct plan *plan)
{
    ends(plan, US(12));
    plan->watchdogs[0] = (struct watchdog_plan){.task = 0, .time_ns = US(2), .action = TAKT_WATCHDOG_RESTART};
    plan->watchdogs[1] = (struct watchdog_plan){.task = 1, .time_ns = US(1), .action = TAKT_WATCHDOG_STOP};
    plan->watchdogs[2] = (struct watchdog_plan){
        .op = {.kind = OP_SUSPEND, .object = 0}, .task = 2, .time_ns = US(3), .action = TAKT_WATCHDOG_NOTIFY};
}

/* Of tasks with jobs: they come back at a release. */
void system_job_watchdogs(struct plan *plan)
{
    system_jobs(plan);
    plan->watchdogs[0] = (struct watchdog_plan){.task = 0, .time_ns = US(4), .action = TAKT_WATCHDOG_RESTART};
    plan->watchdogs[2] = (struct watchdog_plan){.task = 2, .time_ns = US(2), .action = TAKT_WATCHDOG_RESTART};
}

/* Messages release the jobs of one task, above the others or between them. */
void system_message_triggers(struct plan *plan)
{
    ends(plan, US(15));
    plan->tasks[2] = sporadic(1, US(2), US(2));
    plan->letter_trigger[1] = 2;
    plan->mailbox_trigger[0] = 2;
}

/* The same of what tasks synchronize by. */
void system_sync_triggers(struct plan *plan)
{
    ends(plan, US(15));
    plan->tasks[2] = sporadic(1, US(2), US(2));
    plan->events_trigger[0] = plan->events_trigger[1] = 2;
    plan->rendezvous_trigger[0] = 2;
}

/* The same of what is not copied, and of bytes. */
void system_buffer_triggers(struct plan *plan)
{
    ends(plan, US(15));
    plan->tasks[0] = sporadic(1, US(2), US(2)); /* the owner of the slots */
    plan->slot_triggers[1] = true;
    plan->signal_triggers[0] = true;
    plan->pipe_trigger[0] = plan->pipe_trigger[1] = 0;
}

/* Each policy. */
void system_budgets(struct plan *plan)
{
    ends(plan, US(15));
    plan->tasks[0] = job(1, US(6), US(5));
    plan->tasks[0].budget_ns = US(2);
    plan->tasks[0].hold_ns = US(4);
    plan->tasks[0].on_budget = TAKT_BUDGET_DEMOTE;
    plan->tasks[1].budget_ns = US(2);
    plan->tasks[1].hold_ns = US(4);
    plan->tasks[1].on_budget = TAKT_BUDGET_STOP;
    plan->tasks[2].budget_ns = US(1);
    plan->tasks[2].on_budget = TAKT_BUDGET_NOTIFY;
    plan->tasks[2].hook = (struct op){.kind = OP_SUSPEND, .object = 0};
}

/* Holds that end before the budget does, with it, and after it. */
void system_sections(struct plan *plan)
{
    system_budgets(plan);
    plan->tasks[0].hold_ns = US(1);
    plan->tasks[1].hold_ns = US(2);
    plan->tasks[2].budget_ns = US(3);
    plan->tasks[2].hold_ns = US(1);
    plan->tasks[2].on_budget = TAKT_BUDGET_DEMOTE;
}
