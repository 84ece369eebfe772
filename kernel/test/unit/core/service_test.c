/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What init does, and what hooks and calls do while the timers are served, when tasks have become ready or lost what
 * they inherited and the best task was not determined yet. Run with every preemptive scheduler, and without a trace:
 * nobody gets lost.
 */
#include "kernel/test/support/scenario.h"

#include "kernel/core/kernel.h"

static struct takt_semaphore semaphore;
static struct takt_mutex mutex;
static struct takti_call call;
static unsigned done; /* a bit for each task, by number */
static char order[8]; /* in which they ended */

static void end(const char *name)
{
    done |= 1u << (unsigned)(name[0] - 'a');
    strcat(order, name);
}

static void post(struct takti_call *due)
{
    (void)due;
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

static void wait_for_a_post(void *argument)
{
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    end(argument);
}

static void sleep_to_5(void *argument)
{
    scenario_sleep_to(5);
    end(argument);
}

static void work_8(void *argument)
{
    scenario_work(8);
    end(argument);
}

static void call_at_5(void *argument)
{
    scenario_sleep_to(1);
    takti_call_at(&call, TAKT_MS(5), post);
    end(argument);
}

static void new_scenario(void)
{
    scenario_new();
    takt_semaphore_init(&semaphore, 1, NULL, 0, 1);
    takt_mutex_init(&mutex, 2);
    call = (struct takti_call){.function = NULL};
    done = 0;
    order[0] = '\0';
}

static void add(const char *name, unsigned level, void (*entry)(void *argument))
{
    scenario_task(name, level, entry)->argument = (void *)(uintptr_t)name;
}

/* At 5 a sleeper, then a call that wakes its equal. */
static void equal_woken_behind_a_sleeper(void)
{
    new_scenario();
    add("a", 2, sleep_to_5);
    add("b", 2, wait_for_a_post);
    add("c", 1, call_at_5);
    add("d", 5, work_8);
    scenario_run(20);
    CHECK_TEXT(order, "cabd");
}

static void lock_until_5(void *argument)
{
    scenario_sleep_to(2);
    CHECK(takt_mutex_lock_until(&mutex, TAKT_MS(5)) == TAKT_TIMEOUT);
    end(argument);
}

static void hold(void *argument)
{
    scenario_lock(&mutex);
    scenario_work(8);
    takt_mutex_unlock(&mutex);
    end(argument);
}

static void work_at_3(void *argument)
{
    scenario_sleep_to(3);
    end(argument);
}

static void call_at_5_from_4(void *argument)
{
    scenario_sleep_to(4);
    takti_call_at(&call, TAKT_MS(5), post);
    end(argument);
}

/* At 5 a waiter gives up, and the holder, which runs, falls below d, which is ready; then a call wakes d's equal. */
static void equal_woken_behind_a_fallen_holder(void)
{
    new_scenario();
    add("a", 1, lock_until_5);
    add("b", 0, call_at_5_from_4);
    add("c", 3, wait_for_a_post);
    add("d", 3, work_at_3); /* ready from 3 on, behind e, which has a's level */
    add("e", 4, hold);
    scenario_run(20);
    CHECK_TEXT(order, "badce");
}

static void lock_for_ever(void *argument)
{
    (void)argument;
    scenario_lock(&mutex);
    CHECK(0);
}

/* The same, but the waiter is stopped by its deadline. */
static void equal_woken_behind_a_stopped_waiter(void)
{
    new_scenario();
    struct takt_task_config *config = scenario_periodic("a", 1, lock_for_ever, 50);
    config->offset_ns = TAKT_MS(2);
    config->deadline_ns = TAKT_MS(3);
    scenario_on_miss(config, TAKT_MISS_STOP);
    add("b", 0, call_at_5_from_4);
    add("c", 3, wait_for_a_post);
    add("d", 3, work_at_3);
    add("e", 4, hold);
    scenario_run(20);
    CHECK_TEXT(order, "bdce");
}

/* The deadline of the task that runs stops it; then a call wakes another. */
static void woken_behind_a_stop(void)
{
    new_scenario();
    struct takt_task_config *config = scenario_periodic("a", 1, work_8, 50);
    config->offset_ns = TAKT_MS(1);
    config->deadline_ns = TAKT_MS(4);
    scenario_on_miss(config, TAKT_MISS_STOP);
    add("b", 3, wait_for_a_post);
    add("c", 3, sleep_to_5);
    add("d", 0, call_at_5);
    scenario_run(20);
    CHECK_TEXT(order, "dcb");
}

static bool initialized;

static void run_after_init(void *argument)
{
    CHECK(initialized);
    end(argument);
}

/* Stops what is ready and what waits, starts a task, deletes an object. */
static void change_in_init(void)
{
    takt_task_stop(scenario_find("a"));
    takt_task_stop(scenario_find("b"));
    CHECK(takt_task_start(scenario_find("b"), &scenario.configs[1]) == TAKT_OK);
    takt_semaphore_delete(&semaphore);
    initialized = true;
}

/* Nobody runs before init has returned; then b, which was started anew, is behind its equal. */
static void nobody_runs_in_init(void)
{
    new_scenario();
    initialized = false;
    scenario_periodic("a", 0, run_after_init, 10)->argument = (void *)(uintptr_t) "a";
    add("b", 1, run_after_init);
    add("c", 1, run_after_init);
    scenario.before = change_in_init;
    scenario_run(20);
    CHECK_TEXT(order, "cb");
}

int main(void)
{
    nobody_runs_in_init();
    equal_woken_behind_a_sleeper();
    equal_woken_behind_a_fallen_holder();
    equal_woken_behind_a_stopped_waiter();
    woken_behind_a_stop();
    return 0;
}
