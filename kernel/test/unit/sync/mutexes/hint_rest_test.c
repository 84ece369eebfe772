/* SPDX-License-Identifier: Apache-2.0 */
/* Next-lock hints: an owner that sleeps or is suspended after the effect has begun (seed 000, 5.4.3). */
#include "hint_scenario.h"
#include "takt/ceiling.h"

/* One that sleeps or is suspended later ends the effect: the hinted task, whose event came at 2, runs up to its lock.
 */
static void hold_and_sleep_at_3(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(3);
    scenario_sleep_to(6);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void hold_and_suspend_itself(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(3);
    takt_task_suspend(scenario_find("b"));
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void hold_for_5(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(5);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void suspend_and_resume(void *argument)
{
    scenario_sleep_to(3);
    takt_task_suspend(scenario_find("b"));
    note(argument);
    scenario_sleep_to(5);
    takt_task_resume(scenario_find("b"));
}

static void resume_at_5(void *argument)
{
    (void)argument;
    scenario_sleep_to(5);
    takt_task_resume(scenario_find("b"));
}

static void owner_rests_later(void)
{
    new_scenario(true);
    (void)add("b", 6, hold_and_sleep_at_3);
    (void)add("a", 4, sleep_and_lock);
    scenario_run(10);
    CHECK_TEXT(order, "wba");
    new_scenario(true);
    (void)add("b", 6, hold_and_suspend_itself);
    (void)add("a", 4, sleep_and_lock);
    (void)add("r", 2, resume_at_5);
    scenario_run(10);
    CHECK_TEXT(order, "wba");
    new_scenario(true);
    (void)add("b", 6, hold_for_5);
    (void)add("a", 4, sleep_and_lock);
    (void)add("s", 2, suspend_and_resume); /* while it is ready */
    scenario_run(10);
    CHECK_TEXT(order, HEEDED ? "swba" : "wsba");
    new_scenario(true);
    (void)add("b", 6, hold_and_wait);
    (void)add("a", 5, sleep_and_lock);
    (void)add("s", 4, suspend_and_resume); /* while it waits, which ends nothing: figure 5.6 */
    (void)add("p", 2, post_at_4);
    scenario_run(10);
    CHECK_TEXT(order, HEEDED ? "swba" : "wsba");
}

/* The same of one further along the chain. */
static void hold_second_and_sleep_at_4(void *argument)
{
    scenario_lock(&second);
    scenario_work(4);
    scenario_sleep_to(8);
    note(argument);
    takt_mutex_unlock(&second);
}

static void hold_and_lock_second_at_3(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(3);
    scenario_lock(&second);
    note(argument);
    takt_mutex_unlock(&second);
    takt_mutex_unlock(&mutex);
}

static void sleep_1_and_hold_both(void *argument)
{
    scenario_sleep_to(1);
    scenario_lock(&mutex);
    scenario_lock(&second);
    note(argument);
    takt_mutex_unlock(&second);
    takt_mutex_unlock(&mutex);
}

static void chain_rests_later(void)
{
    new_scenario(true);
    (void)add("c", 7, hold_second_and_sleep_at_4);
    (void)add("b", 6, sleep_1_and_hold_both);
    (void)add("a", 4, sleep_and_lock);
    scenario_run(20);
    CHECK_TEXT(order, "wcba");
    new_scenario(true);
    (void)add("b", 7, hold_and_lock_second_at_3);
    (void)add("c", 6, hold_second_and_sleep);
    (void)add("a", 4, sleep_and_lock);
    scenario_run(20);
    CHECK_TEXT(order, "wcba");
}

/* The next owner is suspended when it gets the mutex. */
static void hold_and_hand_over(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(3);
    takt_task_suspend(scenario_find("x"));
    note(argument);
    takt_mutex_unlock(&mutex);
    note("r");
    takt_task_resume(scenario_find("x"));
}

static void hint_second_and_lock(void *argument)
{
    scenario_sleep_to(1);
    give_hint(&second); /* which the lock ends */
    lock_and_note(argument);
}

static struct takt_ceiling ceiling;

static void hold_and_hand_over_ceiling(void *argument)
{
    CHECK(takt_ceiling_lock(&ceiling) == TAKT_OK);
    scenario_sleep_to(2);
    takt_task_suspend(scenario_find("x"));
    takt_ceiling_unlock(&ceiling);
    note(argument);
    takt_task_resume(scenario_find("x"));
}

static void lock_ceiling_from_1(void *argument)
{
    scenario_sleep_to(1);
    CHECK(takt_ceiling_lock(&ceiling) == TAKT_OK);
    note(argument);
    takt_ceiling_unlock(&ceiling);
}

static void next_owner_rests(void)
{
    new_scenario(true);
    (void)add("b", 6, hold_and_hand_over);
    (void)add("a", 5, sleep_and_lock);
    (void)add("x", 4, hint_second_and_lock);
    scenario_run(20);
    CHECK_TEXT(order, "bwrxa");
    new_scenario(false);
    takt_ceiling_init(&ceiling, 4, 2, 0);
    (void)add("b", 6, hold_and_hand_over_ceiling);
    (void)add("x", 4, lock_ceiling_from_1);
    scenario_run(20);
    CHECK_TEXT(order, "bx");
    new_scenario(true);
    (void)add("b", 6, hold_and_hand_over);
    (void)add("a", 5, sleep_and_lock);
    (void)add("x", 4, lock_from_1);
    scenario_run(20);
    CHECK_TEXT(order, "bwrxa");
}

/* Without hints the same happens to those that wait as ever. */
static void nobody_hints(void)
{
    new_scenario(false);
    (void)add("b", 6, hold_and_sleep_at_3);
    (void)add("a", 4, lock_from_1);
    scenario_run(20);
    CHECK_TEXT(order, "ba");
    new_scenario(false);
    (void)add("b", 7, hold_and_lock_second_at_3);
    (void)add("c", 6, hold_second_and_sleep);
    (void)add("a", 4, lock_from_1);
    scenario_run(20);
    CHECK_TEXT(order, "cba");
}

/* An owner further along the chain that waits for another task ends nothing. */
static void hold_second_and_wait(void *argument)
{
    scenario_lock(&second);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
    takt_mutex_unlock(&second);
}

static void chain_waits_later(void)
{
    new_scenario(true);
    (void)add("b", 7, hold_and_lock_second_at_3);
    (void)add("c", 6, hold_second_and_wait);
    (void)add("a", 4, sleep_and_lock);
    (void)add("p", 2, post_at_4);
    scenario_run(20);
    CHECK_TEXT(order, HEEDED ? "cbwa" : "wcba");
}

/* All that wait because of one task, directly or not, are let go, in the order in which they are declared. */
static struct takt_mutex third;

static void hold_two_and_lock_second(void *argument)
{
    scenario_sleep_to(1);
    scenario_lock(&mutex);
    scenario_lock(&third);
    scenario_lock(&second);
    note(argument);
    takt_mutex_unlock(&second);
    takt_mutex_unlock(&third);
    takt_mutex_unlock(&mutex);
}

static void sleep_and_lock_third(void *argument)
{
    give_hint(&third);
    scenario_sleep_to(2);
    note("v");
    scenario_lock(&third);
    note(argument);
    takt_mutex_unlock(&third);
}

static void lock_second_at_3(void *argument)
{
    scenario_sleep_to(3);
    scenario_lock(&second);
    note(argument);
    takt_mutex_unlock(&second);
}

static void many_are_let_go(void)
{
    new_scenario(true);
    takt_mutex_init(&third, 4);
    (void)add("d", 5, sleep_and_lock_third);
    (void)add("a", 5, sleep_and_lock);
    (void)add("c", 8, hold_second_and_sleep_at_4);
    (void)add("b", 6, hold_two_and_lock_second);
    (void)add("x", 4, lock_second_at_3);
    (void)add("y", 7, lock_second_at_3);
    scenario_run(20);
    CHECK_TEXT(order, "vwcxbday");
}

#if !TAKT_ASSERTIONS
/* Owners that wait for each other; with assertions the last lock is refused. */
static void hold_and_lock_second(void *argument)
{
    scenario_lock(&mutex);
    scenario_sleep_to(1);
    scenario_lock(&second);
    note(argument);
}

static void hold_second_and_lock(void *argument)
{
    scenario_lock(&second);
    scenario_sleep_to(1);
    scenario_lock(&mutex);
    note(argument);
}

static void suspend_at_3(void *argument)
{
    scenario_sleep_to(3);
    note(argument);
    takt_task_suspend(scenario_find("b"));
}

static void cycle_rests_later(void)
{
    new_scenario(true);
    (void)add("b", 7, hold_and_lock_second);
    (void)add("c", 7, hold_second_and_lock);
    (void)add("a", 8, sleep_and_lock);
    (void)add("s", 2, suspend_at_3);
    scenario_run(10);
    CHECK_TEXT(order, HEEDED ? "sw" : "ws");
}
#endif

int main(void)
{
    nobody_hints();
    chain_waits_later();
    many_are_let_go();
#if !TAKT_ASSERTIONS
    cycle_rests_later();
#endif
    owner_rests_later();
    chain_rests_later();
    next_owner_rests();
    return 0;
}
