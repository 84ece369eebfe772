/* SPDX-License-Identifier: Apache-2.0 */
/* A scheduler written from the definition of the bands, as naive as can be: the oracle of the analysis.
 *
 * It shares no code with analysis/. Times are plain integers, the unit does not matter.
 */
#ifndef TAKT_TEST_SIMULATOR_H
#define TAKT_TEST_SIMULATOR_H

#include <stdbool.h>

#define SIM_TASKS 32
#define SIM_MUTEXES 4
#define SIM_SECTIONS 4
#define SIM_FOREVER (1L << 60)

/** From `start` to `end` of its execution a job holds `mutex`. */
struct sim_section {
    long start, end;
    int mutex;
};

struct sim_task {
    int level; /**< lowest number first; below 0: interrupts, which nothing holds up */
    bool by_deadline;
    long wcet, deadline;
    long *arrival, *release; /**< of each job, both ascending; deadlines count from the arrival */
    int jobs;
    struct sim_section sections[SIM_SECTIONS]; /**< properly nested, by start, outer ones first */
    int section_count;
};

struct sim {
    struct sim_task tasks[SIM_TASKS];
    int task_count;
    bool cooperative; /**< jobs at levels >= 0 do not preempt each other */
    int tie_loser;    /**< the task that goes last among jobs of equal rank; -1: none */
    bool stop_at_idle;
};

struct sim_result {
    long response_max[SIM_TASKS];
    bool missed[SIM_TASKS];
};

/** Run all jobs to their end, or up to the first instant at which nothing is pending. */
void sim_run(const struct sim *sim, struct sim_result *result);

#endif
