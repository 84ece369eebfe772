/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a recipe: tasks, bands, sections, servers. */
#include "generate.h"

#include <stddef.h>

uint64_t gen_next(struct gen_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

long gen_between(struct gen_random *random, long low, long high)
{
    return high <= low ? low : low + (long)(gen_next(random) % (uint64_t)(high - low + 1));
}

bool gen_chance(struct gen_random *random, int percent)
{
    return gen_between(random, 0, 99) < percent;
}

/* Kinds of the bands of a list: bit i of the result is set if band i is edf. */
static int shape_kinds(int shape, int *band_count)
{
    for (*band_count = 1; shape >= 1 << *band_count; (*band_count)++) {
        shape -= 1 << *band_count;
    }
    return shape;
}

static void times(struct gen_recipe *recipe, struct gen_random *random)
{
    static const int factors[] = {2, 3, 4, 5, 6, 8, 10, 12, 15, 20}, tiny[] = {2, 3, 4, 6};
    long unit = gen_between(random, 40, 120), load = gen_between(random, 500, 1200);

    recipe->hyperperiod = recipe->features & GEN_TINY ? 12 : unit * 120;
    for (int i = 0; i < recipe->task_count; i++) {
        struct takt_analysis_task *task = &recipe->tasks[i];
        long period = unit * factors[gen_between(random, 0, 9)], deadline;

        if (recipe->features & GEN_TINY) {
            period = tiny[gen_between(random, 0, 3)];
        }
        deadline = gen_chance(random, 40) ? period : gen_between(random, period / 3 + 1, period);
        if (recipe->features & GEN_LONG_DEADLINE && gen_chance(random, 50)) {
            deadline = gen_between(random, period, 3 * period);
        }
        *task = (struct takt_analysis_task){.period_ns = (uint64_t)period, .deadline_ns = (uint64_t)deadline};
        task->wcet_ns = (uint64_t)(1 + period * gen_between(random, 1, 2 * load) / recipe->task_count / 1000);
        if (recipe->features & GEN_JITTER && gen_chance(random, 60)) {
            task->jitter_ns = (uint64_t)gen_between(random, 0, (gen_chance(random, 80) ? deadline / 3 : deadline - 1));
        }
        if (recipe->features & GEN_BURST && gen_chance(random, 60)) {
            task->burst_more = (uint32_t)gen_between(random, 1, 3);
            task->distance_ns = (uint64_t)(gen_chance(random, 50) ? 0 : gen_between(random, 1, period));
            task->wcet_ns = task->wcet_ns * 2 / (3 + task->burst_more) + 1;
        }
        if (recipe->features & GEN_RELEASE_COST) {
            task->release_cost_ns = (uint64_t)gen_between(random, 0, 4);
        }
    }
}

static void sort_by_deadline(struct gen_recipe *recipe)
{
    for (int i = 1; i < recipe->task_count; i++) {
        for (int j = i; j > 0 && recipe->tasks[j].deadline_ns < recipe->tasks[j - 1].deadline_ns; j--) {
            struct takt_analysis_task task = recipe->tasks[j];

            recipe->tasks[j] = recipe->tasks[j - 1];
            recipe->tasks[j - 1] = task;
        }
    }
}

/* Cut the list of tasks into bands, and the fixed ones into levels. */
static void place(struct gen_recipe *recipe, struct gen_random *random)
{
    int bands, kinds = shape_kinds(recipe->shape, &bands), cut = 0, level = 0, last_band = 0;

    for (int i = 0; i < recipe->task_count; i++) {
        int must = recipe->task_count - i <= bands - 1 - cut;
        bool equal = recipe->features & GEN_EQUALS && gen_chance(random, 50);

        if (i > 0 && cut < bands - 1 && (must || gen_chance(random, 40))) {
            cut++;
        }
        if (i > 0 && (cut != last_band || (!(kinds >> cut & 1) && !equal))) {
            level++;
        }
        last_band = cut;
        recipe->tasks[i].level = (uint16_t)level;
        recipe->tasks[i].order = kinds >> cut & 1 ? TAKT_ANALYSIS_DEADLINE : TAKT_ANALYSIS_EQUAL;
    }
}

/* One or two sections, perhaps nested: outer mutexes have lower numbers, so that nothing deadlocks. */
static void hold(struct gen_recipe *recipe, struct gen_random *random, int task)
{
    long start = gen_between(random, 0, 500), end = gen_between(random, start + 100, 1000);
    int mutex = (int)gen_between(random, 0, SIM_MUTEXES - 1);
    struct sim_section *sections = recipe->sections[task];

    sections[0] = (struct sim_section){start, end, mutex};
    recipe->section_count[task] = 1;
    if (gen_chance(random, 40) && mutex + 1 < SIM_MUTEXES) {
        long inner = gen_between(random, start, end);

        sections[1] = (struct sim_section){inner, gen_between(random, inner, end),
                                           (int)gen_between(random, mutex + 1, SIM_MUTEXES - 1)};
        recipe->section_count[task] = 2;
    } else if (gen_chance(random, 40)) {
        sections[1] = (struct sim_section){end, 1000, (int)gen_between(random, 0, SIM_MUTEXES - 1)};
        recipe->section_count[task] = 2;
    }
}

int gen_server_of(const struct gen_recipe *recipe, int task)
{
    for (int i = 0; i < recipe->server_count; i++) {
        if (recipe->servers[i].first <= task && task < recipe->servers[i].end) {
            return i;
        }
    }
    return -1;
}

int gen_server_at(const struct gen_recipe *recipe, int task)
{
    for (int i = 0; i < recipe->server_count; i++) {
        if (recipe->servers[i].task == task) {
            return i;
        }
    }
    return -1;
}

/* One more task that the last server serves; some always have work. */
static void serve(struct gen_recipe *recipe, struct gen_random *random)
{
    struct gen_server *server = &recipe->servers[recipe->server_count - 1];
    const struct takt_analysis_task *task = &recipe->tasks[server->task],
                                    *last = &recipe->tasks[recipe->task_count - 1];
    struct takt_analysis_task *one = &recipe->served[recipe->task_count];
    long period = (long)task->period_ns, apart = gen_between(random, period / 2 + 1, 4 * period);
    long load = gen_between(random, 10, 60);
    uint16_t level = (uint16_t)(last->level + (last->period_ns > 0));

    *one = (struct takt_analysis_task){.period_ns = (uint64_t)apart, .deadline_ns = 1};
    one->wcet_ns = task->wcet_ns * (uint64_t)(apart * load / 100) / (uint64_t)period + 1;
    if (gen_chance(random, 20)) {
        server->greedy = true;
        *one = (struct takt_analysis_task){.period_ns = (uint64_t)(period / 2 + 1), .deadline_ns = 1};
        one->wcet_ns = (uint64_t)period;
    } else if (gen_chance(random, 40)) {
        one->burst_more = (uint32_t)gen_between(random, 1, 3);
        one->distance_ns = (uint64_t)(gen_chance(random, 50) ? 0 : gen_between(random, 1, apart));
    }
    if (gen_chance(random, 20)) {
        one->jitter_ns = (uint64_t)gen_between(random, 0, period);
        one->deadline_ns = one->jitter_ns + 1;
    }
    if (recipe->features & (GEN_MUTEX | GEN_CEILING | GEN_MIXED) && gen_chance(random, 50)) {
        hold(recipe, random, recipe->task_count);
    }
    if (recipe->features & GEN_WAIT && gen_chance(random, 30)) {
        recipe->wait_count[recipe->task_count] = (int)gen_between(random, 1, SIM_WAITS);
        recipe->suspension[recipe->task_count] = gen_between(random, 1, period);
    }
    recipe->tasks[recipe->task_count++] = (struct takt_analysis_task){.wcet_ns = one->wcet_ns, .level = level};
    server->end = recipe->task_count;
}

/* Some tasks become servers, with tasks that they serve after all others. */
static void draw_servers(struct gen_recipe *recipe, struct gen_random *random)
{
    int recurring = recipe->task_count;

    while (recurring > 0 && recipe->tasks[recurring - 1].period_ns == 0) {
        recurring--;
    }
    for (int i = 0, count = (int)gen_between(random, 1, GEN_SERVERS); i < count; i++) {
        int at = (int)gen_between(random, 0, recurring - 1);
        struct takt_analysis_task *task = &recipe->tasks[at];

        if (gen_server_at(recipe, at) >= 0) {
            continue;
        }
        task->jitter_ns = task->burst_more = 0;
        task->distance_ns = 0;
        task->deadline_ns = task->deadline_ns < task->period_ns ? task->deadline_ns : task->period_ns;
        recipe->section_count[at] = recipe->wait_count[at] = 0;
        recipe->suspension[at] = 0;
        recipe->servers[recipe->server_count++] =
            (struct gen_server){(int)gen_between(random, TAKT_ANALYSIS_DEFERRABLE, TAKT_ANALYSIS_SPORADIC), at,
                                recipe->task_count, 0, false};
        for (int k = 0, served = (int)gen_between(random, 1, 2); k < served; k++) {
            serve(recipe, random);
        }
    }
}

void gen_recipe(struct gen_recipe *recipe, struct gen_random *random, int shape, int features)
{
    int bands;

    *recipe = (struct gen_recipe){.shape = shape, .features = features};
    shape_kinds(shape, &bands);
    recipe->task_count = (int)gen_between(random, bands, features & GEN_TINY ? (bands > 3 ? bands : 3) : GEN_RECURRING);
    times(recipe, random);
    if (gen_chance(random, 70)) {
        sort_by_deadline(recipe);
    }
    place(recipe, random);
    if (features & GEN_INTERRUPT) {
        recipe->interrupt_count = (int)gen_between(random, 1, GEN_INTERRUPTS);
    }
    for (int i = 0; i < recipe->interrupt_count; i++) {
        recipe->interrupts[i].min_interarrival_ns = (uint64_t)gen_between(random, 30, 700);
        recipe->interrupts[i].wcet_ns = (uint64_t)gen_between(random, 1, 5);
    }
    recipe->lock = features & GEN_LOCK ? gen_between(random, 1, 10) : 0;
    if (features & GEN_BACKGROUND) {
        struct takt_analysis_task *last = &recipe->tasks[recipe->task_count];

        *last = (struct takt_analysis_task){.wcet_ns = (uint64_t)gen_between(random, 10, 300)};
        last->level = (uint16_t)(last[-1].level + 1);
        recipe->task_count++;
    }
    for (int i = 0; features & (GEN_MUTEX | GEN_CEILING | GEN_MIXED) && i < recipe->task_count; i++) {
        if (gen_chance(random, 70)) {
            hold(recipe, random, i);
        }
    }
    for (int i = 0; features & GEN_WAIT && i < recipe->task_count; i++) {
        if (recipe->tasks[i].period_ns != 0 && gen_chance(random, 50)) {
            recipe->wait_count[i] = (int)gen_between(random, 1, SIM_WAITS);
            recipe->suspension[i] = gen_between(random, 1, (long)recipe->tasks[i].deadline_ns / 2);
        }
    }
    for (int i = 0; features & GEN_OFFSET && i < recipe->task_count; i++) {
        recipe->offset[i] = gen_between(random, 0, (long)recipe->tasks[i].period_ns - 1);
    }
    if (features & GEN_SERVER) {
        draw_servers(recipe, random);
    }
    for (int i = 0; i < SIM_MUTEXES; i++) {
        recipe->ceiling[i] = features & GEN_MIXED ? gen_chance(random, 60) : (features & GEN_CEILING) != 0;
        recipe->fifo[i] = features & GEN_FIFO && !recipe->ceiling[i] && gen_chance(random, 70);
    }
}
