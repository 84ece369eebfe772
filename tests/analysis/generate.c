/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <assert.h>
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

static bool chance(struct gen_random *random, int percent)
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
        deadline = chance(random, 40) ? period : gen_between(random, period / 3 + 1, period);
        if (recipe->features & GEN_LONG_DEADLINE && chance(random, 50)) {
            deadline = gen_between(random, period, 3 * period);
        }
        *task = (struct takt_analysis_task){.period_ns = (uint64_t)period, .deadline_ns = (uint64_t)deadline};
        task->wcet_ns = (uint64_t)(1 + period * gen_between(random, 1, 2 * load) / recipe->task_count / 1000);
        if (recipe->features & GEN_JITTER && chance(random, 60)) {
            task->jitter_ns = (uint64_t)gen_between(random, 0, (chance(random, 80) ? deadline / 3 : deadline - 1));
        }
        if (recipe->features & GEN_BURST && chance(random, 60)) {
            task->burst_more = (uint32_t)gen_between(random, 1, 3);
            task->distance_ns = (uint64_t)(chance(random, 50) ? 0 : gen_between(random, 1, period));
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
        bool equal = recipe->features & GEN_EQUALS && chance(random, 50);

        if (i > 0 && cut < bands - 1 && (must || chance(random, 40))) {
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
    if (chance(random, 40) && mutex + 1 < SIM_MUTEXES) {
        long inner = gen_between(random, start, end);

        sections[1] = (struct sim_section){inner, gen_between(random, inner, end),
                                           (int)gen_between(random, mutex + 1, SIM_MUTEXES - 1)};
        recipe->section_count[task] = 2;
    } else if (chance(random, 40)) {
        sections[1] = (struct sim_section){end, 1000, (int)gen_between(random, 0, SIM_MUTEXES - 1)};
        recipe->section_count[task] = 2;
    }
}

void gen_recipe(struct gen_recipe *recipe, struct gen_random *random, int shape, int features)
{
    int bands;

    *recipe = (struct gen_recipe){.shape = shape, .features = features};
    shape_kinds(shape, &bands);
    recipe->task_count = (int)gen_between(random, bands, features & GEN_TINY ? (bands > 3 ? bands : 3) : GEN_TASKS - 1);
    times(recipe, random);
    if (chance(random, 70)) {
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
    for (int i = 0; features & (GEN_MUTEX | GEN_CEILING) && i < recipe->task_count; i++) {
        if (chance(random, 70)) {
            hold(recipe, random, i);
        }
    }
    for (int i = 0; features & GEN_WAIT && i < recipe->task_count; i++) {
        if (recipe->tasks[i].period_ns != 0 && chance(random, 50)) {
            recipe->wait_count[i] = (int)gen_between(random, 1, SIM_WAITS);
            recipe->suspension[i] = gen_between(random, 1, (long)recipe->tasks[i].deadline_ns / 2);
        }
    }
    for (int i = 0; features & GEN_OFFSET && i < recipe->task_count; i++) {
        recipe->offset[i] = gen_between(random, 0, (long)recipe->tasks[i].period_ns - 1);
    }
}

/* A mutex is as urgent as its best user, and in a level by deadline as the one with the shortest. */
static void find_ceilings(struct gen_system *system, const struct gen_recipe *recipe)
{
    for (int i = 0; i < SIM_MUTEXES; i++) {
        system->ceilings[i] = (struct sim_ceiling){0};
    }
    for (int i = recipe->task_count - 1; recipe->features & GEN_CEILING && i >= 0; i--) {
        const struct takt_analysis_task *task = &system->tasks[i];

        for (int k = 0; k < system->section_count[i]; k++) {
            struct sim_ceiling *ceiling = &system->ceilings[system->sections[i][k].mutex];
            bool shorter = !ceiling->used || task->level != ceiling->level || ceiling->deadline == 0 ||
                           (long)task->deadline_ns < ceiling->deadline;
            bool by_deadline = task->order == TAKT_ANALYSIS_DEADLINE;

            if (shorter) { /* tasks come from the lowest level up */
                *ceiling = (struct sim_ceiling){true, task->level, by_deadline ? (long)task->deadline_ns : 0};
            }
        }
    }
}

/* Tasks of one period are a group. */
static void group(struct gen_system *system, const struct gen_recipe *recipe)
{
    for (int i = 0; i < recipe->task_count; i++) {
        int first = recipe->tasks[i].burst_more > 0 ? i : 0;

        while (first < i &&
               (recipe->tasks[first].period_ns != recipe->tasks[i].period_ns || recipe->tasks[first].burst_more > 0)) {
            first++;
        }
        system->phases[i] = (struct takt_analysis_phase){(uint64_t)recipe->offset[i], (uint32_t)first};
    }
}

/* Waits count as execution; after each, every task may be in a section once more. */
static void wait_as_well(struct gen_system *system, const struct gen_recipe *recipe)
{
    long sections = recipe->lock;

    for (int i = 0; i < recipe->task_count; i++) {
        long longest = 0;

        for (int k = 0; k < system->section_count[i]; k++) {
            long length = system->sections[i][k].end - system->sections[i][k].start;

            longest = longest < length ? length : longest;
        }
        sections += longest;
    }
    for (int i = 0; i < recipe->task_count; i++) {
        system->suspensions[i] = (uint64_t)recipe->suspension[i];
        system->wait_count[i] = recipe->wait_count[i];
        system->tasks[i].wcet_ns += (uint64_t)(recipe->suspension[i] + recipe->wait_count[i] * sections);
    }
}

void gen_system(struct gen_system *system, const struct gen_recipe *recipe, long permille)
{
    struct takt_analysis_hold holds[GEN_TASKS * SIM_SECTIONS];
    struct takt_analysis_mutex mutexes[SIM_MUTEXES];
    uint64_t blocking[GEN_TASKS];
    size_t hold_count = 0;
    enum takt_analysis_status status;

    system->set = (struct takt_analysis_set){.tasks = system->tasks,
                                             .task_count = (size_t)recipe->task_count,
                                             .interrupts = system->interrupts,
                                             .interrupt_count = (size_t)recipe->interrupt_count,
                                             .lock_ns = (uint64_t)recipe->lock,
                                             .iterations = 1000000,
                                             .cooperative = recipe->features & GEN_COOPERATIVE,
                                             .cycle_jobs = 1000000};
    for (int i = 0; i < recipe->interrupt_count; i++) {
        system->interrupts[i] = recipe->interrupts[i];
    }
    for (int i = 0; i < recipe->task_count; i++) {
        long wcet = 1 + (long)recipe->tasks[i].wcet_ns * permille / 1000;

        system->tasks[i] = recipe->tasks[i];
        system->tasks[i].wcet_ns = (uint64_t)wcet;
        system->executes[i] = wcet;
        system->section_count[i] = 0;
        for (int k = 0; k < recipe->section_count[i]; k++) {
            struct sim_section section = recipe->sections[i][k];

            const struct sim_section *outer = &recipe->sections[i][0];
            bool nested = k > 0 && section.start<outer->end, again = recipe->wait_count[i]> 0;

            section.start = section.start * wcet / 1000;
            section.end = section.end * wcet / 1000;
            if (section.start < section.end) {
                system->sections[i][system->section_count[i]++] = section;
                holds[hold_count++] = (struct takt_analysis_hold){(uint64_t)(section.end - section.start),
                                                                  (uint32_t)section.mutex,
                                                                  (uint32_t)i,
                                                                  recipe->features & GEN_CEILING,
                                                                  nested,
                                                                  again ? 0 : 1};
            }
        }
    }
    status = takt_analysis_blocking(&system->set, holds, hold_count, mutexes, SIM_MUTEXES, blocking);
    assert(status == TAKT_ANALYSIS_OK);
    (void)status;
    for (int i = 0; i < recipe->task_count; i++) {
        system->tasks[i].blocking_ns = blocking[i];
    }
    find_ceilings(system, recipe);
    group(system, recipe);
    wait_as_well(system, recipe);
}

/* The last time up to `at` of a job at which it holds nothing. */
static long outside(const struct sim_task *task, long at)
{
    for (int k = 0; k < task->section_count; k++) {
        if (task->sections[k].start < at && at < task->sections[k].end) {
            at = task->sections[k].start;
            k = -1; /* look at all again */
        }
    }
    return at;
}

/* The waits of each job, together no longer than `left`, none at its end; without `random` one in the middle. */
static void wait(struct sim_task *task, long left, int count, struct gen_random *random)
{
    task->wait_count = random ? count : 1;
    for (int i = 0; i < task->wait_count; i++) {
        struct sim_wait one = {random ? gen_between(random, 0, task->wcet - 1) : task->wcet / 2, left};

        if (random && (i + 1 < count || chance(random, 25))) {
            one.length = gen_between(random, 0, left);
        }
        left -= one.length;
        one.at = outside(task, one.at);
        task->waits[i] = one;
        for (int k = i; k > 0 && task->waits[k].at < task->waits[k - 1].at; k--) {
            one = task->waits[k];
            task->waits[k] = task->waits[k - 1];
            task->waits[k - 1] = one;
        }
    }
}

static long storage[SIM_TASKS][2][GEN_JOBS];

/* How the jobs of a task arrive. `more` of them may come up to so many periods early, `distance` apart. */
struct arrivals {
    long offset, period, jitter;
    bool exactly;
    long more, distance;
};

/* The first arrival at `offset`, the next at least `period` later each, or `exactly`; released up to `jitter` after. */
static void arrive(struct sim_task *task, int slot, const struct arrivals *as, long horizon, struct gen_random *random)
{
    long arrival = as->offset, regular = arrival, period = as->period, jitter = as->jitter, last = 0;
    bool greedy = !random || chance(random, 60);

    task->arrival = storage[slot][0];
    task->release = storage[slot][1];
    for (task->jobs = 0; arrival < horizon && task->jobs < GEN_JOBS; task->jobs++) {
        long delay = greedy ? (task->jobs == 0 ? jitter : 0) : gen_between(random, 0, jitter);

        last = arrival + delay < last ? last : arrival + delay;
        task->arrival[task->jobs] = arrival;
        task->release[task->jobs] = last;
        if (as->more > 0) {
            long near = arrival + as->distance;

            arrival = regular + period - as->more * period;
            arrival = near < arrival ? arrival : near;
        } else {
            arrival += period == 0 ? horizon : period;
        }
        if (!greedy && !as->exactly && chance(random, 30)) {
            arrival += gen_between(random, 0, period / 2);
        }
        if (as->more > 0 && random && chance(random, 10)) { /* what it saves for the next burst */
            arrival += gen_between(random, 0, (as->more + 1) * period);
        }
        regular = arrival < regular + period ? regular + period : arrival;
    }
}

void gen_pattern(struct sim *sim, const struct gen_recipe *recipe, const struct gen_system *system, long horizon,
                 struct gen_random *random, long spread, const long *offsets)
{
    bool late = recipe->features & GEN_WAIT && random && !offsets && chance(random, 50);
    long phases[GEN_TASKS], jitter_max = 0, suspension_max = 0, busy = 0;

    sim->task_count = 0;
    sim->cooperative = system->set.cooperative;
    for (int i = 0; i < SIM_MUTEXES; i++) {
        sim->ceilings[i] = system->ceilings[i];
    }
    for (int i = 0; i < recipe->task_count; i++) {
        long jitter = (long)system->tasks[i].jitter_ns;

        jitter_max = jitter_max < jitter ? jitter : jitter_max;
        suspension_max = suspension_max < recipe->suspension[i] ? recipe->suspension[i] : suspension_max;
        busy += late && chance(random, 50) ? system->executes[i] : 0;
    }
    for (int i = 0; i < recipe->task_count; i++) {
        const struct takt_analysis_task *task = &system->tasks[i];
        struct sim_task *one = &sim->tasks[sim->task_count++];
        long offset = random ? gen_between(random, 0, spread) : 0;

        *one = (struct sim_task){.level = task->level,
                                 .by_deadline = task->order == TAKT_ANALYSIS_DEADLINE,
                                 .wcet = system->executes[i],
                                 .deadline = task->period_ns ? (long)task->deadline_ns : SIM_FOREVER,
                                 .section_count = system->section_count[i]};
        for (int k = 0; k < one->section_count; k++) {
            one->sections[k] = system->sections[i][k];
        }
        if (system->wait_count[i] > 0) {
            wait(one, (long)system->suspensions[i], system->wait_count[i], random);
        }
        if (late && system->wait_count[i] > 0) { /* its first job executes as late as it can, the next as early */
            one->waits[0] = (struct sim_wait){0, (long)system->suspensions[i]};
            one->wait_count = 1;
            one->waiting = (unsigned)gen_between(random, 0, 3) ? 1 : (unsigned)gen_next(random) | 1;
            offset = suspension_max - (long)system->suspensions[i];
        } else if (late) {
            offset = suspension_max + (chance(random, 50) ? 0 : gen_between(random, 0, busy));
        }
        offset = (offsets ? offsets[i] : offset) + jitter_max - (long)task->jitter_ns;
        if (recipe->features & GEN_OFFSET && task->period_ns > 0) {
            int first = (int)system->phases[i].group;

            phases[i] = first == i ? offset : phases[first];
            offset = phases[i] + recipe->offset[i];
        }
        arrive(one, i,
               &(struct arrivals){.offset = offset,
                                  .period = (long)task->period_ns,
                                  .jitter = (long)task->jitter_ns,
                                  .exactly = recipe->features & GEN_OFFSET,
                                  .more = (long)task->burst_more,
                                  .distance = (long)task->distance_ns},
               horizon, random);
    }
    for (int i = 0; i < recipe->task_count; i++) { /* the kernel's work at each release */
        if (system->tasks[i].release_cost_ns > 0) {
            struct sim_task *one = &sim->tasks[sim->task_count++];

            *one = sim->tasks[i];
            one->level = -1;
            one->by_deadline = false;
            one->deadline = SIM_FOREVER;
            one->wcet = (long)system->tasks[i].release_cost_ns;
            one->section_count = 0;
            one->wait_count = 0;
            one->arrival = one->release;
        }
    }
    for (int i = 0; i < recipe->interrupt_count; i++) {
        struct sim_task *one = &sim->tasks[sim->task_count++];

        *one = (struct sim_task){.level = -1, .wcet = (long)system->interrupts[i].wcet_ns, .deadline = SIM_FOREVER};
        arrive(one, GEN_TASKS + i,
               &(struct arrivals){.offset = jitter_max + (random ? gen_between(random, 0, spread) : 0),
                                  .period = (long)system->interrupts[i].min_interarrival_ns},
               horizon, random);
    }
    if (recipe->lock > 0) { /* a locked section that began just before */
        struct sim_task *one = &sim->tasks[sim->task_count++];

        *one = (struct sim_task){.level = -2, .wcet = recipe->lock, .deadline = SIM_FOREVER};
        arrive(one, GEN_TASKS + GEN_INTERRUPTS, &(struct arrivals){.offset = jitter_max}, jitter_max + 1, NULL);
    }
}
