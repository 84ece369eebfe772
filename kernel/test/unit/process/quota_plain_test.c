/* SPDX-License-Identifier: Apache-2.0 */
/* A build without threads: a task that is in no table is of no process. */
#include "kernel/test/support/scenario.h"
#include "takt/process.h"

static uint8_t memory[64] __attribute__((aligned(TAKT_GRANULE)));
static struct takt_quota quotas[1] = {{.memory = (uintptr_t)memory, .memory_size = sizeof memory}};
static const uint8_t of_tasks[] = {0};
extern const struct takt_quotas takt_quotas;
const struct takt_quotas takt_quotas = {quotas, of_tasks};
static unsigned ran;

static void take(void *argument)
{
    CHECK(takt_memory_alloc(1) == argument);
    ran++;
}

static uint64_t stack[SCENARIO_STACK / 8];
static const struct takt_task_config config = {
    .name = "x", .entry = take, .stack = stack, .stack_size = SCENARIO_STACK, .index = 1, .level = 9};
static struct takt_task extra;

static void start_extra(void)
{
    CHECK_EQUAL(takt_task_start(&extra, &config), TAKT_OK);
}

int main(void)
{
    scenario_new();
    scenario_task("a", 1, take)->argument = memory;
    scenario.before = start_extra;
    scenario_run(5);
    CHECK_EQUAL(ran, 2);
    return 0;
}
