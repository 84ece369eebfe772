/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCENARIO_H
#define SCENARIO_H

/* Small systems on the host port, written by hand. Tasks have names of one letter; times are in ms. */
#include "base/test/check.h"
#include "takt/takt.h"

/* Whether the kernel heeds hints, as takt/hint.h says. */
#ifdef __OPTIMIZE_SIZE__
enum { HEEDED = 0 };
#else
enum { HEEDED = TAKT_EDF && (TAKT_BUDGETS || TAKT_PROCESSES || TAKT_HEEDS_HINTS) };
#endif

enum { SCENARIO_TASKS = 24, SCENARIO_STACK = 256, SCENARIO_RING = 1 << 12 };

struct scenario {
    struct takt_system system;
    struct takt_task_config configs[SCENARIO_TASKS];
    struct takt_task tasks[SCENARIO_TASKS];
    uint64_t quanta_ns[TAKT_LEVELS];
    struct takt_task_statistics statistics[SCENARIO_TASKS];
    struct takt_arrivals arrivals[SCENARIO_TASKS];
    uint64_t pending_ns[SCENARIO_TASKS][4]; /* of the arrivals */
    struct takt_deadline_timer deadline_timers[SCENARIO_TASKS];
    uint64_t end_ns;
    uint64_t figures[SCENARIO_TASKS][16]; /* [task][event - TAKT_EVENT_STAT_JOBS] */
    void (*before)(void);                 /* from init */
};

extern struct scenario scenario;

/* Forgets the scenario before this one. Level 0 is the highest; each level is a band of its own, two may be edf. */
void scenario_new(void);
void scenario_edf(unsigned level);

/*
 * The next task: background, at `level`, with a stack and statistics; a sporadic one has room for one arrival that
 * waits, of at most 4. The caller changes what it wants otherwise.
 */
struct takt_task_config *scenario_task(const char *name, unsigned level, void (*entry)(void *argument));
struct takt_task_config *scenario_named(const char *name, unsigned level,
                                        void (*entry)(void *argument)); /* its argument: its name */
struct takt_task_config *scenario_periodic(const char *name, unsigned level, void (*entry)(void *argument),
                                           unsigned period_ms);
struct takt_task_config *scenario_sporadic(const char *name, unsigned level, void (*entry)(void *argument),
                                           unsigned gap_ms);
void scenario_on_miss(struct takt_task_config *config, enum takt_policy policy);
struct takt_task *scenario_find(const char *name);
uint64_t scenario_figure(const char *name, unsigned event); /* TAKT_EVENT_STAT_*, after the run */

/* Runs until `end_ms`, reads the trace and the figures. */
void scenario_run(unsigned end_ms);

/* The tasks that got the processor, and when, since the start: "a0 b2 -5"; "-" is idle. Times in ms, rounded down. */
const char *scenario_runs(void);

/* The records of one kind: "a3 b4", or with `with_value` "a3=1 b4=0". */
const char *scenario_events(enum takt_event event, int with_value);

void scenario_work(unsigned ms);     /* takt_work */
unsigned scenario_now(void);         /* ms */
void scenario_sleep_to(unsigned ms); /* takt_delay_until */
void scenario_lock(struct takt_mutex *mutex);

#endif
