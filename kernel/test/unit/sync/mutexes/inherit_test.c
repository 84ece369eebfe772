/* SPDX-License-Identifier: Apache-2.0 */
/* Inheritance, one small system per rule. Tasks a, b, c ... sleep until their times; a is the highest. */
#include "levels.h"

static struct takt_mutex o;

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

/* A deleted mutex: waiters get the status, the owner loses what it inherited. */
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

static void work_1(void)
{
    scenario_work(1);
}

static void hold_three(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_lock(&n);
    scenario_lock(&o);
    scenario_sleep_to(4);  /* others come to wait, the best first or last */
    takt_mutex_unlock(&n); /* b's: it came second */
    work_1();
    takt_mutex_unlock(&o); /* d's */
    work_1();
    takt_mutex_unlock(&m); /* a's */
    work_1();
}

struct wish {
    struct takt_mutex *mutex;
    unsigned at_ms;
};

static void lock_as_wished(void *argument)
{
    const struct wish *wish = argument;
    scenario_sleep_to(wish->at_ms);
    scenario_lock(wish->mutex);
    work_1();
    takt_mutex_unlock(wish->mutex);
}

/* Three mutexes with a waiter each, given back from the middle of the order in which the waiters came. */
static void three_waiters(void)
{
    for (unsigned best_first = 0; best_first < 2; best_first++) {
        struct wish wishes[] = {{&m, best_first != 0 ? 1 : 3}, {&n, 2}, {&o, best_first != 0 ? 3 : 1}};
        scenario_new();
        takt_mutex_init(&m, 1);
        takt_mutex_init(&n, 2);
        takt_mutex_init(&o, 3);
        scenario_task("a", 1, lock_as_wished)->argument = &wishes[0];
        scenario_task("b", 2, lock_as_wished)->argument = &wishes[1];
        scenario_task("d", 3, lock_as_wished)->argument = &wishes[2];
        (void)scenario_task("c", 4, hold_three);
        scenario_run(20);
        CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), best_first != 0 ? "c1=1 c6=4" : "c1=3 c2=2 c3=1 c6=4");
        CHECK_TEXT(scenario_runs(), best_first != 0 ? "a0 b0 d0 c0 -0 a1 -1 b2 -2 d3 -3 c4 a6 b7 d8 c9 -10"
                                                    : "a0 b0 d0 c0 -0 d1 -1 b2 -2 a3 -3 c4 a6 b7 d8 c9 -10");
    }
}

static void lock_m_until_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    CHECK(takt_mutex_lock_until(&m, TAKT_MS(2)) == TAKT_TIMEOUT);
    scenario_sleep_to(4);
    CHECK(takt_mutex_lock_until(&m, TAKT_MS(5)) == TAKT_OK);
    takt_mutex_unlock(&m);
}

/* The only waiter gives up, another comes, and the first once more: it lends each time, and takes back. */
static void waiters_come_again(void)
{
    struct wish wish = {&m, 3};
    three_levels(lock_m_until_2, lock_as_wished, hold_m_for_5);
    scenario.configs[1].argument = &wish;
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c1=1 c2=3 c3=2 c4=1 c5=3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOCK, 0), "c0 a5 b5");
}

static void lock_m_at_6(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    scenario_lock(&m);
    takt_mutex_unlock(&m);
}

static void lock_m_until_7(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    CHECK(takt_mutex_lock_until(&m, TAKT_US(6500)) == TAKT_TIMEOUT);
}

/* b gets a mutex for which d still waits: a's key is lent to b, stays when d gives up, and is gone with the unlock. */
static void handed_over_with_waiters(void)
{
    three_levels(lock_m_at_6, lock_m_at_2_work_2, hold_m_for_5);
    scenario.configs[2].level = 4;
    (void)scenario_task("d", 3, lock_m_until_7);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "c1=3 c2=2 c5=4 b6=1 b7=2");
    CHECK_TEXT(scenario_events(TAKT_EVENT_LOCK, 0), "c0 b5 a7");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a7 b8 d8 c9");
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

static void hold_m_asleep_to_1(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_sleep_to(1);
    scenario_work(1);
    takt_mutex_unlock(&m);
    takt_job_wait();
}

static void sleep_to_1_work_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_work(1);
    takt_job_wait();
}

static void work_2_lock_m(void *argument)
{
    (void)argument;
    scenario_work(2);
    scenario_lock(&m);
    scenario_work(1);
    takt_mutex_unlock(&m);
    takt_job_wait();
}

/* Among equal deadlines a task that runs stays, though an owner of its mutex is declared before it: that has the better
 * key then, and goes before the one between them. */
static void equal_deadlines(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    scenario_edf(1);
    (void)scenario_periodic("a", 1, hold_m_asleep_to_1, 50);
    (void)scenario_periodic("b", 1, sleep_to_1_work_1, 50);
    (void)scenario_periodic("c", 1, work_2_lock_m, 50);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 a2 b3 c4 -5");
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "");
}

static void sleep_to_2_work_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    scenario_work(1);
    takt_job_wait();
}

static void sleep_to_1_work_2_lock_m(void *argument)
{
    scenario_sleep_to(1);
    work_2_lock_m(argument);
}

static void hold_m_for_3(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(3);
    takt_mutex_unlock(&m);
    takt_job_wait();
}

/* The owner gets the key of a task that only stayed before an equal deadline: that other task runs before both. */
static void an_equal_before_the_owner(void)
{
    scenario_new();
    takt_mutex_init(&m, 1);
    scenario_edf(1);
    (void)scenario_periodic("a", 1, sleep_to_2_work_1, 50);
    (void)scenario_periodic("b", 1, sleep_to_1_work_2_lock_m, 50);
    (void)scenario_periodic("c", 1, hold_m_for_3, 60);
    scenario_run(20);
    CHECK_TEXT(scenario_runs(), "a0 b0 c0 b1 a3 c4 b6 c7 -7");
}

int main(void)
{
    no_inversion();
    chain();
    chain_times_out();
    any_order();
    mutex_deleted();
    mutex_deleted_unowned();
    three_waiters();
    waiters_come_again();
    handed_over_with_waiters();
    deadlines();
    bands();
    equal_deadlines();
    an_equal_before_the_owner();
    return 0;
}
