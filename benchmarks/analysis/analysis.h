/* SPDX-License-Identifier: Apache-2.0 */
/* What an analysis is to measure.c. */
#ifndef BENCHMARK_ANALYSIS_H
#define BENCHMARK_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TASKS_MAX 100

struct task {
    uint64_t wcet_ns;
    uint64_t period_ns;
    uint64_t deadline_ns;
};

/** Answers about `count` tasks, highest priority first, one for each task; returns how many answers there are. 0: it
 *  failed. */
typedef size_t analyse(const struct task *tasks, size_t count, uint64_t *answers);

analyse takt_fixed; /* response-time bounds, each task on a priority of its own */
analyse takt_edf;   /* response-time bounds, all tasks in one edf band */
analyse takt_test;  /* one answer: is that band feasible? (takt_analysis_feasible) */
analyse peer_fixed; /* as takt_fixed, by the crate response-time-analysis */
analyse peer_edf;

#endif
