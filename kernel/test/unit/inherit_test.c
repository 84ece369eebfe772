/* SPDX-License-Identifier: Apache-2.0 */
/* Inheritance, one small system per rule. Tasks a, b, c ... sleep to their instants; a is the highest. */
#include "scenario.h"

static struct takt_mutex m;
static struct takt_mutex n;

static void three_levels(void (*a)(void *), void (*b)(void *), void (*c)(void *))
{
    scenario_new();
    takt_mutex_init(&m, 1);
    takt_mutex_init(&n, 2);
    (void)scenario_task("a", 1, a);
    (void)scenario_task("b", 2, b);
    (void)scenario_task("c", 3, c);
}

static void lock_m_at_2_work_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    scenario_lock(&m);
    scenario_work(1);
    takt_mutex_unlock(&m);
}

static void work_3_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    scenario_work(3);
}

static void hold_m_for_5(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(5);
    takt_mutex_unlock(&m);
    scenario_work(1);
}

/* The middle task does not run while the low one holds what the high one waits for. */
static void no_inversion(void)
{
    three_levels(lock_m_at_2_work_1, work_3_at_3, hold_m_for_5);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 a2 c2 a5 b6 c9 -10");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c2=1 c5=3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOCK, 0), "c0 a5");
}

static void hold_n_then_m_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_lock(&n);
    scenario_lock(&m);
    scenario_work(1);
    takt_mutex_unlock(&m);
    takt_mutex_unlock(&n);
}

static void lock_n_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    scenario_lock(&n);
    scenario_work(1);
    takt_mutex_unlock(&n);
}

/* a waits for b, which waits for c: c runs as a. */
static void chain(void)
{
    three_levels(lock_n_at_2, hold_n_then_m_at_1, hold_m_for_5);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 b1 c1 a2 c2 b5 a6 b7 c7 -8");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c1=2 b2=1 c2=1 c5=3 b6=2");
}

static void lock_n_until_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    CHECK(takt_mutex_lock_until(&n, TAKT_MS(4)) == TAKT_TIMEOUT);
    CHECK_EQUAL(scenario_now(), 4);
}

/* The waiter at the end of a chain gives up: everything that it lent is taken back, all along. */
static void chain_times_out(void)
{
    three_levels(lock_n_until_4, hold_n_then_m_at_1, hold_m_for_5);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c1=2 b2=1 c2=1 b4=2 c4=2 c5=3");
}

static void hold_both_unlock_m_first(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_lock(&n);
    scenario_work(4);
    takt_mutex_unlock(&m); /* not the last locked */
    scenario_work(2);
    takt_mutex_unlock(&n);
    scenario_work(1);
}

static void lock_n_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_lock(&n);
    takt_mutex_unlock(&n);
}

/* Two mutexes, two waiters, released in any order: what remains inherited is what the other waiter lends. */
static void any_order(void)
{
    three_levels(lock_m_at_2_work_1, lock_n_at_1, hold_both_unlock_m_first);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c1=2 c2=1 c4=2 c7=3");
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 b1 c1 a2 c2 a4 c5 b7 c7 -8");
}

static void delete_m_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    takt_mutex_delete(&m);
    scenario_work(1);
}

static void lock_m_deleted(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    CHECK(takt_mutex_lock(&m) == TAKT_DELETED);
    scenario_work(1);
}

static void hold_m_and_lose_it(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(5);
}

/* A deleted mutex: waiters are told, the owner falls back. */
static void mutex_deleted(void)
{
    three_levels(delete_m_at_3, lock_m_deleted, hold_m_and_lose_it);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c2=2 c3=3");
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 b2 c2 a3 b4 c5 -7");
    CHECK_TEXT(scenario_events(TAKT_EVENT_UNLOCK, 0), "c3");
}

static void delete_unowned(void *argument)
{
    (void)argument;
    takt_mutex_delete(&m);
    CHECK(takt_mutex_try_lock(&n) == TAKT_OK);
    takt_mutex_unlock(&n);
}

static void mutex_deleted_unowned(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    takt_mutex_init(&n, 2);
    (void)scenario_task("a", 1, delete_unowned);
    scenario_run(2);
    CHECK_TEXT(scenario_events(TAKT_EVENT_UNLOCK, 0), "a0");
}

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
    config->on_miss = TAKT_MISS_STOP;
    scenario_run(30);
    CHECK_TEXT(scenario_events(TAKT_EVENT_MISS, 0), "c3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "c5 a6");
    CHECK_TEXT(scenario_events(TAKT_EVENT_RELEASE, 0), "c0");
    CHECK_EQUAL(scenario_figure("c", TAKT_EVENT_STAT_MISSES), 1);
    CHECK_EQUAL(scenario_figure("c", TAKT_EVENT_STAT_JOBS), 0);
}

static void edf_long_holds(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(4);
    takt_mutex_unlock(&m);
    scenario_work(1);
}

static void edf_short_locks(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(1);
    takt_mutex_unlock(&m);
}

static void work_3(void *argument)
{
    (void)argument;
    scenario_work(3);
}

static void edf_task(const char *name, void (*entry)(void *), unsigned offset_ms, unsigned deadline_ms)
{
    struct takt_task_config *config = scenario_periodic(name, 1, entry, 100);
    config->offset_ns = TAKT_MS(offset_ms);
    config->deadline_ns = TAKT_MS(deadline_ms);
}

/* In an edf band the deadline is inherited: l (due 50) holds what s (due 11) needs, and m (due 22) has to wait. */
static void deadlines(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    scenario_edf(1);
    edf_task("l", edf_long_holds, 0, 50);
    edf_task("s", edf_short_locks, 1, 10);
    edf_task("m", work_3, 2, 20);
    scenario_run(50);
    CHECK_TEXT(scenario_runs(), "l0 s1 l1 s4 m5 l8 -9");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "l1=1 l4=1");
}

/* Across bands: a fixed task below an edf band inherits the band and the deadline. */
static void bands(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    scenario_edf(1);
    edf_task("s", edf_short_locks, 1, 10);
    edf_task("m", work_3, 2, 20);
    (void)scenario_task("c", 3, hold_m_for_5);
    scenario_run(50);
    CHECK_TEXT(scenario_runs(), "c0 s1 c1 s5 m6 c9 -10");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c1=1 c5=3");
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
    no_inversion();
    chain();
    chain_times_out();
    any_order();
    mutex_deleted();
    mutex_deleted_unowned();
    waiter_deleted();
    holder_stopped();
    policy_waits();
    deadlines();
    bands();
    holder_suspended();
    return 0;
}
