/* SPDX-License-Identifier: Apache-2.0 */
/* Plays systems that test_analysis_features.py and test_analysis_published.py describe in numbers on stdin, with the
 * simulator or with the kernel, and prints of each task of a system the longest response of all runs and whether it
 * ever missed.
 *
 * The first run has all arrivals together, as often as they can, jitter used up and all waits as long as they may be;
 * the others are random. Servers are for the simulator only.
 */
#include <stdio.h>
#include <stdlib.h>

#include "generate.h"
#include "simulator.h"

struct played {
    long period, jitter, suspension;
    int waits;
};

static struct sim sim;
static struct played played[SIM_TASKS];
static long arrivals[SIM_TASKS][SIM_JOBS], releases[SIM_TASKS][SIM_JOBS];

static long number(void)
{
    long value;

    if (scanf("%ld", &value) != 1) {
        exit(2);
    }
    return value;
}

static void read_task(struct sim_task *task, struct played *more)
{
    *task = (struct sim_task){.level = (int)number()};
    task->by_deadline = number();
    task->wcet = number();
    task->deadline = number();
    if (task->deadline == 0) {
        task->deadline = SIM_FOREVER;
    }
    more->period = number();
    more->jitter = number();
    more->suspension = number();
    more->waits = (int)number();
    task->section_count = (int)number();
    for (int i = 0; i < task->section_count; i++) {
        task->sections[i].start = number();
        task->sections[i].end = number();
        task->sections[i].mutex = (int)number();
    }
    task->served_by = (int)number();
}

static void read_ceilings(void)
{
    for (long count = number(); count > 0; count--) {
        struct sim_ceiling *ceiling = &sim.ceilings[number()];

        ceiling->used = true;
        ceiling->level = (int)number();
        ceiling->deadline = number();
    }
}

static void read_servers(void)
{
    sim.server_count = (int)number();
    for (int i = 0; i < sim.server_count; i++) {
        struct sim_server *server = &sim.servers[i];

        server->kind = (int)number();
        server->level = (int)number();
        server->by_deadline = number();
        server->budget = number();
        server->period = number();
        server->deadline = number();
    }
}

/* Arrivals from `offset` on at least a period apart, releases at most the jitter later. */
static void arrive(int index, long horizon, long jitter_max, struct gen_random *random, bool together)
{
    const struct played *more = &played[index];
    struct sim_task *task = &sim.tasks[index];
    long arrival = jitter_max - more->jitter + (together ? 0 : gen_between(random, 0, horizon / 8)), last = 0;
    bool greedy = together || gen_between(random, 0, 1);

    task->arrival = arrivals[index];
    task->release = releases[index];
    for (task->jobs = 0; arrival < horizon && task->jobs < SIM_JOBS; task->jobs++) {
        long delay = greedy ? (task->jobs == 0 ? more->jitter : 0) : gen_between(random, 0, more->jitter);

        last = arrival + delay < last ? last : arrival + delay;
        task->arrival[task->jobs] = arrival;
        task->release[task->jobs] = last;
        arrival += more->period == 0 ? horizon : more->period;
        if (!greedy && gen_between(random, 0, 3) == 0) {
            arrival += gen_between(random, 0, more->period / 2);
        }
    }
}

/* The waits of every job: outside its sections, together no longer than they may be. */
static void wait(int index, struct gen_random *random, bool together)
{
    struct sim_task *task = &sim.tasks[index];
    long left = played[index].suspension;

    task->wait_count = left > 0 ? played[index].waits : 0;
    for (int i = 0; i < task->wait_count; i++) {
        struct sim_wait one = {gen_between(random, 0, task->wcet), left};

        if (i + 1 < task->wait_count || (!together && gen_between(random, 0, 3) == 0)) {
            one.length = gen_between(random, 0, left);
        }
        left -= one.length;
        for (int k = 0; k < task->section_count; k++) {
            if (task->sections[k].start < one.at && one.at < task->sections[k].end) {
                one.at = task->sections[k].end;
                k = -1; /* look at all again */
            }
        }
        task->waits[i] = one;
        for (int k = i; k > 0 && task->waits[k].at < task->waits[k - 1].at; k--) {
            one = task->waits[k];
            task->waits[k] = task->waits[k - 1];
            task->waits[k - 1] = one;
        }
    }
}

static void play(void)
{
    struct gen_random random = {(uint64_t)number()};
    long runs = number(), horizon = number(), jitter_max = 0;
    struct sim_result worst = {0}, result;
    int tasks = (int)number();

    sim = (struct sim){.tie_loser = -1, .task_count = tasks};
    sim.uninterrupted = (int)number();
    sim.quantum = number();
    read_ceilings();
    read_servers();
    for (int i = 0; i < tasks; i++) {
        read_task(&sim.tasks[i], &played[i]);
        jitter_max = played[i].jitter > jitter_max ? played[i].jitter : jitter_max;
    }
    for (long run = 0; run < runs; run++) {
        sim.tie_loser = run == 0 ? -1 : (int)gen_between(&random, -1, tasks - 1);
        for (int i = 0; i < tasks; i++) {
            arrive(i, horizon, jitter_max, &random, run == 0);
            wait(i, &random, run == 0);
        }
        for (int i = 0; i < sim.server_count; i++) {
            sim.servers[i].phase = run == 0 ? 0 : gen_between(&random, 0, sim.servers[i].period - 1);
        }
        sim_run(&sim, &result);
        for (int i = 0; i < tasks; i++) {
            worst.missed[i] |= result.missed[i];
            if (worst.response_max[i] < result.response_max[i]) {
                worst.response_max[i] = result.response_max[i];
            }
        }
    }
    for (int i = 0; i < tasks; i++) {
        printf("%ld %d ", worst.response_max[i], worst.missed[i]);
    }
    printf("\n");
}

int main(void)
{
    for (long systems = number(); systems > 0; systems--) {
        play();
    }
    return 0;
}
