/* SPDX-License-Identifier: Apache-2.0 */
/* A created mutex that a stopped task left broken: nobody has it, so it can be deleted, and made anew. */
#include "kernel/test/support/budget_scenario.h"
#include "takt/condition.h"
#include "takt/create.h"
#include "takt/process.h"

enum { MEMORY = 64 };

static uint8_t memory[MEMORY] __attribute__((aligned(TAKT_GRANULE)));
static struct takt_mutex mutexes[1];
static struct takt_object slots[] = {{&mutexes[0], 1, TAKT_OBJECT_FREE | TAKT_OBJECT_MUTEX, 0}};
static struct takt_quota quotas[] = {
    {.memory = (uintptr_t)memory, .memory_size = MEMORY, .slots = slots, .slot_count = 1}};
static const uint8_t of_tasks[] = {0, 0};
extern const struct takt_quotas takt_quotas;
const struct takt_quotas takt_quotas = {quotas, of_tasks};

static struct takt_mutex *created;
static unsigned steps;

static void hold_too_long(void *argument)
{
    CHECK_EQUAL(takt_mutex_create(&created), TAKT_OK);
    scenario_lock(created);
    steps++;
    work_5(argument);
}

static void delete_broken(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    CHECK_EQUAL(takt_mutex_lock(created), TAKT_OWNER_DIED);
    takt_mutex_delete(created);
    CHECK_EQUAL(takt_mutex_create(&created), TAKT_OK);
    scenario_lock(created);
    takt_mutex_unlock(created);
    takt_mutex_delete(created);
    steps++;
}

static TAKT_CONDITION_DEFINE(condition, 7);

static void wait_then_hold(void *argument)
{
    CHECK_EQUAL(takt_mutex_create(&created), TAKT_OK);
    scenario_lock(created);
    CHECK_EQUAL(takt_condition_wait(&condition, created), TAKT_OK); /* it owns what has been deleted */
    steps++;
    work_5(argument);
}

static void delete_then_signal(void *argument)
{
    struct takt_mutex *again;
    (void)argument;
    scenario_sleep_to(1);
    takt_mutex_delete(created);
    takt_condition_signal(&condition);
    scenario_sleep_to(8);
    CHECK_EQUAL(takt_mutex_create(&again), TAKT_OK); /* nobody is left to unlock it */
    scenario_lock(again);
    takt_mutex_unlock(again);
    steps++;
}

/* The slot of a mutex that was deleted while a task waited for a signal with it, and that this left broken. */
static void deleted_and_broken(void)
{
    fresh();
    steps = 0;
    limit(scenario_periodic("a", 2, wait_then_hold, 20), TAKT_BUDGET_STOP, 4)->hold_ns = TAKT_MS(3);
    (void)scenario_task("b", 1, delete_then_signal);
    scenario_run(12);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a4 b8");
    CHECK_EQUAL(steps, 2);
}

int main(void)
{
    fresh();
    limit(scenario_periodic("a", 2, hold_too_long, 20), TAKT_BUDGET_STOP, 4)->hold_ns = TAKT_MS(3);
    (void)scenario_task("b", 1, delete_broken);
    scenario_run(12);
    CHECK_TEXT(scenario_events(TAKT_EVENT_STOP, 0), "a3 b6");
    CHECK_EQUAL(steps, 2);
    deleted_and_broken();
    return 0;
}
