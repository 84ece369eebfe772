/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HINT_SCENARIO_H
#define HINT_SCENARIO_H

/* What tests of hints share. */
#include "kernel/test/support/scenario.h"
#include "takt/hint.h"

static struct takt_mutex mutex;
static struct takt_mutex second;
static struct takt_semaphore semaphore;
static bool hinted;
static char order[32]; /* owners of the mutex, and other events */

static inline void note(const char *what)
{
    strcat(order, what);
}

/* Levels 3 and 5 are edf ones where there are any: then the tasks are in the middle of a long job. */
static inline struct takt_task_config *add(const char *name, unsigned level, void (*entry)(void *argument))
{
    struct takt_task_config *config = scenario_named(name, level, entry);
    if (TAKT_EDF && level == 3) {
        config->release = TAKT_PERIODIC;
        config->style = TAKT_STYLE_LOOP;
        config->period_ns = TAKT_S(1);
        config->deadline_ns = TAKT_MS(100) + TAKT_MS(1) * (unsigned)name[0];
    }
    return config;
}

static inline void new_scenario(bool hint)
{
    scenario_new();
    if (TAKT_EDF) {
        scenario_edf(3);
    }
    takt_mutex_init(&mutex, 1);
    takt_mutex_init(&second, 2);
    takt_semaphore_init(&semaphore, 3, NULL, 0, 8);
    hinted = hint;
    order[0] = '\0';
}

static inline void give_hint(struct takt_mutex *next)
{
    if (hinted) {
        takt_hint_next(next);
    }
}

static inline void lock_and_note(void *argument)
{
    scenario_lock(&mutex);
    note(argument);
    scenario_work(1);
    takt_mutex_unlock(&mutex);
}

static inline void sleep_and_lock(void *argument)
{
    give_hint(&mutex);
    scenario_sleep_to(2);
    note("w");
    lock_and_note(argument);
}

static inline void hold_second_and_sleep(void *argument)
{
    scenario_lock(&second);
    scenario_sleep_to(4);
    note(argument);
    takt_mutex_unlock(&second);
}

/* A task that waits already, and is worse, would get the mutex before: no effect. */
static inline void lock_from_1(void *argument)
{
    scenario_sleep_to(1);
    lock_and_note(argument);
}

/* One that comes later, while the owner waits for somebody, ends it. */
static inline void hold_and_wait(void *argument)
{
    scenario_lock(&mutex);
    CHECK(takt_semaphore_wait(&semaphore) == TAKT_OK);
    note(argument);
    takt_mutex_unlock(&mutex);
}

static inline void post_at_4(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    CHECK(takt_semaphore_post(&semaphore) == TAKT_OK);
}

#endif
