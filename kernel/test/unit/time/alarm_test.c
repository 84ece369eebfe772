/* SPDX-License-Identifier: Apache-2.0 */
/* Alarms: expiries, periods without drift, what is missed, queues that a task serves, every status, misuse. */
#include "kernel/test/support/misuse.h"
#include "meanwhile.h"

#include "kernel/port.h"

static struct takt_alarm alarms[3];
static struct takt_alarm_queue queue;
static struct takt_semaphore semaphore;
static char came[128]; /* "0@5 1@7": which alarm, when */
static unsigned works_ms;

static void note(struct takt_alarm *alarm)
{
    unsigned used = (unsigned)strlen(came);
    CHECK(used + 16 < sizeof came);
    snprintf(&came[used], sizeof came - used, "%s%u@%u", used == 0 ? "" : " ", (unsigned)(alarm - alarms),
             scenario_now());
    unsigned ms = works_ms; /* once */
    works_ms = 0;
    scenario_work(ms);
}

static void fresh(void)
{
    scenario_new();
    came[0] = '\0';
    works_ms = 0;
    meanwhile = NULL;
    for (unsigned index = 0; index < 3; index++) {
        takt_alarm_init(&alarms[index], (uint16_t)(index + 1), note, index == 0 ? 0 : TAKT_MS(index + 2));
    }
    takt_semaphore_init(&semaphore, 9, NULL, 0, 2);
    takt_alarm_queue_init(&queue, &semaphore);
}

static void starts_and_stops(void *argument)
{
    (void)argument;
    CHECK(takt_alarm_remaining_ns(&alarms[0]) == TAKT_FOREVER);
    CHECK(takt_alarm_stop(&alarms[0]) == TAKT_STATE);
    CHECK(takt_alarm_start(&alarms[0], TAKT_MS(5)) == TAKT_OK);
    CHECK(takt_alarm_start(&alarms[0], TAKT_MS(6)) == TAKT_STATE);
    CHECK(takt_alarm_remaining_ns(&alarms[0]) == TAKT_MS(5));
    scenario_sleep_to(4);
    CHECK(takt_alarm_remaining_ns(&alarms[0]) == TAKT_MS(1));
    scenario_sleep_to(7);
    CHECK(takt_alarm_remaining_ns(&alarms[0]) == TAKT_FOREVER && takt_alarm_stop(&alarms[0]) == TAKT_STATE);
    CHECK(takt_alarm_start(&alarms[0], TAKT_MS(9)) == TAKT_OK && takt_alarm_stop(&alarms[0]) == TAKT_OK);
    takt_alarm_restart(&alarms[0], TAKT_MS(10));
    takt_alarm_restart(&alarms[0], TAKT_MS(11));
    scenario_sleep_to(12);
    CHECK(takt_alarm_start(&alarms[0], TAKT_MS(2)) == TAKT_OK); /* has passed: at once */
    takt_delay(0);
    CHECK_TEXT(came, "0@5 0@11 0@12");
    CHECK(takt_alarm_missed(&alarms[0]) == 0);
}

static void once(void)
{
    fresh();
    (void)scenario_task("a", 1, starts_and_stops);
    scenario_run(20);
    CHECK_TEXT(came, "0@5 0@11 0@12");
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_ALARM, 1), "a0=1 !5=0 a7=1 a7=2 a7=1 a7=1 !11=0 a12=1 !12=0");
    }
}

static void starts_periods(void *argument)
{
    (void)argument;
    CHECK(takt_alarm_start(&alarms[1], TAKT_MS(2)) == TAKT_OK); /* every 3 */
    scenario_sleep_to(9);
    CHECK_TEXT(came, "1@2 1@5 1@8");
    works_ms = 9; /* from 11 to 20: 14 comes late, 17 is missed, 20 is in time */
    scenario_sleep_to(12);
    CHECK(takt_alarm_remaining_ns(&alarms[1]) == TAKT_MS(3));
    scenario_sleep_to(33);
    CHECK(takt_alarm_stop(&alarms[1]) == TAKT_OK && takt_alarm_stop(&alarms[1]) == TAKT_STATE);
    CHECK(takt_alarm_remaining_ns(&alarms[1]) == TAKT_FOREVER);
    CHECK(takt_alarm_start(&alarms[2], TAKT_MS(23)) == TAKT_OK); /* 27, 31 are missed */
    scenario_sleep_to(36);
    CHECK(takt_alarm_missed(&alarms[2]) == 2);
}

/* Every expiry is a multiple of the period after the first; the handler's time does not count. */
static void periodic(void)
{
    fresh();
    (void)scenario_task("a", 1, starts_periods);
    scenario_run(40);
    CHECK_TEXT(came, "1@2 1@5 1@8 1@11 1@20 1@20 1@23 1@26 1@29 1@32 2@33 2@35 2@39");
    CHECK(takt_alarm_missed(&alarms[1]) == 1);
}

static void start_exact(void)
{
    works_ms = 3; /* until 4, which is the next expiry: not missed */
    CHECK(takt_alarm_start(&alarms[1], TAKT_MS(1)) == TAKT_OK);
}

static void exactly(void)
{
    fresh();
    scenario.before = start_exact;
    scenario_run(9);
    CHECK_TEXT(came, "1@1 1@4 1@7");
    CHECK(takt_alarm_missed(&alarms[1]) == 0);
}

static void restarts_itself(struct takt_alarm *alarm)
{
    note(alarm);
    if (scenario_now() < 6) {
        CHECK(takt_alarm_start(alarm, takt_now() + TAKT_MS(2)) == TAKT_OK);
    }
}

static void stops_itself(struct takt_alarm *alarm)
{
    note(alarm);
    CHECK(takt_alarm_stop(alarm) == TAKT_OK);
}

/* From takt_system.init, and at time 0; handlers that use their own alarm; a period that ends with time. */
static void start_early(void)
{
    CHECK(takt_alarm_remaining_ns(&alarms[0]) == TAKT_FOREVER);
    CHECK(takt_alarm_start(&alarms[0], 0) == TAKT_OK && takt_alarm_start(&alarms[1], TAKT_MS(1)) == TAKT_OK);
    CHECK(takt_alarm_remaining_ns(&alarms[1]) == TAKT_MS(1));
    CHECK(takt_alarm_start(&alarms[2], TAKT_MS(3)) == TAKT_OK);
}

static void handlers(void)
{
    fresh();
    takt_alarm_init(&alarms[0], 1, restarts_itself, 0);
    takt_alarm_init(&alarms[1], 2, stops_itself, TAKT_MS(4));
    takt_alarm_init(&alarms[2], 3, note, TAKT_FOREVER - TAKT_MS(1));
    scenario.before = start_early;
    scenario_run(20);
    CHECK_TEXT(came, "0@0 1@1 0@2 2@3 0@4 0@6");
    CHECK(takt_alarm_remaining_ns(&alarms[2]) == TAKT_FOREVER && takt_alarm_stop(&alarms[2]) == TAKT_STATE);
}

static void serves(void *argument)
{
    (void)argument;
    for (;;) {
        CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
        (void)takt_alarm_serve(&queue);
    }
}

static void busy(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    scenario_work(9); /* until 15: nobody serves what comes */
}

static void start_queued(void)
{
    takt_alarm_attach(&alarms[0], &queue);
    takt_alarm_attach(&alarms[1], &queue);
    CHECK(takt_alarm_start(&alarms[1], TAKT_MS(2)) == TAKT_OK); /* 2 5, 8, missed: 11 14, 17 */
    CHECK(takt_alarm_start(&alarms[0], TAKT_MS(7)) == TAKT_OK);
}

/* By a task, in the order in which they came; those that come while they wait are missed. */
static void queued(void)
{
    fresh();
    (void)scenario_task("b", 1, busy);
    (void)scenario_task("s", 2, serves);
    scenario.before = start_queued;
    scenario_run(19);
    CHECK_TEXT(came, "1@2 1@5 0@15 1@15 1@17");
    CHECK(takt_alarm_missed(&alarms[1]) == 2 && takt_alarm_missed(&alarms[0]) == 0);
    if (TAKT_TRACE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_ALARM, 1),
                   "-0=1 -0=1 !2=0 s2=3 !5=0 s5=3 !7=0 !8=0 !11=0 !14=0 s15=3 s15=3 !17=0 s17=3");
    }
}

static unsigned defined_calls;

static void count(struct takt_alarm *alarm)
{
    (void)alarm;
    defined_calls++;
}

static TAKT_SEMAPHORE_DEFINE(defined_semaphore, 20, 0, 2);
static TAKT_ALARM_QUEUE_DEFINE(defined_queue, &defined_semaphore);
static TAKT_ALARM_DEFINE(defined, 21, count, TAKT_MS(2));
static TAKT_ALARM_QUEUED_DEFINE(defined_queued, 22, count, 0, &defined_queue);

static void uses_defined(void *argument)
{
    (void)argument;
    CHECK(takt_alarm_start(&defined, TAKT_MS(1)) == TAKT_OK);
    CHECK(takt_alarm_start(&defined_queued, TAKT_MS(1)) == TAKT_OK);
    scenario_sleep_to(4);
    CHECK(defined_calls == 2 && takt_semaphore_count(&defined_semaphore) == 1);
    CHECK(takt_alarm_serve(&defined_queue) == 1 && defined_calls == 3);
}

static void by_definition(void)
{
    fresh();
    (void)scenario_task("a", 1, uses_defined);
    scenario_run(5);
    CHECK(defined_calls >= 3);
}

static void withdraws(void *argument)
{
    (void)argument;
    for (unsigned index = 0; index < 3; index++) {
        takt_alarm_init(&alarms[index], (uint16_t)(index + 1), note, 0);
        takt_alarm_attach(&alarms[index], &queue);
    }
    CHECK(takt_alarm_serve(&queue) == 0);
    for (unsigned gone = 0; gone < 3; gone++) {
        unsigned after = (gone + 1) % 3;
        for (unsigned index = 0; index < 3; index++) {
            CHECK(takt_alarm_start(&alarms[index], 0) == TAKT_OK);
        }
        takt_delay(0);
        CHECK(takt_alarm_remaining_ns(&alarms[gone]) == TAKT_FOREVER); /* it has come, and waits */
        CHECK(takt_alarm_stop(&alarms[gone]) == TAKT_OK && takt_alarm_stop(&alarms[gone]) == TAKT_STATE);
        CHECK(takt_alarm_start(&alarms[gone], 0) == TAKT_OK); /* now the last */
        takt_alarm_restart(&alarms[after], takt_now());       /* and now that one is */
        takt_delay(0);
        came[0] = '\0';
        CHECK(takt_alarm_serve(&queue) == 3 && takt_alarm_serve(&queue) == 0);
        CHECK_TEXT(came, gone == 0 ? "2@0 0@0 1@0" : gone == 1 ? "0@0 1@0 2@0" : "1@0 2@0 0@0");
        CHECK(takt_alarm_stop(&alarms[gone]) == TAKT_STATE);
    }
}

static void withdrawn(void)
{
    fresh();
    (void)scenario_task("a", 1, withdraws);
    scenario_run(5);
}

static void starts_the_next(struct takt_alarm *alarm)
{
    note(alarm);
    takt_alarm_restart(alarm, takt_now()); /* comes at once, and has to wait for the next time */
    takt_work(1);
}

static void serves_once(void *argument)
{
    (void)argument;
    takt_alarm_init(&alarms[0], 1, starts_the_next, 0);
    takt_alarm_attach(&alarms[0], &queue);
    CHECK(takt_alarm_start(&alarms[0], 0) == TAKT_OK);
    takt_delay(0);
    CHECK(takt_alarm_serve(&queue) == 1);
    takt_delay(0);
    CHECK(takt_alarm_serve(&queue) == 1 && takt_alarm_missed(&alarms[0]) == 0);
}

/* A call serves what there was at its begin: it ends. */
static void bounded(void)
{
    fresh();
    (void)scenario_task("a", 1, serves_once);
    scenario_run(5);
    CHECK_TEXT(came, "0@0 0@0");
}

static void withdraws_the_other(struct takt_alarm *alarm)
{
    note(alarm);
    CHECK(takt_alarm_stop(&alarms[1]) == TAKT_OK);
}

static void serves_what_is_left(void *argument)
{
    (void)argument;
    takt_alarm_init(&alarms[0], 1, withdraws_the_other, 0);
    for (unsigned index = 0; index < 2; index++) {
        takt_alarm_attach(&alarms[index], &queue);
        CHECK(takt_alarm_start(&alarms[index], 0) == TAKT_OK);
    }
    takt_delay(0);
    CHECK(takt_alarm_serve(&queue) == 1);
}

/* A handler withdraws what waited with it: then there is less to serve than there was at the begin. */
static void withdrawn_by_handler(void)
{
    fresh();
    (void)scenario_task("a", 1, serves_what_is_left);
    scenario_run(2);
    CHECK_TEXT(came, "0@0");
}

#if TAKT_JOBS
static void serving_job(void *argument)
{
    (void)argument;
    CHECK(takt_alarm_serve(&queue) == 1);
}

static void start_triggered(void)
{
    takt_semaphore_init(&semaphore, 9, scenario_find("s"), 0, 1);
    takt_alarm_attach(&alarms[1], &queue);
    CHECK(takt_alarm_start(&alarms[1], TAKT_MS(4)) == TAKT_OK);
}

static void triggered(void)
{
    fresh();
    (void)scenario_sporadic("s", 1, serving_job, 3);
    scenario.before = start_triggered;
    scenario_run(12);
    CHECK_TEXT(came, "1@4 1@7 1@10");
    CHECK(scenario_figure("s", TAKT_EVENT_STAT_JOBS) == 3);
}
#endif

static void stop_1(void)
{
    CHECK(takt_alarm_stop(&alarms[1]) == TAKT_OK);
}

static void restart_1(void)
{
    takt_alarm_restart(&alarms[1], TAKT_MS(9));
}

static void (*comes_between)(void);

/* The first of two that expire now: between their calls the lock opens, and then for the second. */
static void come_between(struct takt_alarm *alarm)
{
    note(alarm);
    meanwhile = comes_between;
    calls_before = 1;
}

static void start_both(void)
{
    CHECK(takt_alarm_start(&alarms[0], TAKT_MS(5)) == TAKT_OK && takt_alarm_start(&alarms[1], TAKT_MS(5)) == TAKT_OK);
}

static void start_both_queued(void)
{
    takt_alarm_attach(&alarms[1], &queue);
    start_both();
}

/* An interrupt of a higher priority stops an alarm, or starts it anew, when the timer's interrupt has just taken it. */
static void interrupted(bool in_queue, void (*between)(void), const char *expected)
{
    fresh();
    comes_between = between;
    takt_alarm_init(&alarms[0], 1, come_between, 0);
    takt_alarm_init(&alarms[1], 2, note, TAKT_MS(20));
    (void)scenario_task("s", 2, serves);
    scenario.before = in_queue ? start_both_queued : start_both;
    scenario_run(12);
    CHECK_TEXT(came, expected);
    CHECK(meanwhile == NULL);
}

static void call_start(void)
{
    (void)!takt_alarm_start(&alarms[0], 5);
}

static void call_start_never(void)
{
    (void)!takt_alarm_start(&alarms[0], TAKT_FOREVER);
}

static void call_restart(void)
{
    takt_alarm_restart(&alarms[0], 5);
}

static void call_restart_never(void)
{
    takt_alarm_restart(&alarms[0], TAKT_FOREVER);
}

static void call_stop(void)
{
    (void)takt_alarm_stop(&alarms[0]);
}

static void call_serve(void)
{
    (void)takt_alarm_serve(&queue);
}

static void call_init_without_handler(void)
{
    takt_alarm_init(&alarms[0], 1, NULL, 0);
}

static void call_queue_init_without_semaphore(void)
{
    takt_alarm_queue_init(&queue, NULL);
}

static void call_attach_started(void)
{
    CHECK(takt_alarm_start(&alarms[0], TAKT_MS(500)) == TAKT_OK);
    takt_alarm_attach(&alarms[0], &queue);
}

#define ALARM_FILE "kernel/time/alarm.c"
#define QUEUE_FILE "kernel/time/alarm_queue.c"
static const struct misuse misuses[] = {
    {call_start, FREE_INTERRUPT, ALARM_FILE, BANDS},      {call_start_never, TASK, ALARM_FILE, BANDS},
    {call_restart, FREE_INTERRUPT, ALARM_FILE, BANDS},    {call_restart_never, TASK, ALARM_FILE, BANDS},
    {call_stop, FREE_INTERRUPT, ALARM_FILE, BANDS},       {call_serve, INTERRUPT, QUEUE_FILE, BANDS},
    {call_init_without_handler, TASK, ALARM_FILE, BANDS}, {call_queue_init_without_semaphore, TASK, QUEUE_FILE, BANDS},
    {call_attach_started, TASK, QUEUE_FILE, BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_alarm_init(&alarms[0], 1, note, 0);
    takt_semaphore_init(&semaphore, 9, NULL, 0, 2);
    takt_alarm_queue_init(&queue, &semaphore);
}

int main(void)
{
    once();
    periodic();
    exactly();
    handlers();
    queued();
    by_definition();
    withdrawn();
    bounded();
    withdrawn_by_handler();
#if TAKT_JOBS
    triggered();
#endif
    interrupted(false, stop_1, "0@5");
    interrupted(false, restart_1, "0@5 1@9");
    interrupted(true, stop_1, "0@5");
    interrupted(true, restart_1, "0@5 1@9");
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
