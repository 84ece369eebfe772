/* SPDX-License-Identifier: Apache-2.0 */
/* A recipe at a scale of its execution times, and arrivals of its jobs. */
#include "generate.h"

#include <assert.h>
#include <stddef.h>

/* A mutex is as urgent as its best user, and in a level by deadline as the one with the shortest. */
static void find_ceilings(struct gen_system *system, const struct gen_recipe *recipe)
{
    for (int i = 0; i < SIM_MUTEXES; i++) {
        system->ceilings[i] = (struct sim_ceiling){0};
    }
    for (int i = recipe->task_count - 1; i >= 0; i--) {
        int server = gen_server_of(recipe, i);
        const struct takt_analysis_task *task = &system->tasks[server < 0 ? i : recipe->servers[server].task];
        long deadline = server < 0 ? (long)task->deadline_ns : system->servers[server].deadline;

        for (int k = 0; k < system->section_count[i]; k++) {
            struct sim_ceiling *ceiling = &system->ceilings[system->sections[i][k].mutex];
            bool shorter = !ceiling->used || task->level < ceiling->level ||
                           (task->level == ceiling->level && (ceiling->deadline == 0 || deadline < ceiling->deadline));
            bool by_deadline = task->order == TAKT_ANALYSIS_DEADLINE;

            if (shorter && recipe->ceiling[system->sections[i][k].mutex]) {
                *ceiling = (struct sim_ceiling){true, task->level, by_deadline ? deadline : 0};
            }
        }
    }
}

/* Tasks of one period are a group. */
static void group(struct gen_system *system, const struct gen_recipe *recipe)
{
    for (int i = 0; i < recipe->task_count; i++) {
        bool alone = recipe->tasks[i].burst_more > 0 || gen_server_at(recipe, i) >= 0;
        int first = alone ? i : 0;

        while (first < i && (recipe->tasks[first].period_ns != recipe->tasks[i].period_ns ||
                             recipe->tasks[first].burst_more > 0 || gen_server_at(recipe, first) >= 0)) {
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

/* Whether a task that the server does not serve uses the mutex. */
static bool used_elsewhere(const struct gen_system *system, const struct gen_recipe *recipe, int server, int mutex)
{
    bool used = false;

    for (int i = 0; i < recipe->task_count; i++) {
        for (int k = 0; k < system->section_count[i] && gen_server_of(recipe, i) != server; k++) {
            used |= system->sections[i][k].mutex == mutex;
        }
    }
    return used;
}

/* The task that stands for a server, which waits for the mutexes of the tasks that it serves: without budget they may
 * be in sections for which others, or under a ceiling all as urgent as the server, wait. Returns the number of holds.
 */
static size_t stand_for(struct gen_system *system, const struct gen_recipe *recipe, int server,
                        struct takt_analysis_hold *holds)
{
    const struct gen_server *of = &recipe->servers[server];
    struct takt_analysis_task *task = &system->tasks[of->task];
    long longest = 0, budget = system->executes[of->task], period = (long)task->period_ns;
    enum takt_analysis_status status;
    size_t count = 0;

    for (int i = of->first; i < of->end; i++) {
        for (int k = 0; k < system->section_count[i]; k++) {
            const struct sim_section *section = &system->sections[i][k];

            longest = longest < section->end - section->start ? section->end - section->start : longest;
            if (recipe->ceiling[section->mutex] || used_elsewhere(system, recipe, server, section->mutex)) {
                holds[count++] =
                    (struct takt_analysis_hold){.mutex = (uint32_t)section->mutex, .task = (uint32_t)of->task};
            }
        }
    }
    longest *= of->kind == TAKT_ANALYSIS_SPORADIC ? SIM_CHUNKS + 1 : 1; /* after each part of a budget */
    budget = budget + longest < period ? budget : period - longest;
    system->servers[server] = (struct sim_server){.kind = of->kind,
                                                  .level = task->level,
                                                  .by_deadline = task->order == TAKT_ANALYSIS_DEADLINE,
                                                  .budget = budget,
                                                  .period = period,
                                                  .deadline = (long)task->deadline_ns};
    task->wcet_ns = (uint64_t)(budget + longest);
    status = takt_analysis_server_load((uint32_t)of->kind, task);
    assert(status == TAKT_ANALYSIS_OK);
    (void)status;
    return count;
}

void gen_system(struct gen_system *system, const struct gen_recipe *recipe, long permille)
{
    struct takt_analysis_hold holds[(GEN_TASKS + 2 * GEN_SERVERS) * SIM_SECTIONS];
    struct takt_analysis_mutex mutexes[SIM_MUTEXES];
    struct takt_analysis_user users[GEN_TASKS];
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
        int server = gen_server_of(recipe, i);

        if (server >= 0) {
            long period = (long)recipe->tasks[recipe->servers[server].task].period_ns;

            period /= recipe->servers[server].kind == TAKT_ANALYSIS_SPORADIC ? SIM_CHUNKS + 1 : 1;
            wcet = wcet < period / 2 ? wcet : period / 2; /* so that a section leaves some of it to the budget */
            system->served[i] = recipe->served[i];
            system->served[i].wcet_ns = (uint64_t)wcet;
        }
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
                holds[hold_count++] = (struct takt_analysis_hold){.hold_ns = (uint64_t)(section.end - section.start),
                                                                  .mutex = (uint32_t)section.mutex,
                                                                  .task = (uint32_t)i,
                                                                  .alone = recipe->ceiling[section.mutex] && server < 0,
                                                                  .nested = nested,
                                                                  .fifo = recipe->fifo[section.mutex],
                                                                  .locks = again ? 0 : 1};
            }
        }
    }
    for (int i = 0; i < recipe->server_count; i++) {
        hold_count += stand_for(system, recipe, i, &holds[hold_count]);
    }
    status = takt_analysis_blocking(&system->set, holds, hold_count, mutexes, SIM_MUTEXES, users, blocking);
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

        if (random && (i + 1 < count || gen_chance(random, 25))) {
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
    bool greedy = !random || gen_chance(random, 60);

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
        if (!greedy && !as->exactly && gen_chance(random, 30)) {
            arrival += gen_between(random, 0, period / 2);
        }
        if (as->more > 0 && random && gen_chance(random, 10)) { /* what it saves for the next burst */
            arrival += gen_between(random, 0, (as->more + 1) * period);
        }
        regular = arrival < regular + period ? regular + period : arrival;
    }
}

/* Servers, whose budgets come back when the first job that they serve has used one, or at random. */
static void place_servers(struct sim *sim, const struct gen_recipe *recipe, const struct gen_system *system,
                          struct gen_random *random)
{
    sim->server_count = recipe->server_count;
    for (int i = 0; i < recipe->server_count; i++) {
        struct sim_server *server = &sim->servers[i];
        const struct sim_task *first = &sim->tasks[recipe->servers[i].first];

        *server = system->servers[i];
        server->phase = first->jobs > 0 ? (first->release[0] + server->budget) % server->period : 0;
        if (random && gen_chance(random, 50)) {
            server->phase = gen_between(random, 0, server->period - 1);
        }
    }
}

void gen_pattern(struct sim *sim, const struct gen_recipe *recipe, const struct gen_system *system, long horizon,
                 struct gen_random *random, long spread, const long *offsets)
{
    bool late = recipe->features & GEN_WAIT && random && !offsets && gen_chance(random, 50);
    const struct takt_analysis_task *arriving;
    long phases[GEN_TASKS], jitter_max = 0, suspension_max = 0, busy = 0;

    sim->task_count = 0;
    sim->cooperative = system->set.cooperative;
    for (int i = 0; i < SIM_MUTEXES; i++) {
        sim->ceilings[i] = system->ceilings[i];
        sim->fifo[i] = recipe->fifo[i];
    }
    for (int i = 0; i < recipe->task_count; i++) {
        long jitter = (long)(gen_server_of(recipe, i) < 0 ? &system->tasks[i] : &system->served[i])->jitter_ns;

        jitter = gen_server_at(recipe, i) < 0 ? jitter : 0;
        jitter_max = jitter_max < jitter ? jitter : jitter_max;
        suspension_max = suspension_max < recipe->suspension[i] ? recipe->suspension[i] : suspension_max;
        busy += late && gen_chance(random, 50) ? system->executes[i] : 0;
    }
    for (int i = 0; i < recipe->task_count; i++) {
        const struct takt_analysis_task *task = &system->tasks[i];
        struct sim_task *one = &sim->tasks[sim->task_count++];
        int server = gen_server_of(recipe, i);
        long offset = random ? gen_between(random, 0, spread) : 0;

        arriving = server < 0 ? task : &system->served[i];
        *one = (struct sim_task){.level = task->level,
                                 .by_deadline = task->order == TAKT_ANALYSIS_DEADLINE,
                                 .wcet = system->executes[i],
                                 .deadline = task->period_ns ? (long)task->deadline_ns : SIM_FOREVER,
                                 .section_count = system->section_count[i],
                                 .served_by = server + 1};
        if (gen_server_at(recipe, i) >= 0) {
            one->arrival = one->release = storage[i][0]; /* only what it serves has jobs */
            continue;
        }
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
            offset = suspension_max + (gen_chance(random, 50) ? 0 : gen_between(random, 0, busy));
        }
        offset = (offsets ? offsets[i] : offset) + jitter_max - (long)arriving->jitter_ns;
        if (recipe->features & GEN_OFFSET && task->period_ns > 0) {
            int first = (int)system->phases[i].group;

            phases[i] = first == i ? offset : phases[first];
            offset = phases[i] + recipe->offset[i];
        }
        arrive(one, i,
               &(struct arrivals){.offset = offset,
                                  .period = (long)arriving->period_ns,
                                  .jitter = (long)arriving->jitter_ns,
                                  .exactly = recipe->features & GEN_OFFSET && server < 0,
                                  .more = (long)arriving->burst_more,
                                  .distance = (long)arriving->distance_ns},
               horizon, random);
    }
    place_servers(sim, recipe, system, random);
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
