/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LEVELS_H
#define LEVELS_H

/* Tasks a, b, c at three levels, a the highest, with two mutexes; and what they do in several tests. */
#include "kernel/test/support/scenario.h"

static struct takt_mutex m;
static struct takt_mutex n;

static inline void three_levels(void (*a)(void *), void (*b)(void *), void (*c)(void *))
{
    scenario_new();
    takt_mutex_init(&m, 1);
    takt_mutex_init(&n, 2);
    (void)scenario_task("a", 1, a);
    (void)scenario_task("b", 2, b);
    (void)scenario_task("c", 3, c);
}

static inline void lock_m_at_2_work_1(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    scenario_lock(&m);
    scenario_work(1);
    takt_mutex_unlock(&m);
}

static inline void work_3_at_3(void *argument)
{
    (void)argument;
    scenario_sleep_to(3);
    scenario_work(3);
}

static inline void hold_m_for_5(void *argument)
{
    (void)argument;
    scenario_lock(&m);
    scenario_work(5);
    takt_mutex_unlock(&m);
    scenario_work(1);
}

static inline void lock_m_at_2_work_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    scenario_lock(&m);
    scenario_work(2);
    takt_mutex_unlock(&m);
    scenario_work(1);
}

#endif
