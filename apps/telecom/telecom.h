/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TELECOM_H
#define TELECOM_H

#include <stdbool.h>
#include <stdint.h>

#include "takt_app.h"

/* How much there is to do. RINGS is what system.toml declares. */
#define PROCESSES 5    /* of a ring */
#define LOOPS 10       /* of a process: after each it sends a signal, and waits for one */
#define ITERATIONS 100 /* of a loop */
enum { RINGS = sizeof takt_tasks / sizeof takt_tasks[0] - 3 };
enum { SLEEPERS = 12 };
#define ITERATION_NS TAKT_US(2)
#define TURN_NS TAKT_US(2) /* of idle's count */
#define PHASE_NS TAKT_MS(500)

/*
 * rings.c. The director's: it starts the tasks that are not declared, starts a round of all, and reads the work done in
 * it.
 */
void rings_create(void);
void rings_start(void);

struct rings_counts {
    uint32_t iterations;
    uint32_t signals;  /* received */
    uint32_t switches; /* from one process to another */
};
struct rings_counts rings_counts(void);

/* keeping.c. What keeps the time, and idle, which counts what it leaves. */
struct keeping {
    const char *name;
    uint64_t tick_ns;  /* the period of the tick; 0: none */
    uint64_t sleep_ns; /* each sleeper sleeps for so long, again and again; 0: there are none */
};

struct keeping_counts {
    uint64_t began_ns; /* when idle got the processor */
    uint64_t idle_ns;  /* what it counted since then */
    uint32_t wakes;    /* of the tick and the sleepers */
};

/* The director's: starts the sleepers and waits until idle knows what a turn takes; begins and ends to measure. */
void keeping_create(void);
void keeping_begin(const struct keeping *keeping);
struct keeping_counts keeping_end(void);

/* director.c. Starts a task at run time: in the level of `like`. */
void task_start(struct takt_task *task, struct takt_task_config *config, const struct takt_task *like);

/* Ends the run with a message. */
_Noreturn void give_up(const char *why);

#endif
