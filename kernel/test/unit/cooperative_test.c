/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative systems: jobs are never preempted; who comes next, and how a job that runs is stopped. */
#include "kernel/port.h"
#include "ports/host/host.h"
#include "scenario.h"

static void work_3(void *argument)
{
    (void)argument;
    scenario_work(3);
}

static void work_1(void *argument)
{
    (void)argument;
    scenario_work(1);
}

static void suspend_then_resume_b(void *argument)
{
    (void)argument;
    scenario_work(1);
    if (scenario_now() == 1) {
        takt_task_suspend(scenario_find("a")); /* itself: the job goes on */
        takt_task_yield();
    }
    scenario_work(1);
}

static void idle_cooperative(void)
{
    scenario_new();
    scenario.system.cooperative = true;
}

/* c's job of 0 runs to its end at 3, though a and b are released at 1. */
static void no_preemption(void)
{
    idle_cooperative();
    scenario_periodic("a", 0, work_1, 10)->offset_ns = TAKT_MS(1);
    scenario_periodic("b", 1, work_1, 10)->offset_ns = TAKT_MS(1);
    (void)scenario_periodic("c", 2, work_3, 10);
    (void)scenario_task("z", 3, work_3);
    scenario_run(10);
    CHECK_TEXT(scenario_runs(), "c0 a3 b4 z5 -8");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "z8");
    CHECK_EQUAL(scenario_figure("c", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(3));
}

static void suspended(void)
{
    idle_cooperative();
    (void)scenario_periodic("a", 0, suspend_then_resume_b, 4);
    (void)scenario_periodic("b", 1, work_1, 4);
    scenario_run(9);
    CHECK_TEXT(scenario_runs(), "a0 b2 -3 b4 -5 b8 -9");
}

static void stop_itself(void *argument)
{
    (void)argument;
    takt_task_stop(takt_task_running());
    CHECK(!takt_task_stopped(takt_task_running()));
    CHECK(takt_task_start(takt_task_running(), &scenario.configs[0]) == TAKT_STATE);
    scenario_work(1);
}

/* A job that is stopped while it runs ends first; so does one whose deadline stops it. */
static void stopped(void)
{
    idle_cooperative();
    (void)scenario_periodic("a", 0, stop_itself, 4);
    struct takt_task_config *config = scenario_periodic("b", 1, work_3, 8);
    config->deadline_ns = TAKT_MS(2);
    config->on_miss = TAKT_MISS_STOP;
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a1 b4");
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 0), "b2");
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_JOBS), 1);
}

static bool release_in_idle;

/* A job that becomes ready in the hook is not slept over. */
void takt_hook_idle(void)
{
    if (release_in_idle) {
        release_in_idle = false;
        takt_job_release(scenario_find("s"));
    }
}

static void idle_hook(void)
{
    idle_cooperative();
    (void)scenario_sporadic("s", 0, work_1, 1);
    release_in_idle = true;
    scenario_run(10);
    CHECK_TEXT(scenario_runs(), "s0 -1");
}

int main(void)
{
    no_preemption();
    suspended();
    stopped();
    idle_hook();
    return 0;
}
