/* SPDX-License-Identifier: Apache-2.0 */
/* Random systems, the same for the same seed, and patterns of arrivals that try to break them. */
#ifndef TAKT_TEST_GENERATE_H
#define TAKT_TEST_GENERATE_H

#include <stdint.h>

#include "simulator.h"
#include "takt/analysis.h"

#define GEN_RECURRING 7 /* tasks, servers among them */
#define GEN_SERVERS SIM_SERVERS
#define GEN_TASKS (GEN_RECURRING + 1 + 2 * GEN_SERVERS) /* with a background task, and what is served */
#define GEN_INTERRUPTS 2
#define GEN_JOBS SIM_JOBS
#define GEN_SHAPES 30 /* lists of one to four bands, each fixed or edf */

/** What a system may have besides sporadic tasks with deadlines <= periods. */
enum gen_feature {
    GEN_JITTER = 1,
    GEN_INTERRUPT = 2,
    GEN_RELEASE_COST = 4,
    GEN_LOCK = 8,
    GEN_MUTEX = 16,
    GEN_EQUALS = 32,
    GEN_LONG_DEADLINE = 64,
    GEN_BACKGROUND = 128,
    GEN_COOPERATIVE = 256,
    GEN_TINY = 512,     /* so small that all offsets can be tried */
    GEN_WAIT = 1024,    /* some tasks wait within their jobs, outside sections */
    GEN_CEILING = 2048, /* mutexes have ceilings */
    GEN_OFFSET = 4096,  /* tasks of one period arrive at fixed distances */
    GEN_BURST = 8192,   /* some tasks arrive in bursts */
    GEN_SERVER = 16384, /* some are servers */
    GEN_FIFO = 32768,   /* some mutexes, without ceilings, have waiters in FIFO order */
    GEN_MIXED = 65536,  /* some mutexes have ceilings, and others have none */
};

struct gen_random {
    uint64_t state;
};

/** A server, which a task stands for, and the tasks first .. end that it serves. `greedy`: one of these always wants
 * to run. */
struct gen_server {
    int kind, task, first, end;
    bool greedy;
};

/** A system before its execution times are scaled. */
struct gen_recipe {
    int shape, features, task_count, interrupt_count;
    long hyperperiod;
    struct takt_analysis_task tasks[GEN_TASKS]; /* wcet_ns at scale 1000 */
    struct takt_analysis_interrupt interrupts[GEN_INTERRUPTS];
    long lock;
    int section_count[GEN_TASKS];
    struct sim_section sections[GEN_TASKS][SIM_SECTIONS]; /* in thousandths of the wcet */
    int wait_count[GEN_TASKS];
    long suspension[GEN_TASKS]; /* of all waits of a job */
    long offset[GEN_TASKS];     /* from the others of its period */
    struct gen_server servers[GEN_SERVERS];
    int server_count;
    bool fifo[SIM_MUTEXES];
    bool ceiling[SIM_MUTEXES];
    struct takt_analysis_task served[GEN_TASKS]; /* how tasks arrive that are background tasks in `tasks` */
};

/** A system as the analysis and the simulator take it. */
struct gen_system {
    struct takt_analysis_task tasks[GEN_TASKS]; /* their wcets contain the suspensions */
    long executes[GEN_TASKS];
    struct sim_server servers[GEN_SERVERS];
    struct takt_analysis_task served[GEN_TASKS];
    uint64_t suspensions[GEN_TASKS];
    int wait_count[GEN_TASKS];
    struct takt_analysis_phase phases[GEN_TASKS];
    struct sim_ceiling ceilings[SIM_MUTEXES];
    struct takt_analysis_interrupt interrupts[GEN_INTERRUPTS];
    struct takt_analysis_set set;
    struct sim_section sections[GEN_TASKS][SIM_SECTIONS];
    int section_count[GEN_TASKS];
};

uint64_t gen_next(struct gen_random *random);

/** Uniform in [low, high]. */
long gen_between(struct gen_random *random, long low, long high);

/** True `percent` times of a hundred. */
bool gen_chance(struct gen_random *random, int percent);

void gen_recipe(struct gen_recipe *recipe, struct gen_random *random, int shape, int features);

/** The server that serves a task, or -1. */
int gen_server_of(const struct gen_recipe *recipe, int task);

/** The server that a task stands for, or -1. */
int gen_server_at(const struct gen_recipe *recipe, int task);

/** Scale all execution times to `permille` and ask the analysis for the blocking. */
void gen_system(struct gen_system *system, const struct gen_recipe *recipe, long permille);

/** Arrivals up to `horizon`. Without `random` all together as early as they can be, jitter used up; otherwise with
 *  random offsets below `spread`, gaps and jitter. Offsets[i] >= 0 prescribes them all. */
void gen_pattern(struct sim *sim, const struct gen_recipe *recipe, const struct gen_system *system, long horizon,
                 struct gen_random *random, long spread, const long *offsets);

#endif
