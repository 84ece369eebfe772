/* SPDX-License-Identifier: Apache-2.0 */
/* Alarms and watchdogs: each has a timer, among those of the others, which sleep. */
#include "calls.h"

static struct takt_alarm alarms[OTHERS_MAX];
static struct takt_alarm_queue queue;
static struct takt_semaphore came;
static struct takt_alarm *last; /* in the queue, and the most expensive to stop */

static void handler(struct takt_alarm *alarm)
{
    (void)alarm;
}

static void alarm_setup(void)
{
    takt_alarm_init(&alarms[0], 1, handler, 0);
    last = &alarms[0];
}

/* With everything in front of it. */
static void started_arm(void)
{
    (void)!takt_alarm_start(last, last_ns);
}

/* One alarm for each of the others has come and is not served; the last of them comes again, after all others. */
static void queued_arm(void)
{
    takt_semaphore_init(&came, 2, NULL, 0, OTHERS_MAX);
    takt_alarm_queue_init(&queue, &came);
    for (unsigned i = 0; i < others; i++) {
        last = &alarms[i];
        takt_alarm_init(last, 1, handler, i + 1u < others ? 0 : last_ns);
        takt_alarm_attach(last, &queue);
        (void)!takt_alarm_start(last, 0);
        takt_delay(TAKT_US(300));
    }
    if (takt_semaphore_count(&came) != others) {
        fail("not all alarms came");
    }
}

static void alarm_undo(void)
{
    (void)takt_alarm_stop(last);
}

static struct takt_alarm fresh_alarm;

DO(alarm_init, takt_alarm_init(&fresh_alarm, 1, handler, TAKT_S(1)))
DO(attach, takt_alarm_attach(&fresh_alarm, &queue))
DO(queue_init, takt_alarm_queue_init(&queue, &came))
CALL(alarm_start, takt_alarm_start(&alarms[0], worst_ns))
CALL(alarm_start_first, takt_alarm_start(&alarms[0], earliest_ns))
DO(restart, takt_alarm_restart(last, worst_ns))
DO(restart_first, takt_alarm_restart(last, earliest_ns))
CALL(alarm_stop, takt_alarm_stop(last))
CALL(remaining, takt_alarm_remaining_ns(last) > TAKT_S(1))
CALL(missed, takt_alarm_missed(last))
CALL(serve, takt_alarm_serve(&queue) == others)

static const struct scenario alarms_measured[] = {
    {"takt_alarm_init", "", RETURNS, 0, 0, alarm_init},
    {"takt_alarm_attach", "", RETURNS, 0, 0, attach},
    {"takt_alarm_queue_init", "", RETURNS, 0, 0, queue_init},
    {"takt_alarm_start", "worst position", RETURNS, TAKT_OK, 0, alarm_start, alarm_setup, .undo = alarm_undo},
    {"takt_alarm_start", "before all", RETURNS, TAKT_OK, 0, alarm_start_first, alarm_setup, .undo = alarm_undo},
    {"takt_alarm_restart", "the last timer", RETURNS, 0, 0, restart, alarm_setup, .arm = started_arm,
     .undo = alarm_undo},
    {"takt_alarm_restart", "the last timer, then before all", RETURNS, 0, 0, restart_first, alarm_setup,
     .arm = started_arm, .undo = alarm_undo},
    {"takt_alarm_restart", "and the last of a queue", RETURNS, 0, 0, restart, .arm = queued_arm, .undo = alarm_undo},
    {"takt_alarm_restart", "and the last of a queue, then before all", RETURNS, 0, 0, restart_first, .arm = queued_arm,
     .undo = alarm_undo},
    {"takt_alarm_stop", "the last timer", RETURNS, TAKT_OK, 0, alarm_stop, alarm_setup, .arm = started_arm},
    {"takt_alarm_stop", "and the last of a queue", RETURNS, TAKT_OK, 0, alarm_stop, .arm = queued_arm},
    {"takt_alarm_remaining_ns", "", RETURNS, true, 0, remaining, alarm_setup, .arm = started_arm, .undo = alarm_undo},
    {"takt_alarm_missed", "", RETURNS, 0, 0, missed, alarm_setup},
    {"takt_alarm_serve", "one for each task", RETURNS, true, 0, serve, .arm = queued_arm, .undo = alarm_undo},
};

static struct takt_watchdog watchdog;

static void expires(struct takt_watchdog *expired)
{
    (void)expired;
}

static void watchdog_for(uint64_t at_ns)
{
    takt_watchdog_init(&watchdog, 1, &runner.task, at_ns - takt_now(), TAKT_WATCHDOG_NOTIFY, expires);
}

static void worst_arm(void)
{
    watchdog_for(worst_ns);
}

static void first_arm(void)
{
    watchdog_for(earliest_ns);
}

static void watched_arm(void)
{
    watchdog_for(last_ns);
    (void)!takt_watchdog_start(&watchdog);
}

static void watchdog_undo(void)
{
    (void)takt_watchdog_stop(&watchdog);
}

DO(watchdog_init, takt_watchdog_init(&watchdog, 1, &runner.task, TAKT_S(1), TAKT_WATCHDOG_NOTIFY, expires))
CALL(watchdog_start, takt_watchdog_start(&watchdog))
DO(kick, takt_watchdog_kick(&watchdog))
CALL(watchdog_stop, takt_watchdog_stop(&watchdog))
CALL(expired, takt_watchdog_expired(&watchdog))

static const struct scenario watchdogs[] = {
    {"takt_watchdog_init", "", RETURNS, 0, 0, watchdog_init},
    {"takt_watchdog_start", "worst position", RETURNS, TAKT_OK, 0, watchdog_start, .arm = worst_arm,
     .undo = watchdog_undo},
    {"takt_watchdog_start", "before all", RETURNS, TAKT_OK, 0, watchdog_start, .arm = first_arm, .undo = watchdog_undo},
    {"takt_watchdog_kick", "", RETURNS, 0, 0, kick, .arm = watched_arm, .undo = watchdog_undo},
    {"takt_watchdog_stop", "the last timer", RETURNS, TAKT_OK, 0, watchdog_stop, .arm = watched_arm},
    {"takt_watchdog_expired", "", RETURNS, 0, 0, expired, .arm = watched_arm, .undo = watchdog_undo},
};

void measure_timers(void)
{
    MEASURE(alarms_measured);
    MEASURE(watchdogs);
}
