/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions per kernel operation. Level by level: a fixed band (TOP, HIGH, EQUAL), an edf band, and a fixed band
 * with the runner and what is below it. The services are measured; with option jobs=N, the releases and completions of
 * jobs among N tasks, in the edf band with edf=1. The result is one line of JSON, {"row": instructions, ...}: the
 * largest of REPEATS repetitions.
 */
#include "benchmark.h"

#include <string.h>

static uint64_t stacks[TASKS_MAX][STACK_SIZE / sizeof(uint64_t)];
static struct takt_task_config configs[TASKS_MAX];
static struct takt_task tasks[TASKS_MAX];
static uint16_t task_count;
static uint64_t stack_idle[STACK_SIZE / sizeof(uint64_t)];
static const uint8_t level_bands[TAKT_LEVELS] = {
    [LEVEL_EDF] = 1, [LEVEL_RUNNER] = 2, [LEVEL_LOW] = 2, [LEVEL_SPINNER] = 2};
static struct takt_trace_record records[1024]; /* overwritten again and again: the dearer case */

static void init(void);
TAKT_TIMERS_DEFINE(timers, 128);

extern struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
struct takt_system takt_system = {
    .level_bands = level_bands,
    .edf_levels = {UINT32_C(0x80000000) >> LEVEL_EDF},
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
    .trace_records = records,
    .trace_capacity = sizeof records / sizeof records[0],
};

struct takt_task *benchmark_task(void (*entry)(void *argument), enum level level, uint64_t period_ns,
                                 uint64_t deadline_ns)
{
    struct takt_task_config *config = &configs[task_count];
    struct takt_task *task = &tasks[task_count];
    config->name = "benchmark";
    config->entry = entry;
    config->stack = stacks[task_count];
    config->stack_size = STACK_SIZE;
    config->index = task_count++;
    config->release = period_ns == 0 ? TAKT_BACKGROUND : TAKT_PERIODIC;
    config->level = (uint8_t)level;
    config->period_ns = period_ns;
    config->deadline_ns = deadline_ns;
    if (takt_task_start(task, config) != TAKT_OK) {
        takt_board_exit(2);
    }
    return task;
}

uint64_t benchmark_option(const char *name, uint64_t otherwise)
{
    uint64_t value;
    return takt_board_option(name, &value) ? value : otherwise;
}

static void print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static bool any_row;

void benchmark_row(const char *name, uint32_t value)
{
    char digits[10];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0);
    print(any_row ? ", \"" : "{\"");
    any_row = true;
    print(name);
    print("\": ");
    takt_board_console_write(digits + first, sizeof digits - first);
}

_Noreturn void benchmark_end(void)
{
    print("}\n");
    takt_board_exit(0);
}

static void init(void)
{
    if (benchmark_option("jobs", 0) != 0) {
        jobs_init();
    } else {
        (void)benchmark_task(services, LEVEL_RUNNER, 0, 0);
    }
}
