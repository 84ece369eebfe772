/* SPDX-License-Identifier: Apache-2.0 */
/* Bursts of sporadic arrivals: how many come at once, what is deferred, and when a burst is possible again; by hand. */
#include "kernel/test/support/scenario.h"

static const unsigned *calls; /* times at which "r" releases "a", in order, 0 at the end */

static void nothing(void *argument)
{
    (void)argument;
}

static void releases(void *argument)
{
    (void)argument;
    for (; *calls != 0; calls++) {
        if (*calls > scenario_now()) {
            scenario_sleep_to(*calls);
        }
        takt_job_release(scenario_find("a"));
    }
}

static void ahead(void *argument)
{
    (void)argument;
    takt_job_release_at(scenario_find("a"), TAKT_MS(30));
    takt_job_release(scenario_find("a"));
}

static struct takt_task_config *bursting(unsigned burst, unsigned distance_ms)
{
    scenario_new();
    struct takt_task_config *config = scenario_sporadic("a", 1, nothing, 5);
    config->arrivals->capacity = 4;
    config->arrivals->burst_ns[0] = TAKT_MS(5) * (burst - 1);
    config->arrivals->distance_ns[0] = TAKT_MS(distance_ms);
    return config;
}

static const char *released(unsigned burst, unsigned distance_ms, const unsigned *times)
{
    (void)bursting(burst, distance_ms);
    (void)scenario_task("r", 0, releases);
    calls = times;
    scenario_run(80);
    return scenario_events(TAKT_EVENT_RELEASE, 0);
}

/* Three come at once, the others 5 apart; the sixth finds no room. */
static void at_once(void)
{
    static const unsigned six[] = {1, 1, 1, 1, 1, 1, 0};
    CHECK_TEXT(released(3, 0, six), "a1 a1 a1 a6 a11");
    CHECK_EQUAL(scenario_figure("a", TAKT_EVENT_STAT_LOST), 1);
    CHECK_TEXT(released(1, 0, six), "a1 a6 a11 a16 a21");
}

/* After three at 1, the regular times are 1, 6, 11: one may come at 6 or later, the next at 11. At 40 all is as new. */
static void again(void)
{
    static const unsigned times[] = {1, 1, 1, 9, 9, 40, 40, 40, 40, 0};
    CHECK_TEXT(released(3, 0, times), "a1 a1 a1 a9 a11 a40 a40 a40 a45");
    static const unsigned early[] = {1, 1, 1, 12, 12, 12, 0}; /* two periods have passed: two more, then the next */
    CHECK_TEXT(released(3, 0, early), "a1 a1 a1 a12 a12 a16");
}

static void apart(void)
{
    static const unsigned four[] = {1, 1, 1, 1, 0};
    CHECK_TEXT(released(3, 1, four), "a1 a2 a3 a6");
    CHECK_TEXT(released(3, 4, four), "a1 a5 a9 a13");
}

/* Behind one that is asked for later, the next comes no sooner. */
static void in_order(void)
{
    (void)bursting(2, 2);
    (void)scenario_task("r", 0, ahead);
    scenario_run(80);
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "a30 a32");
}

int main(void)
{
    at_once();
    again();
    apart();
    in_order();
    return 0;
}
