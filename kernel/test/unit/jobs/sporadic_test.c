/* SPDX-License-Identifier: Apache-2.0 */
/* Sporadic arrivals: deferred, waiting, dropped and lost; all times worked out by hand. */
#include "kernel/test/support/scenario.h"

#include "kernel/port.h"
#include "ports/host/host.h"

static unsigned jobs;

/* The first job executes for 6 ms, the others for 1. */
static void long_first(void *argument)
{
    (void)argument;
    scenario_work(jobs++ == 0 ? 6 : 1);
}

/* The first job executes for as long as its argument says (ns), the others not at all. */
static void long_once(void *argument)
{
    if (jobs++ == 0) {
        takt_work((uint64_t)(uintptr_t)argument);
    }
}

static void check_figures(unsigned completed, unsigned misses, unsigned overruns, unsigned lost)
{
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_JOBS), completed);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_MISSES), misses);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_OVERRUNS), overruns);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_LOST), lost);
}

static void releases_at_1_2_3(void *argument)
{
    (void)argument;
    for (unsigned at = 1; at <= 3; at++) {
        scenario_sleep_to(at);
        takt_job_release(scenario_find("a"));
    }
}

static struct takt_task_config *arrivals(unsigned capacity)
{
    scenario_new();
    jobs = 0;
    struct takt_task_config *config = scenario_sporadic("a", 1, long_first, 5);
    config->arrivals->capacity = (uint16_t)capacity;
    (void)scenario_task("r", 0, releases_at_1_2_3);
    return config;
}

/* Arrivals closer than the minimum are deferred, here to 6 and 11; the first job runs from 1 to 7. */
static void deferred(void)
{
    (void)arrivals(2);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a1 a7 a11");
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), "a7=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 0), "a7");
    check_figures(3, 1, 1, 0);
    (void)arrivals(1);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a1 a7");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 1), "a3=1");
    check_figures(2, 1, 1, 1);
    scenario_on_miss(arrivals(2), TAKT_MISS_SKIP);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a1 a11");
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), "a7=1");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 1), "a7=1");
    check_figures(2, 1, 1, 1);
}

/* Cut off while the job of 1 is unfinished: the releases at 6 and 11 are behind it, and 10 is the deadline of 6. */
static void unfinished(void)
{
    static const struct {
        enum takt_policy policy;
        unsigned end_ms;
        unsigned misses;
        unsigned behind;
    } cases[] = {{TAKT_MISS_CONTINUE, 10, 1, 1}, {TAKT_MISS_CONTINUE, 11, 2, 2}, {TAKT_MISS_SKIP, 12, 1, 2}};
    for (unsigned position = 0; position < sizeof cases / sizeof *cases; position++) {
        struct takt_task_config *config = arrivals(2);
        config->entry = long_once;
        config->argument = (void *)(uintptr_t)TAKT_MS(30);
        config->deadline_ns = TAKT_MS(4);
        scenario_on_miss(config, cases[position].policy);
        scenario_run(cases[position].end_ms);
        unsigned lost = cases[position].policy == TAKT_MISS_SKIP ? cases[position].behind : 0;
        check_figures(0, cases[position].misses, cases[position].behind, lost);
    }
}

/* The job of 1 ends at 6, the time of the arrival behind it, which is neither late nor dropped. */
static void work_5(void *argument)
{
    (void)argument;
    scenario_work(5);
}

static void in_time(void)
{
    for (unsigned policy = TAKT_MISS_CONTINUE; policy <= TAKT_MISS_SKIP; policy++) {
        struct takt_task_config *config = arrivals(2);
        config->entry = work_5;
        scenario_on_miss(config, (enum takt_policy)policy);
        scenario_run(20);
        CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a1 a6 a11");
        check_figures(3, 0, 0, 0);
    }
}

static void arrive_at_1_and_7(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_job_release(scenario_find("a"));
    scenario_sleep_to(7);
    takt_job_release(scenario_find("a"));
    takt_job_release(scenario_find("a"));
}

/* What comes now, and finds the job of 1 unfinished, is dropped at once; with `continue` it waits if there is room. */
static void dropped_now(void)
{
    for (unsigned policy = TAKT_MISS_CONTINUE; policy <= TAKT_MISS_SKIP; policy++) {
        scenario_new();
        jobs = 0;
        struct takt_task_config *config = scenario_sporadic("a", 1, long_once, 5);
        config->argument = (void *)(uintptr_t)TAKT_MS(8);
        scenario_on_miss(config, (enum takt_policy)policy);
        (void)scenario_task("r", 0, arrive_at_1_and_7);
        scenario_run(20);
        bool skip = policy == TAKT_MISS_SKIP;
        CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), skip ? "a1" : "a1 a9");
        CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 1), skip ? "a7=1 a7=1" : "a9=1");
        CHECK_TEXT(scenario_events(TAKT_EVENT_LOST, 1), skip ? "a7=1 a7=1" : "a7=1");
        check_figures(skip ? 1 : 2, 1, skip ? 2 : 1, skip ? 2 : 1);
    }
}

static void work_3_then_release(void)
{
    takt_work(TAKT_MS(3));
    takt_job_release(scenario_find("a"));
    if (scenario_now() == 4) {
        takt_job_release(scenario_find("a"));
    }
}

static void attach_release(void)
{
    takt_port_irq_attach(1, work_3_then_release, true);
    takt_host_interrupt_every(1, TAKT_MS(1), 0);
    takt_port_irq_attach(2, work_3_then_release, true);
    takt_host_interrupt_every(2, TAKT_MS(4), 0);
    takt_port_irq_attach(3, work_3_then_release, true);
    takt_host_interrupt_every(3, TAKT_MS(7), 0);
}

static void work_1(void *argument)
{
    (void)argument;
    scenario_work(1);
}

/*
 * Arrivals at 4, 4, 7, 10 in one stretch of interrupts, their releases at 4, 6, 8, 10: those behind the first wait for
 * the job before them.
 */
static void behind_interrupts(void)
{
    scenario_new();
    scenario_sporadic("a", 1, work_1, 2)->arrivals->capacity = 3;
    scenario.before = attach_release;
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a4 a11 a12 a13");
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 0), "a11 a12 a13");
    check_figures(4, 4, 3, 0);
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_RESPONSE_MAX), TAKT_MS(7));
}

static void releases_at_1_2(void *argument)
{
    (void)argument;
    for (unsigned at = 1; at <= 2; at++) {
        scenario_sleep_to(at);
        takt_job_release(scenario_find("a"));
    }
}

static void work_10_then_release(void)
{
    takt_work(TAKT_MS(10));
    takt_job_release(scenario_find("a"));
}

static void attach_long(void)
{
    takt_port_irq_attach(1, work_10_then_release, true);
    takt_host_interrupt_every(1, TAKT_MS(3), 0);
}

/* The arrival of 2 is due at 6 and cannot come before 13; that of 13 does not overtake it. */
static void in_order(void)
{
    scenario_new();
    scenario_sporadic("a", 1, work_1, 5)->arrivals->capacity = 2;
    (void)scenario_task("r", 0, releases_at_1_2);
    scenario.before = attach_long;
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a1 a13 a14");
    CHECK_TEXT(scenario_events(TAKT_EVENT_OVERRUN, 0), "a14");
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_RESPONSE_MAX), TAKT_MS(8));
}

static void release_a(void)
{
    takt_job_release(scenario_find("a"));
}

static void attach_every_ms(void)
{
    takt_port_irq_attach(1, release_a, true);
    takt_host_interrupt_every(1, TAKT_MS(1), TAKT_MS(1));
}

/* Arrivals at 1 ... 29, a job every 5 at the most, and two that wait: those of 1, 2, 3, 6, 11, 16, 21 and 26. */
static void for_long(void)
{
    scenario_new();
    scenario_sporadic("a", 1, work_1, 5)->arrivals->capacity = 2;
    scenario.before = attach_every_ms;
    scenario_run(30);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a1 a6 a11 a16 a21 a26");
    check_figures(6, 0, 0, 21);
}

int main(void)
{
    deferred();
    unfinished();
    in_time();
    dropped_now();
    behind_interrupts();
    in_order();
    for_long();
    return 0;
}
