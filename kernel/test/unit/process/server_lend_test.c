/* SPDX-License-Identifier: Apache-2.0 */
/* A task of a server owns a mutex that its process created without a declared section: nothing is inherited through it,
 * also when the budget of the server comes back. */
#include "kernel/test/support/budget_scenario.h"
#include "takt/create.h"
#include "takt/process.h"
#include "takt/server.h"

static struct takt_mutex mutexes[1];
static struct takt_object slots[] = {{&mutexes[0], 1, TAKT_OBJECT_FREE | TAKT_OBJECT_MUTEX, 0}};
static struct takt_quota quotas[] = {{.slots = slots, .slot_count = 1}};
static const uint8_t of_tasks[] = {0, 0, UINT8_MAX};
extern const struct takt_quotas takt_quotas;
const struct takt_quotas takt_quotas = {quotas, of_tasks};

static struct takt_mutex *created;
static struct takt_server server;
static struct takt_task *served[1];

/* Its budget is used up at 3 ms; it locks at 4, and the budget comes back at 10. */
static void own(void *argument)
{
    (void)argument;
    CHECK_EQUAL(takt_mutex_create(&created), TAKT_OK);
    scenario_work(4);
    scenario_lock(created);
    scenario_work(8);
    takt_mutex_unlock(created);
}

static void wait_for_it(void *argument)
{
    (void)argument;
    scenario_sleep_to(6);
    scenario_lock(created);
    takt_mutex_unlock(created);
}

int main(void)
{
    fresh();
    served[0] = &scenario.tasks[0];
    server = (struct takt_server){.budget_ns = TAKT_MS(3),
                                  .period_ns = TAKT_MS(10),
                                  .deadline_ns = TAKT_MS(10),
                                  .tasks = served,
                                  .task_count = 1,
                                  .kind = TAKT_SERVER_DEFERRABLE};
    *scenario.system.servers = &server;
    *scenario.system.server_count = 1;
    struct takt_budget *budget = limit(scenario_task("a", 3, own), TAKT_BUDGET_SERVER, 1);
    *budget->server = &server;
    budget->hold_ns = TAKT_MS(20);
    (void)scenario_task("b", 1, wait_for_it);
    scenario_periodic("m", 2, work_5, 20)->offset_ns = TAKT_MS(11);
    scenario_run(19);
    CHECK_TEXT(scenario_runs(), "b0 a0 b6 a6 m11 a16 b17 a17 -17"); /* m goes before a, that b waits for */
    CHECK_TEXT(scenario_events(TAKT_EVENT_KEY, 1), "a3=9 a10=3");
    return 0;
}
