/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that would close a cycle of owners is refused, traced and noted in the fault record. */
#include "kernel/test/support/scenario.h"
#include "takt/fault.h"
#include "takt/hint.h"

enum { MUTEXES = 3 };

static struct takt_mutex mutexes[MUTEXES];
static unsigned refused_at;

static void fresh(void)
{
    scenario_new();
    for (unsigned index = 0; index < MUTEXES; index++) {
        takt_mutex_init(&mutexes[index], (uint16_t)(10 + index));
    }
    takt_fault_record = (struct takt_fault){.magic = 0};
    refused_at = 0;
}

/* Task `index` locks its own, and at 4 that of the one behind it; the last one to do so would close the circle. */
static void lock_round(void *argument)
{
    unsigned index = (unsigned)(uintptr_t)argument;
    unsigned next = (index + 1) % MUTEXES;
    scenario_sleep_to(1 + index);
    scenario_lock(&mutexes[index]);
    scenario_sleep_to(4 + index);
    enum takt_status status =
        index == 1 ? takt_mutex_lock_until(&mutexes[next], TAKT_MS(50)) : takt_mutex_lock(&mutexes[next]);
    if (status == TAKT_DEADLOCK) {
        refused_at = scenario_now();
        CHECK(index == MUTEXES - 1);
    } else {
        CHECK(status == TAKT_OK);
        takt_mutex_unlock(&mutexes[next]);
    }
    takt_mutex_unlock(&mutexes[index]);
}

/* By any priorities: the keys that a cycle would keep up are never lent. */
static void round_of_three(unsigned first_level, int step)
{
    static const char *const names[] = {"a", "b", "c"};
    fresh();
    for (unsigned index = 0; index < MUTEXES; index++) {
        unsigned level = (unsigned)((int)first_level + step * (int)index);
        scenario_task(names[index], level, lock_round)->argument = (void *)(uintptr_t)index;
    }
    scenario_run(20);
    CHECK_EQUAL(refused_at, 6);
    CHECK_TEXT(scenario_events(TAKT_EVENT_DEADLOCK, 0), "c6");
    CHECK(strlen(scenario_events(TAKT_EVENT_STOP, 0)) == strlen("a6 b6 c6"));
    CHECK(takt_fault_record.magic == TAKT_FAULT_MAGIC && takt_fault_record.reason == TAKT_FAULT_DEADLOCK);
    CHECK(takt_fault_record.task == 2 && takt_fault_record.address == (uintptr_t)&mutexes[0]);
    CHECK(takt_fault_record.time_ns == TAKT_MS(6) && takt_fault_record.file == NULL && takt_fault_record.line == 0);
}

static void lock_until_5(void *argument)
{
    (void)argument;
    scenario_lock(&mutexes[0]);
    scenario_sleep_to(2);
    CHECK(takt_mutex_lock_until(&mutexes[1], TAKT_MS(5)) == TAKT_TIMEOUT);
    takt_mutex_unlock(&mutexes[0]);
}

static void wait_in_the_chain(void *argument)
{
    (void)argument;
    scenario_lock(&mutexes[1]);
    scenario_sleep_to(3);
    CHECK(takt_mutex_lock_until(&mutexes[0], TAKT_MS(4)) == TAKT_DEADLOCK);
    scenario_sleep_to(6); /* nobody waits for this one any more */
    scenario_lock(&mutexes[0]);
    takt_mutex_unlock(&mutexes[0]);
    takt_mutex_unlock(&mutexes[1]);
}

/* Also where a timeout would have broken it; and what is no cycle is let wait. */
static void with_timeouts(void)
{
    fresh();
    (void)scenario_task("a", 1, lock_until_5);
    (void)scenario_task("b", 2, wait_in_the_chain);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_DEADLOCK, 0), "b3");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a5 b6");
}

static struct takt_condition condition;

/* It keeps the second mutex while it waits for a signal, and then wants the first again. */
static void wait_for_a_signal(void *argument)
{
    (void)argument;
    scenario_lock(&mutexes[1]);
    scenario_lock(&mutexes[0]);
    CHECK(takt_condition_wait(&condition, &mutexes[0]) == TAKT_OK);
    CHECK_EQUAL(scenario_now(), 10);
    takt_mutex_unlock(&mutexes[0]);
    takt_mutex_unlock(&mutexes[1]);
}

static void lock_meanwhile(void *argument)
{
    (void)argument;
    scenario_sleep_to(1);
    scenario_lock(&mutexes[0]);
    CHECK(takt_mutex_lock_until(&mutexes[1], TAKT_MS(10)) == TAKT_TIMEOUT); /* no cycle before the signal */
    takt_mutex_unlock(&mutexes[0]);
}

static void signal_at_2(void *argument)
{
    (void)argument;
    scenario_sleep_to(2);
    takt_condition_signal(&condition);
}

static void close_a_cycle(void)
{
    fresh();
    takt_condition_init(&condition, 20);
    (void)scenario_task("a", 3, wait_for_a_signal);
    (void)scenario_task("b", 4, lock_meanwhile);
    (void)scenario_task("s", 2, signal_at_2);
}

static void wait_for_the_cycle(void *argument)
{
    (void)argument;
    scenario_sleep_to(4);
    CHECK(takt_mutex_lock_until(&mutexes[0], TAKT_MS(6)) == TAKT_TIMEOUT);
    CHECK_EQUAL(scenario_now(), 6);
}

/* A cycle that a signal closed, which nobody can refuse: another task waits for it, and is in none. */
static void cycle_of_others(void)
{
    close_a_cycle();
    (void)scenario_task("d", 1, wait_for_the_cycle);
    scenario_run(20);
    CHECK_TEXT(scenario_events(TAKT_EVENT_DEADLOCK, 0), "");
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "s2 d6 a10 b10");
}

static void hint_then_lock(void *argument)
{
    (void)argument;
    takt_hint_next(&mutexes[0]);
    scenario_sleep_to(4);
    refused_at = scenario_now();
    scenario_lock(&mutexes[0]);
    takt_mutex_unlock(&mutexes[0]);
}

/* None of them sleeps: a hint has its effect, and the task runs when it can lock. */
static void hint_in_front_of_a_cycle(void)
{
    close_a_cycle();
    (void)scenario_task("d", 5, hint_then_lock);
    scenario_run(20);
    CHECK_EQUAL(refused_at, HEEDED ? 10 : 4);
    CHECK_TEXT(scenario_events(TAKT_EVENT_DEADLOCK, 0), "");
}

int main(void)
{
    round_of_three(1, 1);
    round_of_three(5, -1);
    round_of_three(2, 0);
    with_timeouts();
    cycle_of_others();
    hint_in_front_of_a_cycle();
    return 0;
}
