/* SPDX-License-Identifier: Apache-2.0 */
/* Systems and tasks whose tables an assertion refuses. Run with each scheduler, for what can go wrong with it. */
#include "kernel/core/kernel.h"
#include "kernel/test/support/misuse.h"

static void do_nothing(struct takti_call *due)
{
    (void)due;
}

static struct takt_timer_space small; /* for as many timers as a test wants */

static void arm_two(void)
{
    static struct takti_call calls[2];
    takti_call_at(&calls[0], TAKT_MS(1), do_nothing);
    takti_call_at(&calls[1], TAKT_MS(2), do_nothing); /* p's release is expected as well */
}

static void arm_too_many(void)
{
    small = *scenario.system.timers;
    small.capacity = 2;
    scenario.system.timers = &small;
    scenario.before = arm_two;
}

static void nothing_else(void)
{
}

static void small_stack(void)
{
    scenario.configs[1].stack_size = 32;
}

static void odd_stack(void)
{
    scenario.configs[1].stack = (char *)scenario.configs[1].stack + 4;
}

static void level_of_idle(void)
{
    scenario.configs[1].level = TAKT_LEVELS - 1;
}

static void period_of_background(void)
{
    scenario.configs[1].release = TAKT_BACKGROUND;
}

static void no_deadline(void)
{
    scenario.configs[1].deadline_ns = 0;
}

static void deadline_out_of_sight(void)
{
    scenario.configs[1].deadline_ns = TAKT_FOREVER / 2 + 1;
}

static void background_in_edf(void)
{
    scenario_edf(scenario.configs[0].level);
}

static void no_arrivals(void)
{
    scenario.configs[1].release = TAKT_SPORADIC;
}

static void arrivals_of_periodic(void)
{
    scenario.configs[1].arrivals = &scenario.arrivals[1];
}

static void arrivals_without_room(void)
{
    no_arrivals();
    arrivals_of_periodic();
    scenario.arrivals[1].releases_ns = scenario.pending_ns[1];
}

static void arrivals_nowhere(void)
{
    no_arrivals();
    arrivals_of_periodic();
    scenario.arrivals[1].capacity = 1;
}

static void no_deadline_timer_to_stop(void)
{
    scenario.configs[1].on_miss = TAKT_MISS_STOP;
}

static void no_deadline_timer_to_notify(void)
{
    scenario.configs[1].on_miss = TAKT_MISS_NOTIFY;
}

static void needless_deadline_timer(void)
{
    scenario.configs[1].deadline_timer = &scenario.deadline_timers[1];
}

static void deadline_timer_of_background(void)
{
    scenario_on_miss(&scenario.configs[0], TAKT_MISS_STOP);
}

static void edf_level(void)
{
    scenario_edf(3);
}

static void edf_nowhere(void)
{
    edf_level();
    scenario.system.edf = NULL;
}

static void edf_levels_without_room(void)
{
    scenario_edf(3);
    scenario_edf(4);
    scenario_edf(5); /* a scenario has room for two */
}

static void edf_without_leaves(void)
{
    static struct takt_edf_space few;
    few = *scenario.system.edf;
    few.leaves = 1;
    scenario.system.edf = &few;
    edf_level();
}

static void time_slices(void)
{
    scenario.system.level_quanta_ns = scenario.quanta_ns;
}

static void odd_ring(void)
{
    scenario.system.trace_capacity = 100;
}

static void no_timers(void)
{
    scenario.system.timers = NULL;
}

static void few_timers(void)
{
    small = *scenario.system.timers;
    small.capacity = 1;
    scenario.system.timers = &small;
}

static enum takt_status no_room(const struct takt_task *task, const struct takt_task_config *config, uint32_t lock)
{
    (void)lock;
    (void)task;
    (void)config;
    return TAKT_LIMIT;
}

static void admission_without_room(void)
{
    static const struct takt_admission admission = {.add = no_room};
    scenario.system.admission = &admission;
}

static const struct misuse misuses[] = {
    {arm_too_many, CONFIGURED, "operations.h", 0},
    {nothing_else, CONFIGURED, "task.c", PLAIN}, /* p has jobs */
    {small_stack, CONFIGURED, "task.c", 0},
    {odd_stack, CONFIGURED, "task.c", 0},
    {level_of_idle, CONFIGURED, "task.c", 0},
    {period_of_background, CONFIGURED, "task.c", 0},
    {no_deadline, CONFIGURED, "task.c", 0},
    {deadline_out_of_sight, CONFIGURED, "task.c", 0},
    {background_in_edf, CONFIGURED, "task.c", 0},
    {no_arrivals, CONFIGURED, "task.c", 0},
    {arrivals_of_periodic, CONFIGURED, "task.c", 0},
    {arrivals_without_room, CONFIGURED, "task.c", 0},
    {arrivals_nowhere, CONFIGURED, "task.c", 0},
    {no_deadline_timer_to_stop, CONFIGURED, "task.c", 0},
    {no_deadline_timer_to_notify, CONFIGURED, "task.c", 0},
    {needless_deadline_timer, CONFIGURED, "task.c", 0},
    {deadline_timer_of_background, CONFIGURED, "task.c", 0},
    {edf_level, CONFIGURED, "start.c", FIXED | COOPERATIVE},
    {edf_nowhere, CONFIGURED, "ready_init.c", 0},
    {edf_levels_without_room, CONFIGURED, "ready_init.c", 0},
    {edf_without_leaves, CONFIGURED, "ready_init.c", 0},
    {time_slices, CONFIGURED, "start.c", FIXED | COOPERATIVE},
    {odd_ring, CONFIGURED, "start.c", 0},
    {no_timers, CONFIGURED, "timers.c", 0},
    {few_timers, CONFIGURED, "timers.c", 0},
    {admission_without_room, CONFIGURED, "start.c", BANDS | PLAIN}, /* in plain, any admission */
};

static void prepare(const struct misuse *next)
{
    (void)next;
}

int main(void)
{
    return misuse_run(misuses, sizeof misuses / sizeof *misuses, prepare);
}
