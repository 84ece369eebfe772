/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative systems: jobs are never preempted; which comes next, and how a job that runs is stopped. */
#include "kernel/port.h"
#include "kernel/test/support/scenario.h"
#include "ports/host/host.h"

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

/* c's job of 0 runs to its end at 3, though a and b are released at 1. */
static void no_preemption(void)
{
    scenario_new();
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
    scenario_new();
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
    scenario_new();
    (void)scenario_periodic("a", 0, stop_itself, 4);
    struct takt_task_config *config = scenario_periodic("b", 1, work_3, 8);
    config->deadline_ns = TAKT_MS(2);
    scenario_on_miss(config, TAKT_MISS_STOP);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a1 b4");
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 0), "b2");
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_JOBS), 1);
}

static void stop_and_work_10(void *argument)
{
    (void)argument;
    takt_task_stop(scenario_find("a"));
    scenario_work(10);
}

/* A job that was stopped ends; the releases behind it do not begin. */
static void stopped_with_releases_behind(void)
{
    scenario_new();
    (void)scenario_periodic("a", 0, stop_and_work_10, 4);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a10");
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_JOBS), 1);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISSES), 1);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_OVERRUNS), 0);
}

static unsigned jobs;

static void work_5_first(void *argument)
{
    (void)argument;
    scenario_work(jobs++ == 0 ? 5 : 1);
}

/* A release that came meanwhile goes behind the equals that wait, and is counted at the end of the job before it. */
static void release_behind(void)
{
    scenario_new();
    jobs = 0;
    (void)scenario_periodic("a", 0, work_5_first, 4);
    scenario_periodic("b", 0, work_1, 50)->offset_ns = TAKT_MS(2);
    scenario_run(10);
    CHECK_TEXT(scenario_runs(), "a0 b5 a6 -7 a8 -9");
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), "a5=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 b2 a5 a8");
}

static void yield_twice(void *argument)
{
    (void)argument;
    takt_task_yield();
    scenario_work(2);
    takt_task_yield();
    scenario_work(1);
}

/* Giving way gives nothing: waiters go on in the order in which they came. */
static void yields(void)
{
    scenario_new();
    (void)scenario_periodic("a", 0, yield_twice, 20);
    (void)scenario_periodic("b", 0, work_1, 20);
    scenario_periodic("c", 0, work_1, 20)->offset_ns = TAKT_MS(1);
    scenario_run(10);
    CHECK_TEXT(scenario_runs(), "a0 b3 c4 -5");
}

static void try_to_lock(void *argument)
{
    static TAKT_MUTEX_DEFINE(mutex, 1);
    (void)argument;
    CHECK(takt_mutex_try_lock(&mutex) == TAKT_OK);
    takt_task_stop(takt_task_running());
    scenario_work(1);
    takt_mutex_unlock(&mutex); /* the last, but a job that runs is not left */
    scenario_work(1);
}

/* A job that is to stop, and gives its last mutex back, ends first. */
static void stopped_with_a_mutex(void)
{
    scenario_new();
    (void)scenario_periodic("a", 0, try_to_lock, 20);
    (void)scenario_periodic("b", 0, work_1, 20);
    scenario_run(10);
    CHECK_TEXT(scenario_runs(), "a0 b2 -3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a2");
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
    scenario_new();
    (void)scenario_sporadic("s", 0, work_1, 1);
    release_in_idle = true;
    scenario_run(10);
    CHECK_TEXT(scenario_runs(), "s0 -1");
}

static void again_in_3_and_in_5(void *argument)
{
    static unsigned job;
    (void)argument;
    scenario_work(1);
    if (job++ < 4) {
        takt_job_release_at(takt_task_running(), takt_job_release_ns() + TAKT_MS(job % 2 == 1 ? 3 : 5));
    }
}

static void begin_at_2(void)
{
    takt_job_release_at(scenario_find("a"), TAKT_MS(2));
    takt_job_release_at(scenario_find("b"), TAKT_MS(3));
}

static void once(void *argument)
{
    (void)argument;
    scenario_work(4);
    takt_job_release_at(scenario_find("b"), 0); /* has passed: at once, or the minimum after the one before */
    takt_job_release_at(scenario_find("b"), TAKT_FOREVER);
}

/* The seed's NOS: jobs run to their end on one stack, and say themselves when they are to be released again. */
static void releases_of_their_own(void)
{
    scenario_new();
    (void)scenario_sporadic("a", 1, again_in_3_and_in_5, 1);
    (void)scenario_sporadic("b", 2, once, 9);
    scenario.before = begin_at_2;
    scenario_run(23);
    /* `b` runs from 3 to 7, and from 12 to 16: what `a` asks for counts from its release all the same. */
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a2 b3 a5 a10 b12 a13 a18 b21");
    CHECK_TEXT(scenario_runs(), "a2 -3 b3 a7 -8 a10 -11 b12 a16 -17 a18 -19 b21");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 0), "b7 b16");
}

int main(void)
{
    releases_of_their_own();
    no_preemption();
    suspended();
    stopped();
    stopped_with_releases_behind();
    release_behind();
    yields();
    stopped_with_a_mutex();
    idle_hook();
    return 0;
}
