/* SPDX-License-Identifier: Apache-2.0 */
/* Watchdogs: kicks, every action, what a restart keeps, every status, misuse. */
#include "kernel/test/support/misuse.h"
#include "meanwhile.h"

#include "kernel/port.h"
#include "takt/admission.h"

static struct takt_watchdog watchdog;
static struct takt_mutex mutex;
static struct takt_alarm alarm;
static char expiries[64]; /* times, ms */
static unsigned runs;

static void note_expiry(struct takt_watchdog *which)
{
    unsigned used = (unsigned)strlen(expiries);
    CHECK(which == &watchdog && used + 8 < sizeof expiries);
    snprintf(&expiries[used], sizeof expiries - used, "%s%u", used == 0 ? "" : " ", scenario_now());
}

static enum takt_watchdog_action action;

static void start(void)
{
    void (*hook)(struct takt_watchdog * which) = action == TAKT_WATCHDOG_NOTIFY ? note_expiry : NULL;
    takt_watchdog_init(&watchdog, 1, scenario_find("w"), TAKT_MS(6), action, hook);
    CHECK(takt_watchdog_start(&watchdog) == TAKT_OK && takt_watchdog_start(&watchdog) == TAKT_STATE);
}

static void fresh(enum takt_watchdog_action does)
{
    scenario_new();
    expiries[0] = '\0';
    runs = 0;
    action = does;
    meanwhile = NULL;
    takt_mutex_init(&mutex, 2);
    scenario.before = start;
}

static TAKT_WATCHDOG_DEFINE(defined, 9, &scenario.tasks[0], TAKT_MS(3), TAKT_WATCHDOG_STOP, NULL);

static void starts_defined(void *argument)
{
    (void)argument;
    CHECK(takt_watchdog_start(&defined) == TAKT_OK);
    scenario_sleep_to(10);
    CHECK(false);
}

static void by_definition(void)
{
    scenario_new();
    (void)scenario_task("w", 1, starts_defined);
    scenario_run(20);
    CHECK(takt_watchdog_expired(&defined) == 1 && takt_task_stopped(scenario_find("w")));
}

static void kicks(void *argument)
{
    (void)argument;
    for (unsigned at = 2; at <= 14; at += 4) { /* 2 6 10 14 */
        scenario_sleep_to(at);
        takt_watchdog_kick(&watchdog);
    }
    CHECK(takt_watchdog_expired(&watchdog) == 0);
    scenario_sleep_to(28);
    CHECK(takt_watchdog_expired(&watchdog) == 2);
    CHECK(takt_watchdog_stop(&watchdog) == TAKT_OK && takt_watchdog_stop(&watchdog) == TAKT_STATE);
    takt_watchdog_kick(&watchdog); /* nothing */
    scenario_sleep_to(40);
    CHECK(takt_watchdog_start(&watchdog) == TAKT_OK);
    scenario_sleep_to(45);
}

/* It expires a time after the last kick, and after each expiry. */
static void notify(void)
{
    fresh(TAKT_WATCHDOG_NOTIFY);
    (void)scenario_task("w", 1, kicks);
    scenario_run(50);
    CHECK_TEXT(expiries, "20 26 46");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_WATCHDOG, 1),
                   "w0=1 w2=3 w6=3 w10=3 w14=3 w20=0 w26=0 w28=2 w28=3 w40=1 w46=0");
    }
}

static void hangs(void *argument)
{
    (void)argument;
    runs++;
    scenario_work(runs == 1 ? 1000 : 1);
    takt_watchdog_kick(&watchdog);
}

static void stop(void)
{
    fresh(TAKT_WATCHDOG_STOP);
    (void)scenario_task("w", 1, hangs);
    scenario_run(50);
    CHECK(takt_task_stopped(scenario_find("w")) && takt_watchdog_expired(&watchdog) == 1 && runs == 1);
    CHECK(takt_watchdog_stop(&watchdog) == TAKT_STATE);
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "w6");
    }
}

/* A background task comes back after the time; it ends, and is stopped and started anew for want of kicks. */
static void restart_background(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    (void)scenario_task("w", 1, hangs);
    scenario_run(18);
    CHECK(runs == 2 && takt_watchdog_expired(&watchdog) == 1);
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "w6 w13");
        CHECK_TEXT(scenario_events(TAKT_EVENT_START, 0), "w0 w12");
    }
}

static void work_7(struct takt_alarm *which)
{
    (void)which;
    scenario_work(7);
}

static void start_busy(void)
{
    start();
    takt_alarm_init(&alarm, 3, work_7, 0);
    CHECK(takt_alarm_start(&alarm, TAKT_MS(6)) == TAKT_OK);
}

/* The interrupt that stopped it lasts until 13: at 12 it has not left the processor yet. It comes a time later. */
static void restart_before_it_left(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    scenario.before = start_busy;
    (void)scenario_task("w", 1, hangs);
    scenario_run(23);
    CHECK(runs == 2 && takt_watchdog_expired(&watchdog) == 1);
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "w6 w20");
        CHECK_TEXT(scenario_events(TAKT_EVENT_START, 0), "w0 w19");
    }
}

static void started_by_another(void *argument)
{
    (void)argument;
    scenario_sleep_to(10);
    CHECK(takt_task_stopped(scenario_find("w")));
    CHECK(takt_task_start(scenario_find("w"), &scenario.configs[0]) == TAKT_OK);
    scenario_sleep_to(11); /* it runs */
    scenario_work(2);      /* and is preempted at 12, when the watchdog would start it */
}

static void hangs_long(void *argument)
{
    (void)argument;
    runs++;
    scenario_work(runs == 1 ? 1000 : 4);
    takt_watchdog_kick(&watchdog);
}

static void start_meanwhile(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    (void)scenario_task("w", 2, hangs_long);
    (void)scenario_task("s", 1, started_by_another);
    scenario_run(17);
    CHECK(runs == 2 && takt_watchdog_expired(&watchdog) == 1);
}

static void hangs_locked(void *argument)
{
    (void)argument;
    runs++;
    scenario_lock(&mutex);
    scenario_work(runs == 1 ? 15 : 1);
    takt_mutex_unlock(&mutex);
    scenario_work(1);
    CHECK(runs == 2);
}

/* Stopped at the last unlock, at 15, and then restarted at the next time: 18. */
static void restart_holder(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    (void)scenario_task("w", 1, hangs_locked);
    scenario_run(22);
    CHECK(runs == 2 && takt_watchdog_expired(&watchdog) == 1);
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "w15 w20");
        CHECK_TEXT(scenario_events(TAKT_EVENT_START, 0), "w0 w18");
    }
}

#if TAKT_JOBS
static uint64_t releases_ms[16];
static unsigned released;

static void hanging_job(void *argument)
{
    (void)argument;
    releases_ms[released++] = takt_job_release_ns() / TAKT_MS(1);
    hangs(argument);
}

/* The next release is the one that would have come: of those at 1, 5, 9 ... the first after 7. */
static void restart_periodic(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    released = 0;
    scenario_periodic("w", 1, hanging_job, 4)->offset_ns = TAKT_MS(1);
    scenario_run(15);
    CHECK(takt_watchdog_expired(&watchdog) == 1 && released == 3);
    CHECK(releases_ms[0] == 1 && releases_ms[1] == 9 && releases_ms[2] == 13);
}

/* One that has not been released yet begins when it would have. */
static void restart_before_the_first(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    released = 0;
    runs = 1;
    scenario_periodic("w", 1, hanging_job, 4)->offset_ns = TAKT_MS(9);
    scenario_run(15);
    CHECK(takt_watchdog_expired(&watchdog) == 1 && released == 2);
    CHECK(releases_ms[0] == 9 && releases_ms[1] == 13);
}

static void started_anew_at_5(void *argument)
{
    (void)argument;
    scenario_sleep_to(5);
    takt_task_stop(scenario_find("w"));
    CHECK(takt_task_start(scenario_find("w"), &scenario.configs[0]) == TAKT_OK);
}

static void noting_job(void *argument)
{
    (void)argument;
    releases_ms[released++] = takt_job_release_ns() / TAKT_MS(1);
}

/* It was released at 4, but not since it was started anew: then it would have been at 9. */
static void restart_of_another_life(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    released = 0;
    scenario_periodic("w", 1, noting_job, 4)->offset_ns = TAKT_MS(4);
    (void)scenario_task("s", 2, started_anew_at_5);
    scenario_run(12);
    CHECK(takt_watchdog_expired(&watchdog) == 1 && released == 2);
    CHECK(releases_ms[0] == 4 && releases_ms[1] == 9);
}

static void release_it(struct takt_alarm *which)
{
    (void)which;
    takt_job_release(scenario_find("w"));
}

static void start_arrivals(void)
{
    start();
    takt_alarm_init(&alarm, 3, release_it, TAKT_MS(2)); /* 1, 3, 5 ...: more often than it may */
    CHECK(takt_alarm_start(&alarm, TAKT_MS(1)) == TAKT_OK);
}

/* Released at 1; the next, at 8, is given up with the job. The task comes back then, and at 9 something arrives. */
static void restart_sporadic(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    released = 0;
    scenario.before = start_arrivals;
    (void)scenario_sporadic("w", 1, hanging_job, 7);
    scenario_run(15);
    CHECK(takt_watchdog_expired(&watchdog) == 1 && released == 2);
    CHECK(releases_ms[0] == 1 && releases_ms[1] == 9);
}

static void idle_job(void *argument)
{
    (void)argument;
}

/* A sporadic task that never came is restarted a minimum later. */
static void restart_never_released(void)
{
    fresh(TAKT_WATCHDOG_RESTART);
    (void)scenario_sporadic("w", 1, idle_job, 5);
    scenario_run(16);
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "w6");
        CHECK_TEXT(scenario_events(TAKT_EVENT_START, 0), "w0 w11");
    }
    CHECK(takt_watchdog_expired(&watchdog) == 1);
}
#endif

static void stop_it(void)
{
    CHECK(takt_watchdog_stop(&watchdog) == TAKT_OK);
}

static void start_anew(void)
{
    CHECK(takt_watchdog_stop(&watchdog) == TAKT_OK && takt_watchdog_start(&watchdog) == TAKT_OK);
}

static void (*comes_between)(void);

static void come_between(struct takt_alarm *which)
{
    (void)which;
    meanwhile = comes_between;
    calls_before = 1;
}

static void start_both(void)
{
    takt_alarm_init(&alarm, 3, come_between, 0);
    CHECK(takt_alarm_start(&alarm, TAKT_MS(6)) == TAKT_OK);
    start();
}

/* An interrupt of a higher priority comes when the timer's interrupt has just taken the watchdog. */
static void interrupted(void (*between)(void), const char *expected)
{
    fresh(TAKT_WATCHDOG_NOTIFY);
    comes_between = between;
    scenario.before = start_both;
    (void)scenario_task("w", 1, hangs);
    scenario_run(14);
    CHECK_TEXT(expiries, expected);
    CHECK(meanwhile == NULL);
}

static void initialize(enum takt_watchdog_action does, uint64_t time_ns, struct takt_task *task)
{
    takt_watchdog_init(&watchdog, 1, task, time_ns, does, NULL);
}

static void call_start(void)
{
    (void)!takt_watchdog_start(&watchdog);
}

static void call_start_without_hook(void)
{
    initialize(TAKT_WATCHDOG_NOTIFY, 5, scenario_find("a"));
    call_start();
}

static void call_start_with_hook(void)
{
    takt_watchdog_init(&watchdog, 1, scenario_find("a"), 5, TAKT_WATCHDOG_STOP, note_expiry);
    call_start();
}

static void call_start_without_time(void)
{
    initialize(TAKT_WATCHDOG_STOP, 0, scenario_find("a"));
    call_start();
}

static void call_start_without_task(void)
{
    initialize(TAKT_WATCHDOG_STOP, 5, NULL);
    call_start();
}

static void call_start_for_no_task(void)
{
    static struct takt_task never_started;
    initialize(TAKT_WATCHDOG_STOP, 5, &never_started);
    call_start();
}

#if !TAKT_PROCESSES
static void call_start_under_proof(void)
{
    static const struct takt_admission admission;
    initialize(TAKT_WATCHDOG_STOP, TAKT_MS(500), scenario_find("a"));
    scenario.system.admission = &admission;
    call_start();
    stop_it();
    initialize(TAKT_WATCHDOG_RESTART, TAKT_MS(500), scenario_find("a")); /* no proof would have counted it */
    call_start();
}
#endif

static void call_kick(void)
{
    takt_watchdog_kick(&watchdog);
}

static void call_stop(void)
{
    (void)takt_watchdog_stop(&watchdog);
}

static void call_halt(void)
{
    initialize(TAKT_WATCHDOG_HALT, TAKT_MS(1), scenario_find("a"));
    call_start();
    scenario_work(2);
}

#define WATCHDOG_FILE "kernel/time/watchdog.c"
static const struct misuse misuses[] = {
    {call_start, FREE_INTERRUPT, WATCHDOG_FILE, BANDS},    {call_start_without_hook, TASK, WATCHDOG_FILE, BANDS},
    {call_start_with_hook, TASK, WATCHDOG_FILE, BANDS},    {call_start_without_time, TASK, WATCHDOG_FILE, BANDS},
    {call_start_without_task, TASK, WATCHDOG_FILE, BANDS}, {call_start_for_no_task, TASK, WATCHDOG_FILE, BANDS},
#if !TAKT_PROCESSES /* there the task's admission lasts until it starts again */
    {call_start_under_proof, TASK, WATCHDOG_FILE, BANDS},
#endif
    {call_kick, INTERRUPT, WATCHDOG_FILE, BANDS},          {call_kick, JOB, WATCHDOG_FILE, BANDS}, /* another task's */
    {call_stop, FREE_INTERRUPT, WATCHDOG_FILE, BANDS},     {call_halt, TASK, "?watchdog", BANDS},  /* as declared */
};

static void prepare(const struct misuse *next)
{
    (void)next;
    initialize(TAKT_WATCHDOG_STOP, TAKT_MS(500), scenario_find("a"));
}

int main(void)
{
    by_definition();
    notify();
    stop();
    restart_background();
    restart_before_it_left();
    start_meanwhile();
    restart_holder();
#if TAKT_JOBS
    restart_periodic();
    restart_before_the_first();
    restart_of_another_life();
    restart_sporadic();
    restart_never_released();
#endif
    interrupted(stop_it, "");
    interrupted(start_anew, "12");
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
