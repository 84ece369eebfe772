/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of systems, the oracle of the analysis, of which there are two that share no code with analysis/: simulator.c, a
 * scheduler written from the definition of the bands, as naive as can be; and kernel_player.c, the kernel on the host
 * port. Times are plain integers, the unit does not matter.
 */
#ifndef TAKT_TEST_SIMULATOR_H
#define TAKT_TEST_SIMULATOR_H

#include <stdbool.h>

#define SIM_TASKS 32
#define SIM_MUTEXES 4
#define SIM_SECTIONS 4
#define SIM_WAITS 3
#define SIM_JOBS 256
#define SIM_SERVERS 2
#define SIM_CHUNKS 4
#define SIM_FOREVER (1L << 60)

/** From `start` to `end` of its execution a job holds `mutex`. */
struct sim_section {
    long start, end;
    int mutex;
};

/** After `at` of its execution a job waits for `length`, outside sections. */
struct sim_wait {
    long at, length;
};

struct sim_task {
    int level; /**< lowest number first; below 0: interrupts, which nothing holds up */
    bool by_deadline;
    long wcet, deadline;
    long *arrival, *release; /**< of each job, both ascending; deadlines count from the arrival */
    int jobs;
    struct sim_section sections[SIM_SECTIONS]; /**< properly nested, by start, outer ones first */
    int section_count;
    struct sim_wait waits[SIM_WAITS]; /**< by `at` */
    int wait_count;
    unsigned waiting; /**< bit i: jobs i, i + 32 ... wait; 0: all do */
    int served_by;    /**< server + 1; 0: none. `level` is then where it executes without budget */
};

/** A server as docs/decisions/0029-servers.md says. `kind`: enum takt_analysis_server_kind. */
struct sim_server {
    int kind, level;
    bool by_deadline;
    long budget, period, deadline, phase; /**< budgets come back at phase + k * period */
};

/** While a task holds the mutex, it goes first at `level`, or in a level by deadline with one `deadline` after its
 * lock.
 */
struct sim_ceiling {
    bool used;
    int level;
    long deadline;
};

struct sim {
    struct sim_task tasks[SIM_TASKS];
    int task_count;
    struct sim_ceiling ceilings[SIM_MUTEXES];
    bool fifo[SIM_MUTEXES]; /**< an unlock hands the mutex over to the task that has waited longest */
    struct sim_server servers[SIM_SERVERS];
    int server_count;
    bool cooperative; /**< jobs at levels >= 0 do not preempt each other */
    int tie_loser;    /**< the task that goes last among jobs of equal rank; -1: none */
    bool stop_at_idle;
    int uninterrupted; /**< a mutex, within whose sections no task is preempted by another; -1: none */
    long quantum;      /**< kernel_player.c: slice among equals; 0: none */
};

struct sim_result {
    long response_max[SIM_TASKS];
    bool missed[SIM_TASKS];
};

/** Run all jobs to their end, or up to the first time at which nothing is pending. The kernel counts responses and
 *  deadlines from the release, breaks ties by itself, runs all jobs, and is not cooperative.
 */
void sim_run(const struct sim *sim, struct sim_result *result);

#endif
