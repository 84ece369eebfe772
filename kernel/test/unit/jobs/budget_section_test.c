/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets and sections: what waits for the last unlock, and what becomes of mutexes and waiters beyond the hold. */
#include "kernel/test/support/budget_scenario.h"

static void hold_m_1_to_4(void *argument)
{
    (void)argument;
    scenario_work(1);
    scenario_lock(&m);
    scenario_lock(&n);
    scenario_work(2);
    takt_mutex_unlock(&n);
    scenario_work(1);
    takt_mutex_unlock(&m);
    scenario_work(2);
}

static void lock_m_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    scenario_lock(&m);
    noted = scenario_now();
    takt_mutex_unlock(&m);
}

/* Deferred to the last unlock, with the key that it inherits meanwhile. */
static void deferred(enum takt_budget_policy policy)
{
    fresh();
    (void)scenario_task("h", 1, lock_m_at_3);
    limit(scenario_periodic("a", 3, hold_m_1_to_4, 20), policy, 2)->hold_ns = TAKT_MS(3);
    struct takt_task_config *b = scenario_periodic("b", 4, work_5, 20);
    b->offset_ns = TAKT_MS(3);
    scenario_run(15);
    CHECK_EQUAL(noted, 4);
    if (policy == TAKT_BUDGET_DEMOTE) {
        CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a2=1");
        CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "a3=1 a4=3 a4=9");
        CHECK_TEXT(scenario_runs(), "h0 a0 h3 a3 h4 b4 a9 -11");
    } else {
        CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a2=2");
        CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a4 h4");
        CHECK_TEXT(scenario_runs(), "h0 a0 h3 a3 h4 b4 -9");
    }
}

static void stop_a_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    takt_task_stop(scenario_find("a"));
}

/* A task that is to be stopped at its last unlock is, whichever came first, the stop or the end of the budget. */
static void stopped_meanwhile(unsigned budget_ms)
{
    fresh();
    (void)scenario_task("h", 1, stop_a_at_3);
    limit(scenario_periodic("a", 3, hold_m_1_to_4, 20), TAKT_BUDGET_DEMOTE, budget_ms)->hold_ns = TAKT_MS(4);
    scenario_run(15);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 0), budget_ms == 2 ? "a2" : "");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "h3 a4");
}

static void hold_m_and_n_for_ever(void *argument)
{
    (void)argument;
    scenario_lock(&n);
    scenario_lock(&m);
    for (;;) {
        scenario_work(1);
    }
}

static void lose_m_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    CHECK(takt_mutex_lock(&m) == TAKT_OWNER_DIED);
    noted = scenario_now();
    CHECK(takt_mutex_lock(&m) == TAKT_OWNER_DIED && takt_mutex_try_lock(&m) == TAKT_OWNER_DIED);
    CHECK(takt_mutex_lock_until(&n, TAKT_MS(50)) == TAKT_OWNER_DIED && noted == scenario_now());
    takt_mutex_init(&m, 1);
    scenario_lock(&m);
    takt_mutex_unlock(&m);
    takt_mutex_delete(&n);
}

/* Beyond the hold it is stopped in its section, although its budget would last; the waiters get the status. */
static void broken(enum takt_budget_policy policy)
{
    fresh();
    (void)scenario_task("h", 1, lose_m_at_1);
    limit(scenario_periodic("a", 3, hold_m_and_n_for_ever, 20), policy, 10)->hold_ns = TAKT_MS(4);
    scenario_run(15);
    CHECK_EQUAL(noted, 4);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a4=3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a4 h4");
    CHECK_TEXT(scenario_events(TAKT_EVENT_UNLOCK, 0), "a4 a4 h4");
    CHECK_EQUAL(takt_task_exhausted(scenario_find("a")), 1);
}

/* The hold counts from the lock, not from the end of the budget: 4 and not 3 + 4. */
static void broken_after_the_budget(void)
{
    fresh();
    (void)scenario_task("h", 1, lose_m_at_1);
    limit(scenario_periodic("a", 3, hold_m_and_n_for_ever, 20), TAKT_BUDGET_DEMOTE, 3)->hold_ns = TAKT_MS(4);
    scenario_run(15);
    CHECK_EQUAL(noted, 4);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a3=1 a4=3");
}

/* Notify enforces nothing. */
static void notify_holds(void)
{
    fresh();
    (void)limit(scenario_periodic("a", 3, hold_m_1_to_4, 20), TAKT_BUDGET_NOTIFY, 2);
    scenario_run(15);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a2=0");
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a6");
}

static void work_3_hold_m_for_2(void *argument)
{
    (void)argument;
    scenario_work(3);
    scenario_lock(&m);
    scenario_work(2);
    takt_mutex_unlock(&m);
    scenario_work(1);
}

static void lock_m_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    scenario_lock(&m);
    noted = scenario_now();
    takt_mutex_unlock(&m);
}

/* A demoted task inherits, keeps that in its section, and falls back to where it was demoted. */
static void demoted_inherits(void)
{
    fresh();
    (void)scenario_task("h", 1, lock_m_at_4);
    limit(scenario_periodic("a", 3, work_3_hold_m_for_2, 20), TAKT_BUDGET_DEMOTE, 1)->hold_ns = TAKT_MS(2);
    struct takt_task_config *b = scenario_periodic("b", 4, work_5, 20);
    b->offset_ns = TAKT_MS(3);
    scenario_run(18);
    CHECK_EQUAL(noted, 6);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "a1=9 a4=1 a6=9");
    CHECK_TEXT(scenario_runs(), "h0 a0 b3 h4 a4 h6 b6 a10 -11");
}

static void lose_m_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    CHECK(takt_mutex_lock(&m) == TAKT_OWNER_DIED && scenario_now() == 4);
}

/* Its sections are watched as before. */
static void demoted_breaks(void)
{
    fresh();
    (void)scenario_task("h", 1, lose_m_at_4);
    limit(scenario_periodic("a", 3, work_3_hold_m_for_2, 20), TAKT_BUDGET_DEMOTE, 1)->hold_ns = TAKT_MS(1);
    scenario_run(18);
    CHECK_TEXT(scenario_events(TAKT_EVENT_BUDGET, 1), "a1=1 a4=3");
}

static void wait_for_signal_or_3(void *argument)
{
    bool signalled = *(const char *)argument == 's';
    scenario_lock(&m);
    enum takt_status status = takt_condition_wait_until(&condition, &m, signalled ? TAKT_FOREVER : TAKT_MS(3));
    CHECK(status == TAKT_OWNER_DIED);
    noted += scenario_now();
}

static void hold_m_for_ever_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_lock(&m);
    for (;;) {
        scenario_work(1);
    }
}

static void signal_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    takt_condition_signal(&condition);
}

/* A waiter for a condition finds its mutex broken when the wait ends. */
static void broken_condition(void)
{
    fresh();
    scenario_task("s", 1, wait_for_signal_or_3)->argument = (void *)(uintptr_t) "s";
    scenario_task("t", 2, wait_for_signal_or_3)->argument = (void *)(uintptr_t) "t";
    limit(scenario_task("a", 3, hold_m_for_ever_at_1), TAKT_BUDGET_STOP, 10)->hold_ns = TAKT_MS(1);
    (void)scenario_task("x", 4, signal_at_4);
    scenario_run(9);
    CHECK_EQUAL(noted, 3 + 4);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a2 t3 s4 x4");
}

static void accept_and_never_complete(void *argument)
{
    static struct takt_rendezvous_accepted accepted; /* its stack is left as it is */
    (void)argument;
    CHECK(takt_rendezvous_accept(&rendezvous, &accepted) == TAKT_OK);
    scenario_work(5);
    CHECK(0);
}

static void call_in_vain(void *argument)
{
    (void)argument;
    CHECK(takt_rendezvous_call(&rendezvous, NULL, 0) == TAKT_OWNER_DIED);
    noted = scenario_now();
}

static void broken_rendezvous(void)
{
    fresh();
    (void)scenario_task("c", 2, call_in_vain);
    limit(scenario_task("a", 3, accept_and_never_complete), TAKT_BUDGET_STOP, 10)->hold_ns = TAKT_MS(2);
    scenario_run(9);
    CHECK_EQUAL(noted, 2);
}

static void wait_with_m(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(2);
    CHECK(takt_condition_wait_until(&condition, &m, TAKT_MS(5)) == TAKT_TIMEOUT);
    takt_mutex_unlock(&m);
}

/* The last unlock may be a wait for a condition: it is demoted and waits. */
static void demoted_in_a_wait(void)
{
    fresh();
    limit(scenario_periodic("a", 3, wait_with_m, 20), TAKT_BUDGET_DEMOTE, 1)->hold_ns = TAKT_MS(2);
    scenario_run(9);
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "a2=9");
    CHECK_TEXT(scenario_events(TAKT_EVENT_COMPLETE, 0), "a5");
}

int main(void)
{
    deferred(TAKT_BUDGET_DEMOTE);
    deferred(TAKT_BUDGET_STOP);
    stopped_meanwhile(2);
    stopped_meanwhile(9);
    broken(TAKT_BUDGET_DEMOTE);
    broken(TAKT_BUDGET_STOP);
    broken_after_the_budget();
    notify_holds();
    demoted_inherits();
    demoted_breaks();
    broken_condition();
    broken_rendezvous();
    demoted_in_a_wait();
    return 0;
}
