/* SPDX-License-Identifier: Apache-2.0 */
/* Next-lock hints: what they save (seed 000, figures 5.1 to 5.8), when they have no effect, what ends them, misuse. */
#include "hint_scenario.h"
#include "kernel/test/support/misuse.h"

static void wait_and_lock(void *argument)
{
    give_hint(&mutex);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note("w");
    lock_and_note(argument);
}

static void hold_and_post(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(1);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    note(argument);
    scenario_work(1);
    takt_mutex_unlock(&mutex);
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

/* Figures 5.7 and 5.8: t2 waits for a signal of t1, which owns the mutex, and then locks it. */
static unsigned signal_while_owned(bool hint, unsigned t1_level, unsigned t2_level)
{
    new_scenario(hint);
    (void)add("b", t1_level, hold_and_post); /* t1 */
    (void)add("a", t2_level, wait_and_lock); /* t2 */
    scenario_run(10);
    CHECK_TEXT(order, hint && HEEDED ? "bwa" : "wba");
    return switches();
}

static void hold_to_3(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    scenario_work(2);
    note("b");
    takt_mutex_unlock(&mutex);
}

static void work_from_1(void *argument)
{
    scenario_sleep_to(1);
    scenario_work(3);
    note(argument);
}

/* Figures 5.1 and 5.3: another one executes when t2's event comes. */
static unsigned event_while_another_runs(bool hint, unsigned low, unsigned middle, unsigned high)
{
    new_scenario(hint);
    (void)add("c", low, hold_to_3);
    (void)add("b", middle, work_from_1);
    (void)add("a", high, sleep_and_lock);
    scenario_run(10);
    CHECK_TEXT(order, hint && HEEDED ? "bwab" : "wbab");
    return switches();
}

/*
 * The pair of lock and unlock is one switch instead of two: c2 of figure 5.1 goes, the one from t2 back to t1. Where t1
 * is the one that executes when the event comes, c1, from it to t2, is none either.
 */
static void one_switch_is_saved(void)
{
    static const unsigned levels[][3] = {{7, 5, 4}, {5, 4, 3}, {3, 3, 3}};
    for (unsigned each = 0; each < (TAKT_EDF ? 3u : 2u); each++) {
        const unsigned *level = levels[each];
        unsigned plain = signal_while_owned(false, level[0], level[2]);
        unsigned with_hint = signal_while_owned(true, level[0], level[2]);
        CHECK(!TAKT_TRACE || with_hint == plain - (HEEDED ? 2 : 0));
        plain = event_while_another_runs(false, level[0], level[1], level[2]);
        with_hint = event_while_another_runs(true, level[0], level[1], level[2]);
        CHECK(!TAKT_TRACE || with_hint == plain - HEEDED);
    }
}

/* Figure 5.5: t1, which is better, locks the mutex before t2, which is ready, does, and then waits for another task. */
static void lock_and_wait(void *argument)
{
    scenario_sleep_to(2);
    scenario_lock(&mutex);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void sleep_work_and_lock(void *argument)
{
    give_hint(&mutex);
    scenario_sleep_to(1);
    scenario_work(2);
    note("w");
    lock_and_note(argument);
}

static void work_and_post(void *argument)
{
    scenario_work(5);
    note(argument);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

static void better_one_locks_first(void)
{
    for (unsigned hint = 0; hint < 2; hint++) {
        new_scenario(hint != 0);
        (void)add("s", 8, work_and_post);
        (void)add("b", 6, sleep_work_and_lock); /* t2 */
        (void)add("a", 4, lock_and_wait);       /* t1 */
        scenario_run(20);
        CHECK_TEXT(order, hint && HEEDED ? "sawb" : "wsab");
    }
}

/* The only one that is expected finds nobody to hold back; what another has locked meanwhile is found as it is. */
static void lock_second(void *argument)
{
    give_hint(&second); /* wrong */
    scenario_sleep_to(1);
    lock_and_note(argument);
}

static void try_both_from_3(void *argument)
{
    scenario_sleep_to(4);
    CHECK(takt_mutex_try_lock(&second) == TAKT_OK); /* which somebody was expected to lock */
    CHECK(takt_mutex_try_lock(&mutex) == TAKT_OK);
    note(argument);
    takt_mutex_unlock(&second);
    takt_mutex_unlock(&mutex);
    CHECK(takt_mutex_lock_until(&second, TAKT_MS(1)) == TAKT_OK);
    takt_mutex_delete(&second);
}

static void wrong_hints(void)
{
    new_scenario(true);
    (void)add("c", 7, try_both_from_3);
    (void)add("b", 6, lock_second);
    (void)add("a", 4, lock_second);
    scenario_run(10);
    CHECK_TEXT(order, "abc");
}

/* A lock ends a hint, and so does NULL: the wait after it is like any other. */
static void lock_then_wait(void *argument)
{
    give_hint(&mutex);
    scenario_lock(&second);
    takt_mutex_unlock(&second);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
}

static void hint_null_then_wait(void *argument)
{
    give_hint(&mutex);
    give_hint(NULL);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
}

static void hint_null_with_mutex(void *argument)
{
    give_hint(&mutex);
    scenario_lock(&second);
    give_hint(NULL); /* ended already */
    takt_mutex_unlock(&second);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
}

static void wait_twice(void *argument)
{
    give_hint(&mutex);
    scenario_sleep_to(1); /* for this one: the mutex is free */
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
}

static void hint_with_mutex(void *argument)
{
    scenario_lock(&second);
    give_hint(&mutex); /* no effect: it owns one */
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
    takt_mutex_unlock(&second);
}

static void hold_and_post_at_2(void *argument)
{
    scenario_sleep_to(2);
    hold_and_post(argument);
}

static void ended_hints(void)
{
    void (*const entries[])(void *) = {lock_then_wait, hint_null_then_wait, hint_null_with_mutex, wait_twice,
                                       hint_with_mutex};
    for (unsigned each = 0; each < sizeof entries / sizeof *entries; each++) {
        new_scenario(true);
        (void)add("b", 6, hold_and_post_at_2);
        (void)add("a", 4, entries[each]);
        scenario_run(10);
        CHECK_TEXT(order, "ab");
    }
}

/* A wait that ends with a timeout, by a deletion or with a release: the result is the wait's own. */
static void wait_until_2(void *argument)
{
    give_hint(&mutex);
    CHECK(takt_semaphore_wait_until(&semaphore, TAKT_MS(1)) == TAKT_TIMEOUT);
    lock_and_note(argument);
}

static void hold_for_3(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(3);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void wait_for_deletion(void *argument)
{
    give_hint(&mutex);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_DELETED);
    lock_and_note(argument);
}

static void hold_and_delete(void *argument)
{
    scenario_lock(&mutex);
    takt_semaphore_delete(&semaphore);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void results(void)
{
    new_scenario(true);
    (void)add("b", 6, hold_for_3);
    (void)add("a", 4, wait_until_2);
    scenario_run(10);
    CHECK_TEXT(order, "ba");
    new_scenario(true);
    (void)add("b", 6, hold_and_delete);
    (void)add("a", 4, wait_for_deletion);
    scenario_run(10);
    CHECK_TEXT(order, "ba");
}

#if TAKT_JOBS
static void job(void *argument)
{
    note("w");
    lock_and_note(argument);
    takt_hint_next(&mutex);
}

static void hold_from_4(void *argument)
{
    scenario_sleep_to(4);
    hold_for_3(argument);
}

/* The second job begins at 5, while the mutex is owned. */
static void releases(void)
{
    new_scenario(true);
    (void)add("b", 6, hold_from_4);
    struct takt_task_config *config = scenario_periodic("a", 4, job, 5);
    config->argument = (void *)(uintptr_t) "a";
    scenario_run(9);
    CHECK_TEXT(order, HEEDED ? "wabwa" : "wawba");
}
#endif

/* While t2 waits ahead: its mutex is deleted; it is stopped; it is suspended. */
static void hold_and_delete_mutex(void *argument)
{
    scenario_lock(&mutex);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    note(argument);
    takt_mutex_delete(&mutex);
    note(argument);
}

static void wait_only(void *argument)
{
    give_hint(&mutex);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
}

static void hold_and_stop(void *argument)
{
    scenario_lock(&mutex);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    takt_task_stop(scenario_find("a"));
    CHECK(takt_task_stopped(scenario_find("a")));
    note(argument);
    scenario_work(2); /* c comes in between: nobody inherits any more */
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void hold_and_suspend(void *argument)
{
    scenario_lock(&mutex);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    takt_task_suspend(scenario_find("a"));
    takt_mutex_unlock(&mutex);
    note(argument);
    CHECK(takt_mutex_try_lock(&mutex) == TAKT_OK); /* no suspended task is expected */
    takt_task_resume(scenario_find("a"));
    takt_mutex_unlock(&mutex);
}

static void suspended_before(void *argument)
{
    scenario_lock(&mutex);
    takt_task_suspend(scenario_find("a"));
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
    note(argument);
    takt_task_resume(scenario_find("a")); /* no effect any more */
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void what_happens_meanwhile(void)
{
    new_scenario(true);
    (void)add("b", 6, hold_and_delete_mutex);
    (void)add("a", 4, wait_only);
    scenario_run(10);
    CHECK_TEXT(order, HEEDED ? "bab" : "abb");
    if (HEEDED) {
        new_scenario(true);
        (void)add("b", 6, hold_and_stop);
        (void)add("c", 5, work_from_1);
        (void)add("a", 4, wait_only);
        scenario_run(10);
        CHECK_TEXT(order, "bcb");
        new_scenario(true);
        (void)add("b", 6, hold_and_suspend);
        (void)add("a", 4, wait_only);
        scenario_run(10);
        CHECK_TEXT(order, "ba");
    }
    new_scenario(true);
    (void)add("b", 6, suspended_before);
    (void)add("a", 4, wait_only);
    scenario_run(10);
    CHECK_TEXT(order, "bab");
}

/* An owner that sleeps, or waits for one that does: the hint has no effect. */
static void hold_and_sleep(void *argument)
{
    scenario_lock(&mutex);
    scenario_sleep_to(4);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static void hold_and_wait_for_second(void *argument)
{
    scenario_lock(&mutex);
    scenario_sleep_to(1);
    scenario_lock(&second);
    note(argument);
    takt_mutex_unlock(&second);
    takt_mutex_unlock(&mutex);
}

static void owner_rests(void)
{
    new_scenario(true);
    (void)add("b", 6, hold_and_sleep);
    (void)add("a", 4, sleep_and_lock);
    scenario_run(10);
    CHECK_TEXT(order, "wba");
    new_scenario(true);
    (void)add("c", 7, hold_and_wait_for_second);
    (void)add("b", 6, hold_second_and_sleep);
    (void)add("a", 4, sleep_and_lock);
    scenario_run(10);
    CHECK_TEXT(order, "wbca");
}

static void lock_from_3(void *argument)
{
    scenario_sleep_to(3);
    lock_and_note(argument);
}

static void worse_waiters(void)
{
    new_scenario(true);
    (void)add("c", 7, hold_for_3);
    (void)add("b", 6, lock_from_1);
    (void)add("a", 4, sleep_and_lock);
    scenario_run(10);
    CHECK_TEXT(order, "wcab");
    new_scenario(true);
    (void)add("c", 7, hold_and_wait);
    (void)add("b", 6, lock_from_3);
    (void)add("a", 4, sleep_and_lock);
    (void)add("s", 3, post_at_4);
    scenario_run(20);
    CHECK_TEXT(order, "wcab");
}

static void call_hint(void)
{
    takt_hint_next(&mutex);
}

static const struct misuse misuses[] = {
    {call_hint, INTERRUPT, "kernel/sync/hint.c", BANDS},
    {call_hint, IDLE, "kernel/sync/hint.c", BANDS},
};

static void prepare(const struct misuse *next)
{
    (void)next;
    takt_mutex_init(&mutex, 1);
}

int main(void)
{
    one_switch_is_saved();
    better_one_locks_first();
    wrong_hints();
    ended_hints();
    results();
#if TAKT_JOBS
    releases();
#endif
    what_happens_meanwhile();
    owner_rests();
    worse_waiters();
    return TAKT_ASSERTIONS && TAKT_EDF ? misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare) : 0;
}
