/* SPDX-License-Identifier: Apache-2.0 */
/* Condition variables: owners of the mutex, timeouts, inheritance, stops, deletion, misuse. */
#include "kernel/test/support/misuse.h"

static struct takt_condition condition;
TAKT_CONDITION_DEFINE(defined, 9);
static struct takt_mutex mutex;
static char order[16]; /* in which waits ended */

static void end(const void *name)
{
    strcat(order, name);
}

static void new_scenario(void)
{
    scenario_new();
    takt_condition_init(&condition, 1);
    takt_mutex_init(&mutex, 2);
    order[0] = '\0';
}

static void wait_for_signal(void *argument)
{
    scenario_lock(&mutex);
    CHECK(takt_condition_wait(&condition, &mutex) == TAKT_OK);
    end(argument);
    takt_mutex_unlock(&mutex);
}

static void signal_twice(void *argument)
{
    takt_condition_signal(&condition); /* the mutex is free */
    CHECK_TEXT(order, "a");
    scenario_lock(&mutex);
    takt_condition_signal(&condition); /* now it is not */
    CHECK_TEXT(order, "a");
    end(argument);
    takt_mutex_unlock(&mutex);
    CHECK_TEXT(order, "asb");
    takt_condition_signal(&condition); /* nobody waits */
    takt_condition_signal(&defined);
    CHECK(takt_mutex_try_lock(&mutex) == TAKT_OK);
    takt_mutex_unlock(&mutex);
}

static void signals(void)
{
    new_scenario();
    (void)scenario_named("s", 5, signal_twice);
    (void)scenario_named("b", 4, wait_for_signal);
    (void)scenario_named("a", 3, wait_for_signal);
    scenario_run(10);
    CHECK_TEXT(order, "asb");
}

static void broadcast_with_mutex(void *argument)
{
    scenario_lock(&mutex);
    takt_condition_broadcast(&condition); /* inherits from a: m cannot come in between */
    scenario_work(2);
    end(argument);
    takt_mutex_unlock(&mutex);
}

static void work_at_1(void *argument)
{
    scenario_sleep_to(1);
    scenario_work(1);
    end(argument);
}

/* All that are woken come one after the other; the owner of the mutex inherits. */
static void broadcast(void)
{
    new_scenario();
    (void)scenario_named("s", 5, broadcast_with_mutex);
    (void)scenario_named("m", 4, work_at_1);
    (void)scenario_named("b", 3, wait_for_signal);
    (void)scenario_named("a", 2, wait_for_signal);
    scenario_run(10);
    CHECK_TEXT(order, "sabm");
}

static struct takt_mutex other;

static void wait_for_signal_with_other(void *argument)
{
    scenario_lock(&other);
    CHECK(takt_condition_wait(&condition, &other) == TAKT_OK);
    end(argument);
    takt_mutex_unlock(&other);
}

static void broadcast_with_both(void *argument)
{
    scenario_lock(&mutex);
    scenario_lock(&other);
    takt_condition_broadcast(&condition);
    takt_mutex_unlock(&mutex);
    end(argument);
    takt_mutex_unlock(&other);
}

static void broadcast_for_two_mutexes(void)
{
    new_scenario();
    takt_mutex_init(&other, 3);
    (void)scenario_named("s", 5, broadcast_with_both);
    (void)scenario_named("b", 3, wait_for_signal_with_other);
    (void)scenario_named("a", 2, wait_for_signal);
    scenario_run(10);
    CHECK_TEXT(order, "asb");
}

static void wait_holding_other(void *argument)
{
    scenario_lock(&other);
    wait_for_signal(argument);
    takt_mutex_unlock(&other);
}

static void lock_both_until_4(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    CHECK(takt_mutex_lock_until(&other, TAKT_MS(4)) == TAKT_TIMEOUT);
    takt_mutex_unlock(&mutex);
}

static void broadcast_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    takt_condition_broadcast(&condition);
    CHECK(mutex.waiters == scenario_find("z") && mutex.waiters->next == scenario_find("w"));
}

/*
 * The task that is signalled first lends its deadline, through the owner of the mutex, to one that then goes before it.
 */
static void broadcast_and_raise(void)
{
    static char z[] = "z";
    static char w[] = "w";
    new_scenario();
    takt_mutex_init(&other, 3);
    scenario_edf(3);
    scenario_periodic("z", 3, wait_holding_other, 100)->argument = z;
    scenario_periodic("w", 3, wait_for_signal, 50)->argument = w;
    (void)scenario_named("h", 5, lock_both_until_4);
    (void)scenario_named("b", 1, broadcast_at_2);
    scenario_run(10);
    CHECK_TEXT(order, "wz");
}

static void wait_until_2(void *argument)
{
    scenario_lock(&mutex);
    CHECK(takt_condition_wait_until(&condition, &mutex, TAKT_MS(2)) == TAKT_TIMEOUT);
    end(argument);
    takt_mutex_unlock(&mutex); /* it is owned */
}

static void hold_from_1_to_4(void *argument)
{
    scenario_sleep_to(1);
    scenario_lock(&mutex);
    scenario_work(3);
    CHECK_TEXT(order, "");
    end(argument);
    takt_mutex_unlock(&mutex);
}

static void work_at_3(void *argument)
{
    scenario_sleep_to(3);
    end(argument);
}

/* A timeout comes back with the mutex: later, when it is not free, and its owner inherits meanwhile. */
static void timeouts(void)
{
    new_scenario();
    (void)scenario_named("h", 5, hold_from_1_to_4);
    (void)scenario_named("m", 4, work_at_3);
    (void)scenario_named("a", 3, wait_until_2);
    scenario_run(10);
    CHECK_TEXT(order, "ham");
    new_scenario();
    (void)scenario_named("a", 3, wait_until_2);
    (void)scenario_named("b", 4, wait_until_2);
    scenario_run(10);
    CHECK_TEXT(order, "ab");
}

static void suspend_and_resume_a(void *argument)
{
    scenario_sleep_to(1);
    takt_task_suspend(scenario_find("a"));
    scenario_sleep_to(6);
    takt_task_resume(scenario_find("a"));
    end(argument);
}

/* A suspended waiter that times out stays suspended. */
static void suspended(void)
{
    new_scenario();
    (void)scenario_named("h", 5, hold_from_1_to_4);
    (void)scenario_named("a", 3, wait_until_2);
    (void)scenario_named("s", 2, suspend_and_resume_a);
    scenario_run(10);
    CHECK_TEXT(order, "hsa");
}

static void stop_a_and_signal(void *argument)
{
    (void)argument;
    takt_task_stop(scenario_find("a"));
    takt_condition_signal(&condition);
    CHECK_TEXT(order, "b");
    CHECK(takt_mutex_try_lock(&mutex) == TAKT_OK);
    takt_mutex_unlock(&mutex);
}

static void stopped(void)
{
    new_scenario();
    (void)scenario_named("s", 5, stop_a_and_signal);
    (void)scenario_named("b", 4, wait_for_signal);
    (void)scenario_named("a", 3, wait_for_signal);
    scenario_run(10);
    CHECK_TEXT(order, "b");
}

static void never_back(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(2); /* stopped meanwhile: at its last unlock, which is in the wait */
    (void)!takt_condition_wait(&condition, &mutex);
    end(argument);
}

static void stop_b_at_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    takt_task_stop(scenario_find("b"));
    scenario_sleep_to(5);
    CHECK(takt_task_stopped(scenario_find("b")));
    takt_condition_signal(&condition);
    end("s");
}

static void stopped_by_waiting(void)
{
    new_scenario();
    (void)scenario_named("s", 1, stop_b_at_1);
    (void)scenario_named("b", 4, never_back);
    scenario_run(10);
    CHECK_TEXT(order, "s");
}

static void wait_for_deletion(void *argument)
{
    scenario_lock(&mutex);
    CHECK(takt_condition_wait(&condition, &mutex) == TAKT_DELETED);
    end(argument);
}

static void delete_both(void *argument)
{
    scenario_lock(&mutex);
    takt_condition_signal(&condition);
    takt_mutex_delete(&mutex); /* a waits for it, b for a signal with it: only so that the test is short */
    CHECK_TEXT(order, "a");
    takt_condition_delete(&condition);
    CHECK_TEXT(order, "ab");
    end(argument);
}

static void deletions(void)
{
    new_scenario();
    (void)scenario_named("d", 5, delete_both);
    (void)scenario_named("b", 4, wait_for_deletion);
    (void)scenario_named("a", 3, wait_for_deletion);
    scenario_run(10);
    CHECK_TEXT(order, "abd");
}

static void call_wait(void)
{
    (void)!takt_condition_wait(&condition, &mutex);
}

static void call_wait_with_mutex(void)
{
    scenario_lock(&mutex);
    call_wait();
}

static void call_signal(void)
{
    takt_condition_signal(&condition);
}

static void call_broadcast(void)
{
    takt_condition_broadcast(&condition);
}

static void call_delete(void)
{
    takt_condition_delete(&condition);
}

#define CONDITION_FILE "kernel/sync/condition.c"
static const struct misuse misuses[] = {
    {call_wait, TASK, CONDITION_FILE, BANDS}, /* without the mutex */
    {call_wait, INTERRUPT, CONDITION_FILE, BANDS},
    {call_wait_with_mutex, IDLE, "kernel/sync/mutex.c", BANDS},
    {call_signal, FREE_INTERRUPT, CONDITION_FILE, BANDS},
    {call_broadcast, FREE_INTERRUPT, CONDITION_FILE, BANDS},
    {call_delete, INTERRUPT, CONDITION_FILE, BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_condition_init(&condition, 1);
    takt_mutex_init(&mutex, 2);
}

int main(void)
{
    signals();
    broadcast();
    broadcast_for_two_mutexes();
    if (TAKT_EDF) {
        broadcast_and_raise();
    }
    timeouts();
    suspended();
    stopped();
    stopped_by_waiting();
    deletions();
    return TAKT_ASSERTIONS ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
