/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random systems on the host port, of which some tasks overrun: numbers on stdin (test_budgets.py), and for each system
 * a line of numbers on stdout: how often budgets were used up, and the misses of each task.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "kernel/port.h"
#include "ports/host/host.h"
#include "takt/takt.h"

enum { TASKS = 16, MUTEXES = 4, STACK = 64, END_SOURCE = 0, SOURCE = 1 };

struct use {
    unsigned mutex;
    uint64_t hold_ns;
};

struct declared {
    uint64_t wcet_ns;
    unsigned overruns; /* percent of its jobs */
    unsigned use_count;
    bool defies;
    bool worst; /* every job takes what it may */
    struct use uses[MUTEXES];
};

static struct declared declared[TASKS];
static struct takt_budget budgets[TASKS];
static struct takt_task_config configs[TASKS + 1];
static struct takt_task tasks[TASKS + 1];
static struct takt_task_statistics statistics[TASKS];
static uint64_t stacks[TASKS + 2][STACK / 8];
static struct takt_mutex mutexes[MUTEXES];
static uint8_t level_bands[TAKT_LEVELS];
static uint64_t stopped_ns[TASKS]; /* since when; 0: it is not */
static uint64_t end_ns;
static uint64_t source_gap_ns;
static uint64_t source_work_ns;
static uint64_t random_state;
static unsigned task_count;

TAKT_TIMERS_DEFINE(timers, TASKS + 3);
TAKT_EDF_DEFINE(edf, TASKS, TASKS + 1);

static uint64_t number(void)
{
    uint64_t value;
    if (scanf("%" SCNu64, &value) != 1) {
        exit(2);
    }
    return value;
}

/* splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t below(uint64_t limit)
{
    uint64_t z = random_state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % limit;
}

static void work(uint64_t *left_ns, uint64_t most_ns)
{
    uint64_t duration_ns = *left_ns < most_ns ? *left_ns : most_ns;
    takt_work(duration_ns);
    *left_ns -= duration_ns;
}

/* A section, and perhaps one of a later mutex within it. Where the owner was stopped there is nothing to do. */
static void section(const struct declared *task, unsigned index, uint64_t *left_ns, uint64_t most_ns,
                    uint64_t excess_ns)
{
    const struct use *use = &task->uses[index];
    uint64_t hold_ns = use->hold_ns < most_ns ? use->hold_ns : most_ns;
    if (takt_mutex_lock(&mutexes[use->mutex]) != TAKT_OK) {
        return;
    }
    uint64_t before_ns = *left_ns;
    work(left_ns, below(3) == 0 ? hold_ns : below(hold_ns + 1));
    uint64_t rest_ns = hold_ns - (before_ns - *left_ns);
    if (index + 1 < task->use_count && rest_ns > 0 && below(2) == 0) {
        section(task, index + 1, left_ns, rest_ns, excess_ns);
    } else {
        takt_work(excess_ns);
    }
    takt_mutex_unlock(&mutexes[use->mutex]);
}

/*
 * The worst that it may do: the budget ends just after a lock, and the section takes all of its hold; so do those after
 * it, which the others below inherit from.
 */
static void defy(const struct declared *task)
{
    const struct takt_budget *budget = &budgets[task - declared];
    takt_work(budget->full_ns - 1);
    for (uint64_t sections = 1 + below(12); sections > 0; sections--) {
        struct takt_mutex *mutex = &mutexes[task->uses[below(task->use_count)].mutex];
        if (takt_mutex_lock(mutex) == TAKT_OK) {
            takt_work(budget->hold_ns);
            takt_mutex_unlock(mutex);
        }
        takt_work(below(budget->hold_ns));
    }
}

static void job(void *argument)
{
    const struct declared *task = argument;
    uint64_t left_ns = !task->worst && below(3) == 0 ? below(task->wcet_ns) + 1 : task->wcet_ns;
    bool overruns = below(100) < task->overruns;
    uint64_t excess_ns = overruns ? below(3 * task->wcet_ns) : 0;
    bool within = overruns && below(2) == 0; /* a section */
    if (overruns && task->use_count > 0 && task->defies && (task->worst || below(2) == 0)) {
        defy(task);
        return;
    }
    for (unsigned index = 0; index < task->use_count; index++) {
        work(&left_ns, below(left_ns + 1));
        if (below(4) != 0) {
            section(task, index, &left_ns, left_ns, within ? excess_ns : 0);
            excess_ns = within ? 0 : excess_ns;
        }
    }
    work(&left_ns, left_ns);
    takt_work(excess_ns);
}

/* In the background: initializes broken mutexes, and starts stopped tasks long after their last release. */
static void mender(void *argument)
{
    (void)argument;
    for (;;) {
        takt_delay(UINT64_C(100000));
        for (unsigned index = 0; index < MUTEXES; index++) {
            enum takt_status status = takt_mutex_try_lock(&mutexes[index]);
            if (status == TAKT_OWNER_DIED) {
                takt_mutex_init(&mutexes[index], (uint16_t)index);
            } else if (status == TAKT_OK) {
                takt_mutex_unlock(&mutexes[index]);
            }
        }
        for (unsigned index = 0; index < task_count; index++) {
            if (!takt_task_stopped(&tasks[index])) {
                stopped_ns[index] = 0;
            } else if (stopped_ns[index] == 0) {
                stopped_ns[index] = takt_now();
            } else if (takt_now() - stopped_ns[index] > configs[index].period_ns &&
                       takt_task_start(&tasks[index], &configs[index]) != TAKT_OK) {
                exit(3);
            }
        }
    }
}

static void at_end(void)
{
    takt_host_leave();
}

static void handler(void)
{
    takt_work(source_work_ns);
}

static void init(void)
{
    takt_port_irq_attach(END_SOURCE, at_end, true);
    takt_host_interrupt_every(END_SOURCE, end_ns, 0);
    if (source_gap_ns != 0) {
        takt_port_irq_attach(SOURCE, handler, true);
        takt_host_interrupt_every(SOURCE, below(source_gap_ns), source_gap_ns);
    }
}

static void start(void *argument)
{
    takt_start(argument);
}

static struct takt_task_config *configure(unsigned index, void (*entry)(void *argument), unsigned level)
{
    configs[index] = (struct takt_task_config){.name = "task",
                                               .entry = entry,
                                               .argument = &declared[index],
                                               .stack = stacks[index],
                                               .stack_size = STACK,
                                               .index = (uint16_t)index,
                                               .level = (uint8_t)level};
    return &configs[index];
}

static void read_task(unsigned index, unsigned demoted_level)
{
    struct takt_task_config *config = configure(index, job, (unsigned)number());
    struct declared *task = &declared[index];
    config->release = TAKT_PERIODIC;
    config->statistics = &statistics[index];
    config->period_ns = number();
    config->deadline_ns = number();
    config->offset_ns = number();
    task->wcet_ns = number();
    task->overruns = (unsigned)number();
    budgets[index] = (struct takt_budget){.policy = (uint8_t)number(), .level = (uint8_t)demoted_level};
    budgets[index].full_ns = number();
    budgets[index].hold_ns = number();
    task->worst = number() != 0;
    task->defies = budgets[index].full_ns != 0;
    config->budget = budgets[index].full_ns != 0 ? &budgets[index] : NULL;
    task->use_count = (unsigned)number();
    for (unsigned use = 0; use < task->use_count; use++) {
        task->uses[use].mutex = (unsigned)number();
        task->uses[use].hold_ns = number();
    }
}

static void run(void)
{
    static struct takt_system system;
    system = (struct takt_system){.configs = configs,
                                  .tasks = tasks,
                                  .edf = &edf,
                                  .level_bands = level_bands,
                                  .timers = &timers,
                                  .init = init,
                                  .idle_stack = stacks[TASKS + 1],
                                  .idle_stack_size = STACK};
    memset(tasks, 0, sizeof tasks);
    memset(statistics, 0, sizeof statistics);
    memset(stopped_ns, 0, sizeof stopped_ns);
    random_state = number();
    end_ns = number();
    source_gap_ns = number();
    source_work_ns = number();
    uint64_t edf_levels = number();
    for (unsigned level = 0; level < TAKT_LEVELS; level++) {
        if ((edf_levels >> level & 1u) != 0) {
            takt_bitmap_set(system.edf_levels, TAKT_LEVEL_WORDS, level);
        }
    }
    unsigned demoted_level = (unsigned)number();
    task_count = (unsigned)number();
    for (unsigned index = 0; index < task_count; index++) {
        read_task(index, demoted_level);
    }
    (void)configure(task_count, mender, demoted_level + 1);
    system.task_count = (uint16_t)(task_count + 1);
    for (unsigned index = 0; index < MUTEXES; index++) {
        takt_mutex_init(&mutexes[index], (uint16_t)index);
    }
    takt_host_reset();
    takt_host_enter(start, &system);
    uint32_t exhausted = 0;
    for (unsigned index = 0; index < task_count; index++) {
        exhausted += budgets[index].exhausted;
    }
    printf("%" PRIu32, exhausted);
    for (unsigned index = 0; index < task_count; index++) {
        printf(" %" PRIu32, statistics[index].misses);
    }
    printf("\n");
}

int main(void)
{
    for (unsigned systems = (unsigned)number(); systems > 0; systems--) {
        run();
    }
    return 0;
}
