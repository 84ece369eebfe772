/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets: every policy, when a task is restored, interrupts, what is left. Sections: budget_section_test.c. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/budget_scenario.h"

static unsigned work_ms; /* of a job */

static void work(void *argument)
{
    (void)argument;
    scenario_work(work_ms);
}

static void work_1(void *argument)
{
    (void)argument;
    scenario_work(1);
}

/* Once a job, at the time at which it has executed for its budget; it goes on. */
static void notify(void)
{
    fresh();
    work_ms = 5;
    (void)limit(scenario_periodic("a", 1, work, 10), TAKT_BUDGET_NOTIFY, 3);
    scenario_run(18);
    CHECK_TEXT(scenario_runs(), "a0 -5 a10 -15");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a3=0 a13=0");
    CHECK_EQUAL(hooks, 2);
    CHECK_EQUAL(noted, 13);
    CHECK_EQUAL(takt_task_exhausted(scenario_find("a")), 2);
}

/* Without a hook; and a job that takes exactly its budget does not use it up. */
static void exactly(void)
{
    fresh();
    work_ms = 5;
    limit(scenario_periodic("a", 1, work, 10), TAKT_BUDGET_NOTIFY, 4)->hook = NULL;
    (void)limit(scenario_periodic("b", 2, work_1, 10), TAKT_BUDGET_STOP, 1);
    scenario_run(18);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a4=0 a14=0");
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a5 b6 a15 b16");
}

/* Preemption does not count; a demoted job goes on below all others, and its next one where it belongs. */
static void demote(void)
{
    fresh();
    work_ms = 4;
    (void)scenario_periodic("h", 0, work_1, 20);
    (void)limit(scenario_periodic("a", 1, work, 10), TAKT_BUDGET_DEMOTE, 2);
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(19);
    CHECK_TEXT(scenario_runs(), "h0 a1 b3 a8 -10 a10 b12 a17 -19");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a3=1 a12=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "a3=9 a10=1 a12=9");
}

/* Jobs released behind a demoted one stay with it, until a release finds none of them unfinished. */
static void late_jobs(void)
{
    fresh();
    work_ms = 14;
    struct takt_task_config *a = scenario_periodic("a", 1, work, 10);
    struct takt_task_config *b = scenario_periodic("b", 2, work_5, 10);
    (void)limit(a, TAKT_BUDGET_DEMOTE, 2);
    b->offset_ns = TAKT_MS(1);
    scenario_run(50);
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "b7 b16 b26 a29 b36 b46");
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 b1 b11 b21 a29 b31 b41");
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 0), "a2");
    CHECK_EQUAL(takt_task_budget_ns(scenario_find("a")), 0);
}

static unsigned shortening_ms = 9;

static void work_less_and_less(void *argument)
{
    (void)argument;
    scenario_work(shortening_ms);
    shortening_ms = 1;
}

static void restored(void)
{
    fresh();
    (void)limit(scenario_periodic("a", 1, work_less_and_less, 10), TAKT_BUDGET_DEMOTE, 2);
    (void)scenario_periodic("b", 2, work_5, 10);
    scenario_run(32);
    /* The release at 20 found the jobs before it done. */
    CHECK_TEXT(scenario_runs(), "a0 b2 a7 b10 a15 -20 a20 b21 -26 a30 b31");
    CHECK_EQUAL(takt_task_exhausted(scenario_find("a")), 1);
}

/* In an edf band: behind later deadlines, too. */
static void demote_edf(void)
{
    fresh();
    work_ms = 5;
    scenario_edf(1);
    (void)limit(scenario_periodic("a", 1, work, 20), TAKT_BUDGET_DEMOTE, 2);
    (void)scenario_periodic("b", 1, work_5, 40);
    scenario_run(35);
    CHECK_TEXT(scenario_runs(), "a0 b2 a7 -10 a20 -25");
}

static void restart_a(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    CHECK(takt_task_stopped(scenario_find("a")) && takt_task_budget_ns(scenario_find("a")) == 0);
    CHECK(takt_task_start(scenario_find("a"), scenario_find("a")->config) == TAKT_OK);
    CHECK(scenario_now() == 9); /* it ran at once */
    CHECK(takt_task_budget_ns(scenario_find("b")) == TAKT_FOREVER);
}

/* It is stopped, and has a new budget when it starts again; a background task has one from its start. */
static void stop(void)
{
    fresh();
    work_ms = 5;
    (void)limit(scenario_task("a", 1, work), TAKT_BUDGET_STOP, 3);
    (void)scenario_task("b", 2, restart_a);
    scenario_run(12);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a3=2 a9=2");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a3 a9 b9");
}

static void take_2(void)
{
    scenario_work(2);
}

static void interrupt_at_2(void)
{
    takt_port_irq_attach(1, take_2, true);
    takt_host_interrupt_every(1, TAKT_MS(2), 0);
}

/* The time of an interrupt is nobody's budget. */
static void interrupted(void)
{
    fresh();
    work_ms = 5;
    scenario.before = interrupt_at_2;
    (void)limit(scenario_periodic("a", 1, work, 20), TAKT_BUDGET_STOP, 3);
    scenario_run(12);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 0), "a5");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a5");
}

static void take_1_1_and_1(void)
{
    scenario_work(1);
    takt_interrupt_enter(2);
    scenario_work(1);
    takt_interrupt_exit(2);
    scenario_work(1);
}

static void interrupt_nested_at_2(void)
{
    takt_port_irq_attach(1, take_1_1_and_1, true);
    takt_host_interrupt_every(1, TAKT_MS(2), 0);
}

/* Nor is that of one which another interrupts: the clock goes on where the outer one ends. */
static void interrupted_nested(void)
{
    fresh();
    work_ms = 5;
    scenario.before = interrupt_nested_at_2;
    (void)limit(scenario_periodic("a", 1, work, 20), TAKT_BUDGET_STOP, 3);
    scenario_run(12);
    CHECK_TEXT(scenario_events(TAKT_EVENT_INTERRUPT_END, 0), "!4 !5 !6");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a6");
}

static void interrupt_at_3(void)
{
    takt_port_irq_attach(1, take_2, true);
    takt_host_interrupt_every(1, TAKT_MS(3) - 1, 0);
}

/* One during which the timer comes due: the last nanosecond is executed after it. */
static void interrupted_at_the_end(void)
{
    fresh();
    work_ms = 5;
    scenario.before = interrupt_at_3;
    (void)limit(scenario_periodic("a", 1, work, 20), TAKT_BUDGET_STOP, 3);
    scenario_run(12);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 0), "a5");
}

static void look(void *argument)
{
    (void)argument;
    scenario_work(2);
    CHECK(takt_task_budget_ns(scenario_find("a")) == TAKT_MS(6));
    scenario_work(1); /* preempted by h for 2 */
    scenario_work(1);
    CHECK(takt_task_budget_ns(scenario_find("a")) == TAKT_MS(4) && scenario_now() == 6);
    noted++;
}

static void look_at_3(void *argument)
{
    static const struct takt_task never_started;
    (void)argument;
    CHECK(takt_task_budget_ns(&never_started) == TAKT_FOREVER && takt_task_exhausted(&never_started) == 0);
    scenario_sleep_to(3);
    CHECK(takt_task_budget_ns(scenario_find("a")) == TAKT_MS(5));
    scenario_work(2);
    CHECK(takt_task_budget_ns(scenario_find("a")) == TAKT_MS(5));
    CHECK(takt_task_exhausted(scenario_find("h")) == 0);
    noted++;
}

static void left(void)
{
    fresh();
    (void)scenario_task("h", 1, look_at_3);
    (void)limit(scenario_periodic("a", 2, look, 20), TAKT_BUDGET_STOP, 8);
    scenario_run(12);
    CHECK_EQUAL(noted, 2);
}

static struct takt_budget *limit_first(void)
{
    return limit(&scenario.configs[0], TAKT_BUDGET_DEMOTE, 1);
}

static void no_budget(void)
{
    limit_first()->full_ns = 0;
}

static void no_policy(void)
{
    limit_first()->policy = TAKT_BUDGET_STOP + 1;
}

static void into_edf(void)
{
    (void)limit_first();
    scenario_edf(LAST);
}

static const struct misuse misuses[] = {
    {no_budget, CONFIGURED, "kernel/jobs/budget.c", BANDS},
    {no_policy, CONFIGURED, "kernel/jobs/budget.c", BANDS},
    {into_edf, CONFIGURED, "kernel/jobs/budget.c", BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
}

static struct takti_call comes;

static void take_3(struct takti_call *call)
{
    (void)call;
    scenario_work(3);
}

static void call_at_2(void)
{
    takti_call_at(&comes, TAKT_MS(2), take_3);
}

/* "a" may run for 3 ms of its 5; `before` has something come meanwhile. */
static void run_while(void (*before)(void))
{
    fresh();
    work_ms = 5;
    memset(&comes, 0, sizeof comes);
    scenario.before = before;
    (void)limit(scenario_periodic("a", 1, work, 20), TAKT_BUDGET_STOP, 3);
    scenario_run(12);
}

/* A handler in the timer's interrupt takes so long that the budget's timer is due there: that time is nobody's. */
static void due_meanwhile(void)
{
    run_while(call_at_2);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 0), "a6");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a6");
}

static void stop_a(struct takti_call *call)
{
    (void)call;
    takt_task_stop(scenario_find("a"));
}

static void stop_at_3(void)
{
    takti_call_at(&comes, TAKT_MS(3), stop_a);
}

/* A task that is stopped at the time at which it would have used up its budget has not. */
static void stopped_just_before(void)
{
    run_while(stop_at_3);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 0), "");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a3");
    CHECK_EQUAL(budgets[0].exhausted, 0);
}

int main(void)
{
    due_meanwhile();
    stopped_just_before();
    notify();
    exactly();
    demote();
    late_jobs();
    restored();
    demote_edf();
    stop();
    interrupted();
    interrupted_nested();
    interrupted_at_the_end();
    left();
    return misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare);
}
