/* SPDX-License-Identifier: Apache-2.0 */
/* Owners of mutexes, and their waiters, that are stopped, deleted or suspended. Tasks as in inherit_test.c. */
#include "levels.h"

static void stop_b_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    takt_task_delete(scenario_find("b"));
    CHECK(takt_task_stopped(scenario_find("b")));
}

static void lock_m_at_2_never(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    scenario_lock(&m);
    CHECK(0);
}

/* A waiter is deleted: its holder falls back. */
static void waiter_deleted(void)
{
    three_levels(stop_b_at_3, lock_m_at_2_never, hold_m_for_5);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c2=2 c3=3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "b3 a3 c6");
}

static void stop_c_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_stop(scenario_find("c"));
    CHECK(!takt_task_stopped(scenario_find("c")));
    scenario_sleep_to(2);
    scenario_lock(&m);
    CHECK(takt_task_stopped(scenario_find("c")));
    takt_mutex_unlock(&m);
}

/* A holder is stopped at its last unlock, and inherits until then. */
static void holder_stopped(void)
{
    three_levels(stop_c_at_1, work_3_at_3, hold_m_for_5);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 a1 c1 a2 c2 a5 b5 -8");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "c5 a5 b8");
}

static void hold_m_for_5_once(void *argument)
{
    hold_m_for_5(argument);
    CHECK(0); /* never: it is stopped at the unlock */
}

/* Policy stop: the deadline comes at 3, the last unlock at 5. */
static void policy_waits(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    (void)scenario_task("a", 1, lock_m_at_2_work_1);
    struct takt_task_config *config = scenario_periodic("c", 3, hold_m_for_5_once, 10);
    config->deadline_ns = TAKT_MS(3);
    scenario_on_miss(config, TAKT_MISS_STOP);
    scenario_run(30);
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 0), "c3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "c5 a6");
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "c0");
    CHECK_EQUAL(scenario_figure("c", TAKT_EVENT_STAT_MISSES), 1);
    CHECK_EQUAL(scenario_figure("c", TAKT_EVENT_STAT_JOBS), 0);
}

static void hold_m_then_n(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(2);
    scenario_lock(&n); /* to be stopped, but not yet */
    scenario_work(1);
    takt_mutex_unlock(&n);
    scenario_work(2);
    takt_mutex_unlock(&m);
    CHECK(0);
}

static void stop_c_twice(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_stop(scenario_find("c"));
    takt_task_stop(scenario_find("c")); /* nothing more */
}

/* The last unlock stops, not the first, whatever was locked since. */
static void last_unlock_stops(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    takt_mutex_init(&n, 2);
    (void)scenario_task("a", 1, stop_c_twice);
    (void)scenario_task("c", 3, hold_m_then_n);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_UNLOCK, 0), "c3 c5");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a1 c5");
}

static void stop_c_and_delete_both(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_stop(scenario_find("c"));
    takt_mutex_delete(&n);
    CHECK(!takt_task_stopped(scenario_find("c")));
    scenario_sleep_to(2);
    takt_mutex_delete(&m);
    CHECK(takt_task_stopped(scenario_find("c")));
}

static void hold_both(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_lock(&n);
    scenario_work(9);
    CHECK(0);
}

/* So does the deletion of the last mutex that it holds. */
static void last_deletion_stops(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    takt_mutex_init(&n, 2);
    (void)scenario_task("a", 1, stop_c_and_delete_both);
    (void)scenario_task("c", 3, hold_both);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "c2 a2");
}

static void hold_n_for_5(void *argument)
{
    (void)argument;
    scenario_lock(&n);
    scenario_work(5);
    takt_mutex_unlock(&n);
    scenario_work(1);
}

static void hold_m_lock_n_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_lock(&m);
    scenario_lock(&n);
    scenario_work(1);
    takt_mutex_unlock(&m);
    takt_mutex_unlock(&n);
    CHECK(0);
}

static void stop_b_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    takt_task_stop(scenario_find("b"));
    CHECK(!takt_task_stopped(scenario_find("b")));
}

/* A task that waits and holds another mutex goes on waiting, gets it, and stops when it has given both back. */
static void waiting_holder_stopped(void)
{
    three_levels(stop_b_at_2, hold_m_lock_n_at_1, hold_n_for_5);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOCK, 0), "c0 b1 b5");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c1=2 c5=3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a2 b6 c7");
}

static void suspend_stop_resume_c(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_suspend(scenario_find("c"));
    takt_task_stop(scenario_find("c"));
    scenario_sleep_to(2);
    CHECK(!takt_task_stopped(scenario_find("c")));
    takt_task_resume(scenario_find("c"));
}

/* A suspended holder that is stopped has to be resumed to come to its unlock. */
static void suspended_holder_stopped(void)
{
    three_levels(suspend_stop_resume_c, work_3_at_3, hold_m_for_5_once);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 a1 -1 a2 c2 b3 c6 -9");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a2 b6 c9");
}

static void suspend_b_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    takt_task_suspend(scenario_find("b"));
    scenario_sleep_to(6);
    CHECK(takt_mutex_try_lock(&m) == TAKT_BUSY); /* b's, which c gave it at 5 */
    CHECK(takt_mutex_lock_until(&m, TAKT_MS(8)) == TAKT_TIMEOUT);
    takt_task_resume(scenario_find("b"));
}

/* A suspended waiter gets its mutex, and runs with it when it is resumed. */
static void waiter_suspended(void)
{
    three_levels(suspend_b_at_3, lock_m_at_2_work_2, hold_m_for_5);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOCK, 0), "c0 b5");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c2=2 c5=3 b6=1 b8=2");
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 b2 c2 a3 c3 -6 a6 -6 a8 b8 -11");
}

static void suspend_c_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_suspend(scenario_find("c"));
    scenario_sleep_to(7);
    takt_task_resume(scenario_find("c"));
    takt_task_resume(scenario_find("c")); /* nothing more */
}

/* A suspended holder inherits, and runs with it when it is resumed. */
static void holder_suspended(void)
{
    three_levels(suspend_c_at_1, lock_m_at_2_work_1, hold_m_for_5);
    (void)scenario_task("d", 2, work_3_at_3);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b0 d0 c0 a1 -1 b2 -2 d3 -6 a7 c7 b11 c12 -13");
}

int main(void)
{
    waiter_deleted();
    holder_stopped();
    policy_waits();
    last_unlock_stops();
    last_deletion_stops();
    waiting_holder_stopped();
    suspended_holder_stopped();
    waiter_suspended();
    holder_suspended();
    return 0;
}
