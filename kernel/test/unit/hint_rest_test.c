/* SPDX-License-Identifier: Apache-2.0 */
/* Next-lock hints: an owner that sleeps or is suspended after the effect has begun (seed 000, 5.4.3). */
#include "hint_scenario.h"

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

static void next_owner_rests(void)
{
    new_scenario(true);
    (void)add("b", 6, hold_and_hand_over);
    (void)add("a", 5, sleep_and_lock);
    (void)add("x", 4, lock_from_1);
    scenario_run(20);
    CHECK_TEXT(order, "bwrxa");
}

int main(void)
{
    owner_rests_later();
    chain_rests_later();
    next_owner_rests();
    return 0;
}
