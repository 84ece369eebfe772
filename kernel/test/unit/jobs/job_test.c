/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: the four policies, figures, restarts, no drift; all times worked out by hand. */
#include "kernel/test/support/scenario.h"

#include "kernel/port.h"
#include "ports/host/host.h"

static unsigned jobs;
static unsigned released[8]; /* what the jobs believe, ms */
static unsigned hooks;

/* The first job executes for 6 ms, the others for 1. */
static void long_first(void *argument)
{
    (void)argument;
    CHECK(jobs < 8);
    released[jobs] = (unsigned)(takt_job_release_ns() / TAKT_MS(1));
    scenario_work(jobs++ == 0 ? 6 : 1);
}

static void count_hook(struct takt_task *task)
{
    hooks++;
    CHECK(task == scenario_find("a") && takt_port_in_interrupt());
    CHECK_EQUAL(scenario_now(), 4);
}

static struct takt_task_config *late(enum takt_policy policy)
{
    scenario_new();
    jobs = 0;
    hooks = 0;
    struct takt_task_config *config = scenario_periodic("a", 1, long_first, 4);
    scenario_on_miss(config, policy);
    return config;
}

static void check_figures(unsigned completed, unsigned misses, unsigned overruns, unsigned lost)
{
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_JOBS), completed);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISSES), misses);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_OVERRUNS), overruns);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_LOST), lost);
}

static void policy_continue(void)
{
    (void)late(TAKT_MISS_CONTINUE);
    scenario_run(14);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a6 a8 a12");
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a6 a7 a9 a13");
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 1), "a6=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), "a6=1"); /* the release of 4, counted when the job before ends */
    CHECK(released[0] == 0 && released[1] == 4 && released[2] == 8 && released[3] == 12);
    check_figures(4, 1, 1, 0);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_RESPONSE_MAX), TAKT_MS(6));
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_EXECUTION_MAX), TAKT_MS(6));
}

static void policy_skip(void)
{
    (void)late(TAKT_MISS_SKIP);
    scenario_run(14);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a8 a12");
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), "a6=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 1), "a6=1");
    check_figures(3, 1, 1, 1);
}

/* The first job executes for as long as its argument says (ns), the others not at all. */
static void long_once(void *argument)
{
    if (jobs++ == 0) {
        takt_work((uint64_t)(uintptr_t)argument);
    }
}

static void many_behind(enum takt_policy policy, uint64_t work_ns)
{
    scenario_new();
    jobs = 0;
    struct takt_task_config *config = scenario_periodic("a", 1, long_once, 1);
    config->argument = (void *)(uintptr_t)work_ns;
    scenario_on_miss(config, policy);
}

/* Releases at 1 ... 300 find the job unfinished that ends in the middle of the 301st ms; a record tells 255 at most. */
static void skips_many(void)
{
    many_behind(TAKT_MISS_SKIP, TAKT_US(300500));
    scenario_run(303);
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), "a300=255");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 1), "a300=255");
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a301 a302 a303");
    check_figures(3, 1, 300, 300); /* the job of 303 is cut off */
    many_behind(TAKT_MISS_SKIP, TAKT_US(3500));
    scenario_run(5);
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 1), "a3=3");
    many_behind(TAKT_MISS_SKIP, TAKT_US(255500));
    scenario_run(257);
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 1), "a255=255");
}

/* Nothing is dropped: each release that came meanwhile has its job, and is counted when the job before it ends. */
static void continues_many(void)
{
    many_behind(TAKT_MISS_CONTINUE, TAKT_US(3500));
    scenario_run(5);
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), "a3=1 a3=1 a3=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a3 a3 a3 a4 a5");
    check_figures(5, 3, 3, 0); /* those of 0, 1 and 2 are late, that of 3 is not; the job of 5 is cut off */
}

/* The end of the run comes first: the figures count what the unfinished job would have. */
static void many_behind_at_the_end(void)
{
    many_behind(TAKT_MISS_SKIP, TAKT_S(1));
    scenario_run(300);
    check_figures(0, 1, 300, 300);
    many_behind(TAKT_MISS_CONTINUE, TAKT_S(1));
    scenario_run(300);
    check_figures(0, 299, 300, 0); /* deadlines 1 ... 299 */
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 0), "");
}

static void policy_stop(void)
{
    (void)late(TAKT_MISS_STOP);
    scenario_run(14);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a4");
    CHECK_TEXT(scenario_runs(), "a0 -4");
    check_figures(0, 1, 0, 0);
}

static void policy_notify(void)
{
    late(TAKT_MISS_NOTIFY)->miss_hook = count_hook;
    scenario_run(14);
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 0), "a4");
    CHECK_EQUAL(hooks, 1);
    check_figures(4, 1, 1, 0);
    (void)late(TAKT_MISS_NOTIFY); /* without a hook */
    scenario_run(14);
    check_figures(4, 1, 1, 0);
}

/* A job that ends at its deadline is in time, under every policy, and the release at that time finds it done. */
static void work_4(void *argument)
{
    (void)argument;
    scenario_work(4);
}

static void in_time(void)
{
    for (unsigned policy = TAKT_MISS_CONTINUE; policy <= TAKT_MISS_NOTIFY; policy++) {
        scenario_new();
        scenario_on_miss(scenario_periodic("a", 1, work_4, 4), (enum takt_policy)policy);
        scenario_run(20);
        check_figures(5, 0, 0, 0);
        CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a4 a8 a12 a16 a20");
    }
}

static void work_1(void *argument)
{
    (void)argument;
    scenario_work(1);
}

static void work_30(void *argument)
{
    (void)argument;
    scenario_work(30);
}

/* At the end: a's job of 0 and those behind it (due 4, 8, 12) are misses, b's of 0 (due 6) too; the first is a's. */
static void unfinished(void)
{
    scenario_new();
    (void)scenario_periodic("b", 1, work_30, 6);
    (void)scenario_periodic("a", 2, work_30, 4);
    scenario_run(13);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISSES), 3);
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_MISSES), 2);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_OVERRUNS), 3); /* those of 4, 8, 12 */
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_OVERRUNS), 2); /* those of 6, 12 */
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_LOST), 0);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISS_RELEASE), 0);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISS_DEADLINE), TAKT_MS(4));
    CHECK_EQUAL(scenario_figure("b", TAKT_EVENT_STAT_END), TAKT_MS(13)); /* of no task: kept in the first */
}

/* A task that counts nothing: only what its unfinished job would count is in the figures. */
static void uncounted(void)
{
    late(TAKT_MISS_CONTINUE)->statistics = NULL;
    scenario_run(14);
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a6 a7 a9 a13");
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 1), "a6=1");
    check_figures(0, 0, 0, 0);
    CHECK_EQUAL(takt_task_statistics(&scenario.tasks[0]).jobs_completed, 0);
    late(TAKT_MISS_CONTINUE)->statistics = NULL;
    scenario_run(5);
    check_figures(0, 1, 1, 0);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISS_DEADLINE), TAKT_MS(4));
}

static void loop(void *argument)
{
    (void)argument;
    for (unsigned job = 0; job < 3; job++) {
        CHECK_EQUAL(takt_job_release_ns(), TAKT_MS(1 + 5 * job));
        CHECK_EQUAL(takt_job_deadline_ns(), TAKT_MS(4 + 5 * job));
        scenario_work(1);
        takt_job_wait();
    }
}

/* A loop task waits for its jobs itself, and stops when it returns. */
static void loops(void)
{
    scenario_new();
    struct takt_task_config *config = scenario_periodic("a", 1, loop, 5);
    config->style = TAKT_STYLE_LOOP;
    config->offset_ns = TAKT_MS(1);
    config->deadline_ns = TAKT_MS(3);
    scenario_run(30);
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a2 a7 a12");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a16");
}

static void restart_a(void *argument)
{
    (void)argument;
    struct takt_task *task = scenario_find("a");
    static struct takt_task_statistics fresh;
    static struct takt_task_config other;
    fresh = (struct takt_task_statistics){.misses = 0};
    other = scenario.configs[0];
    other.statistics = &fresh;
    CHECK(takt_task_start(task, &scenario.configs[0]) == TAKT_STATE);
    scenario_sleep_to(5); /* a has missed and was stopped */
    CHECK(takt_task_start(task, &scenario.configs[0]) == TAKT_OK);
    scenario_sleep_to(8);
    CHECK_EQUAL(takt_task_statistics(task).misses, 1);
    CHECK_EQUAL(takt_task_statistics(task).jobs_completed, 1);
    takt_task_stop(task);
    takt_task_stop(task); /* nothing more */
    takt_task_suspend(task);
    CHECK(takt_task_start(task, &other) == TAKT_OK);
    CHECK_EQUAL(takt_task_statistics(task).misses, 0);
    CHECK_EQUAL(scenario.configs[0].statistics->misses, 1);
    takt_task_stop(task);
    takt_job_release(scenario_find("s"));
    scenario_sleep_to(9);
    takt_task_stop(scenario_find("s"));
    takt_job_release(scenario_find("s")); /* nobody listens */
}

/* Started again with the same configuration, a task goes on counting; another has statistics of its own. */
static void restarts(void)
{
    (void)late(TAKT_MISS_STOP);
    (void)scenario_sporadic("s", 3, work_1, 5);
    (void)scenario_task("r", 0, restart_a);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_START, 0), "a0 s0 r0 a5 a8");
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a0 a5 s8");
}

static uint64_t expected_ns;

static void on_the_beat(void *argument)
{
    (void)argument;
    CHECK_EQUAL(takt_job_release_ns(), expected_ns);
    expected_ns += 333333;
    takt_work(1 + expected_ns % 200000);
}

/* A million releases of an awkward period: the last is where it belongs. */
static void no_drift(void)
{
    scenario_new();
    struct takt_task_config *config = scenario_periodic("a", 1, on_the_beat, 1);
    config->period_ns = 333333;
    config->deadline_ns = 333333;
    expected_ns = 0;
    scenario_run(333334);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_JOBS), 1000003);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISSES), 0);
}

/* Times beyond the end of time are the end of time. */
static void end_of_time(void)
{
    scenario_new();
    struct takt_task_config *config = scenario_periodic("a", 1, work_1, 1);
    config->period_ns = TAKT_FOREVER - 1;
    config->deadline_ns = TAKT_FOREVER / 2;
    config->offset_ns = TAKT_MS(5);
    scenario_on_miss(config, TAKT_MISS_NOTIFY);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a5");
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a6");
    check_figures(1, 0, 0, 0);
}

static void work_its_number(void *argument)
{
    takt_work((uint64_t)(uintptr_t)argument);
}

/* 20 tasks for a minute. */
static void a_minute(bool edf)
{
    static const char names[20][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
                                      "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};
    uint64_t expected[20];
    scenario_new();
    if (edf) {
        scenario_edf(0);
    }
    for (unsigned index = 0; index < 20; index++) {
        unsigned period_ms = 5 + 7 * index;
        struct takt_task_config *config = scenario_periodic(names[index], edf ? 0 : index, work_its_number, period_ms);
        config->argument = (void *)(uintptr_t)(period_ms * UINT64_C(40000)); /* 4 % each */
        expected[index] = (60000 + period_ms - 1) / period_ms;
    }
    scenario_run(60000);
    for (unsigned index = 0; index < 20; index++) {
        uint64_t done = scenario_figure(names[index], TAKT_EVENT_STAT_JOBS);
        CHECK(done == expected[index] || done + 1 == expected[index]); /* the last may be cut off */
        CHECK_EQUAL(scenario_figure(names[index], TAKT_EVENT_STAT_EXECUTION_MAX), (5 + 7 * index) * UINT64_C(40000));
        CHECK(!edf || scenario_figure(names[index], TAKT_EVENT_STAT_MISSES) == 0);
    }
}

int main(void)
{
    policy_continue();
    policy_skip();
    skips_many();
    continues_many();
    many_behind_at_the_end();
    policy_stop();
    policy_notify();
    in_time();
    unfinished();
    uncounted();
    loops();
    restarts();
    no_drift();
    end_of_time();
    a_minute(false);
    a_minute(true);
    return 0;
}
