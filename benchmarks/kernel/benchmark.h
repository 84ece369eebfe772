/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_H
#define TAKT_BENCHMARK_H

#include "stamp.h"
#include "takt/board.h"
#include "takt/takt.h"

enum level {
    LEVEL_TOP,
    LEVEL_HIGH,
    LEVEL_HIGHER,
    LEVEL_EQUAL,
    LEVEL_FIXED,
    LEVEL_EDF,
    LEVEL_RUNNER,
    LEVEL_LOW,
    LEVEL_SPINNER
};
enum { TASKS_MAX = 64, STACK_SIZE = 512, REPEATS = 100 };

/* Starts a task: a background one when `period_ns` is 0. */
struct takt_task *benchmark_task(void (*entry)(void *argument), enum level level, uint64_t period_ns,
                                 uint64_t deadline_ns);

uint64_t benchmark_option(const char *name, uint64_t otherwise);

void benchmark_row(const char *name, uint32_t value);
_Noreturn void benchmark_end(void);

/* The rows: the runner's entry, and what starts the tasks whose jobs are measured. */
void services(void *argument);
void jobs_init(void);

#endif
