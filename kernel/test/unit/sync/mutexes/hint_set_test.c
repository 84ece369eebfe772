/* SPDX-License-Identifier: Apache-2.0 */
/* Hints of a set of mutexes (seed 000, 5.4.2): what they save, what ends them, misuse. */
#include "hint_scenario.h"
#include "kernel/test/support/misuse.h"

static struct takt_mutex third;
static struct takt_mutex *const both[] = {&mutex, &second};
static struct takt_mutex *const all[] = {&mutex, &second, &third};
static struct takt_hint_set set;
static enum { NONE, SINGLE, SET } kind;

static void give(void)
{
    if (kind == SINGLE) {
        takt_hint_next(&mutex);
    } else if (kind == SET) {
        takt_hint_next_set(&set);
    }
}

/* 0 without a trace. */
static unsigned switches(void)
{
    unsigned count = 0;
    for (const char *text = scenario_runs(); *text != '\0'; text++) {
        count += *text == ' ';
    }
    return count;
}

static void hold_second_for_4(void *argument)
{
    scenario_lock(&second);
    scenario_work(4);
    note(argument);
    takt_mutex_unlock(&second);
}

static void hold_mutex_from_1(void *argument)
{
    scenario_sleep_to(1);
    scenario_lock(&mutex);
    scenario_work(2);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void sleep_and_lock_both(void *argument)
{
    give();
    scenario_sleep_to(2);
    note("w");
    scenario_lock(&mutex);
    scenario_lock(&second);
    note(argument);
    takt_mutex_unlock(&second);
    takt_mutex_unlock(&mutex);
}

static unsigned both_owned(int hint)
{
    new_scenario(false);
    kind = hint;
    set = (struct takt_hint_set){.mutexes = both, .count = 2};
    (void)add("c", 7, hold_second_for_4);
    (void)add("b", 6, hold_mutex_from_1);
    (void)add("a", 4, sleep_and_lock_both);
    scenario_run(20);
    CHECK_TEXT(order, hint == NONE || !HEEDED ? "wbca" : hint == SINGLE ? "bwca" : "bcwa");
    return switches();
}

/* One switch for each mutex that is owned: 5.4.2. */
static void what_it_saves(void)
{
    unsigned plain = both_owned(NONE);
    unsigned single = both_owned(SINGLE);
    unsigned with_set = both_owned(SET);
    CHECK(!TAKT_TRACE || single == plain - (HEEDED ? 2 : 0)); /* b executes when the event comes: figure 5.7 */
    CHECK(!TAKT_TRACE || with_set == single - HEEDED);
}

/* While it waits for the second one the first is locked by a better one: each is waited for once. */
static void lock_mutex_at_3(void *argument)
{
    scenario_sleep_to(3);
    scenario_lock(&mutex);
    CHECK(takt_semaphore_wait_until(&semaphore, TAKT_MS(9)) == TAKT_TIMEOUT);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void each_once(void)
{
    new_scenario(false);
    kind = SET;
    set = (struct takt_hint_set){.mutexes = all, .count = 3};
    takt_mutex_init(&third, 4);
    (void)add("c", 7, hold_second_for_4);
    (void)add("a", 5, sleep_and_lock_both);
    (void)add("x", 4, lock_mutex_at_3);
    scenario_run(20);
    CHECK_TEXT(order, HEEDED ? "cwxa" : "wcax");
}

/* An owner that sleeps is not waited for, one after it is; one that falls asleep ends all. */
static void hold_mutex_and_sleep(void *argument)
{
    scenario_lock(&mutex);
    scenario_sleep_to(8);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void hold_second_and_sleep_at_3(void *argument)
{
    scenario_lock(&second);
    scenario_work(3);
    scenario_sleep_to(8);
    note(argument);
    takt_mutex_unlock(&second);
}

static void owners_rest(void)
{
    new_scenario(false);
    kind = SET;
    set = (struct takt_hint_set){.mutexes = both, .count = 2};
    (void)add("c", 7, hold_second_for_4);
    (void)add("b", 6, hold_mutex_and_sleep);
    (void)add("a", 4, sleep_and_lock_both);
    scenario_run(20);
    CHECK_TEXT(order, HEEDED ? "cwba" : "wcba");
    new_scenario(false);
    kind = SET;
    set = (struct takt_hint_set){.mutexes = both, .count = 2};
    (void)add("c", 7, hold_second_and_sleep_at_3);
    (void)add("b", 6, hold_mutex_from_1);
    (void)add("a", 4, sleep_and_lock_both);
    scenario_run(20);
    CHECK_TEXT(order, HEEDED ? "bwca" : "wbca");
}

/* A hint of one mutex, or none, takes its position, and so the other way round. */
static void give_two_and_lock(void *argument)
{
    takt_hint_next_set(&set);
    takt_hint_next(NULL);
    takt_hint_next_set(&set);
    takt_hint_next(&third);
    sleep_and_lock_both(argument);
}

static void the_last_counts(void)
{
    new_scenario(false);
    kind = NONE;
    set = (struct takt_hint_set){.mutexes = both, .count = 2};
    takt_mutex_init(&third, 4);
    (void)add("b", 6, hold_mutex_from_1);
    (void)add("a", 4, give_two_and_lock);
    scenario_run(20);
    CHECK_TEXT(order, "wba");
}

static void call_hint_set(void)
{
    takt_hint_next_set(&set);
}

static void call_empty_set(void)
{
    set.count = 0;
    takt_hint_next_set(&set);
}

static const struct misuse misuses[] = {
    {call_hint_set, INTERRUPT, "kernel/sync/hint.c", BANDS},
    {call_hint_set, IDLE, "kernel/sync/hint.c", BANDS},
    {call_empty_set, TASK, "kernel/sync/hint.c", BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    set = (struct takt_hint_set){.mutexes = both, .count = 2};
}

int main(void)
{
    what_it_saves();
    each_once();
    owners_rest();
    the_last_counts();
    return TAKT_ASSERTIONS && TAKT_EDF ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
