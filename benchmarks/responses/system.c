/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest responses of a task set that the options give: `tasks`; for each its index among them and packed numbers,
 * 0=..., 1=..., (period in us << 24 | work in ns / 64) each, the best first; `edf`: one band of them, or a level each;
 * `offset_us`: when all are released first, and `apart_ns`: how much earlier than the one before it each is. The result
 * is one line of JSON, {"tasks": [{"jobs", "response_ns"}, ...]}. tests/run/test_run_bounds.py makes the sets.
 */
#include "benchmarks/print.h"
#include "kernel/core/kernel.h"

enum { TASKS_MAX = 32, STACK_SIZE = 1024 };
enum { WORK_BITS = 24, WORK_GRAIN_NS = 64 };

static uint64_t stacks[TASKS_MAX][STACK_SIZE / sizeof(uint64_t)];
static uint64_t stack_idle[STACK_SIZE / sizeof(uint64_t)];
static struct takt_task_config configs[TASKS_MAX];
static struct takt_task tasks[TASKS_MAX];
static struct takt_trace_record records[1024];
static const uint8_t level_bands[TAKT_LEVELS];
static unsigned task_count;

static struct load {
    uint64_t work_ns;
    uint64_t response_ns_max;
    uint32_t jobs;
} loads[TASKS_MAX];

static void init(void);
TAKT_TIMERS_DEFINE(timers, TASKS_MAX + 2); /* the end of the run, and that of runner/run.c */
TAKT_EDF_DEFINE(edf_room, 1, TASKS_MAX);
extern struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
struct takt_system takt_system = {
    .edf_levels = {TAKT_EDF ? TAKT_BITMAP_BIT(0) : 0},
    .edf = &edf_room,
    .level_bands = level_bands,
    .init = init,
    .idle_stack = stack_idle,
    .idle_stack_size = sizeof stack_idle,
    .timers = &timers,
    .trace_records = records,
    .trace_capacity = sizeof records / sizeof records[0],
};

/* What it executes beyond `work_ns` is what the sets add for it: JOB_INSTRUCTIONS. */
static void job(void *argument)
{
    struct load *load = argument;
    takt_work(load->work_ns);
    uint64_t response_ns = takt_now() - takt_job_release_ns();
    load->jobs++;
    if (response_ns > load->response_ns_max) {
        load->response_ns_max = response_ns;
    }
}

static void end(struct takti_call *due)
{
    (void)due;
    for (unsigned i = 0; i < task_count; i++) {
        print_number(i == 0 ? "{\"tasks\": [{\"jobs\": " : ", {\"jobs\": ", loads[i].jobs);
        print_number(", \"response_ns\": ", loads[i].response_ns_max);
        print("}");
    }
    print("]}\n");
    takt_board_exit(0);
}

static uint64_t option(const char *name)
{
    uint64_t value;
    if (!takt_board_option(name, &value)) {
        print(name);
        print(": no such option\n");
        takt_board_exit(2);
    }
    return value;
}

static void start(unsigned index, uint64_t offset_ns)
{
    char name[3] = {(char)('0' + (char)(index / 10u)), (char)('0' + (char)(index % 10u)), '\0'};
    uint64_t packed = option(index < 10 ? name + 1 : name);
    uint64_t period_ns = TAKT_US(packed >> WORK_BITS);
    loads[index].work_ns = (packed & ((1u << WORK_BITS) - 1u)) * WORK_GRAIN_NS;
    configs[index] = (struct takt_task_config){
        .name = "load",
        .entry = job,
        .argument = &loads[index],
        .stack = stacks[index],
        .stack_size = STACK_SIZE,
        .index = (uint16_t)index,
        .release = TAKT_PERIODIC,
        .level = TAKT_EDF ? 0 : (uint8_t)index,
        .period_ns = period_ns,
        .deadline_ns = period_ns,
        .offset_ns = offset_ns,
    };
    if (takt_task_start(&tasks[index], &configs[index]) != TAKT_OK) {
        takt_board_exit(2);
    }
}

static void init(void)
{
    static struct takti_call at_end;
    task_count = (unsigned)option("tasks");
    uint64_t offset_ns = TAKT_US(option("offset_us"));
    uint64_t apart_ns = option("apart_ns");
    for (unsigned i = 0; i < task_count; i++) {
        start(i, offset_ns - i * apart_ns);
    }
    takti_call_at(&at_end, TAKT_US(option("duration_us")), end);
}
