/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel itself on the host port as the other simulator of simulator.h: every task is sporadic and released where
 * the pattern says, what lies above all levels is an interrupt.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "kernel/port.h"
#include "ports/host/host.h"
#include "simulator.h"
#include "takt/takt.h"

enum { STACK = 64, UNIT_NS = 1000, LEVELS = TAKT_LEVELS - 1 };

static const struct sim *played;
static struct sim_result *figures;
static int jobs_left, jobs_done[SIM_TASKS], raised[TAKT_HOST_INTERRUPTS], source_of[TAKT_HOST_INTERRUPTS];
static struct takt_task_config configs[SIM_TASKS];
static struct takt_task tasks[SIM_TASKS];
static struct takt_arrivals arrivals[SIM_TASKS];
static uint64_t releases_ns[SIM_TASKS][SIM_JOBS];
static uint64_t stacks[SIM_TASKS + 1][STACK / 8];
static struct takt_mutex mutexes[SIM_MUTEXES];
static struct takt_ceiling ceilings[SIM_MUTEXES];
static uint8_t level_bands[TAKT_LEVELS];
static uint64_t quanta_ns[TAKT_LEVELS];

TAKT_TIMERS_DEFINE(timers, SIM_TASKS + 2);
TAKT_EDF_DEFINE(edf, LEVELS, SIM_TASKS);

static bool has_ceiling(int mutex)
{
    return mutex == played->uninterrupted || played->ceilings[mutex].used;
}

static void lock(int mutex)
{
    enum takt_status status =
        has_ceiling(mutex) ? takt_ceiling_lock(&ceilings[mutex]) : takt_mutex_lock(&mutexes[mutex]);

    assert(status == TAKT_OK);
    (void)status;
}

static void unlock(int mutex)
{
    if (has_ceiling(mutex)) {
        takt_ceiling_unlock(&ceilings[mutex]);
    } else {
        takt_mutex_unlock(&mutexes[mutex]);
    }
}

/* Execute up to `until` of the job. */
static void execute(long *progress, long until)
{
    takt_work((uint64_t)(until - *progress) * UNIT_NS);
    *progress = until;
}

static void execute_job(const struct sim_task *task, int wait_count)
{
    long progress = 0;
    int open[SIM_SECTIONS], open_count = 0, entered = 0, waited = 0;

    for (;;) {
        long section = entered < task->section_count ? task->sections[entered].start : SIM_FOREVER;
        long end = open_count > 0 ? task->sections[open[open_count - 1]].end : SIM_FOREVER;
        long wait = waited < wait_count ? task->waits[waited].at : SIM_FOREVER;

        if (end <= section && end <= wait && end != SIM_FOREVER) {
            execute(&progress, end);
            unlock(task->sections[open[--open_count]].mutex);
        } else if (wait <= section && wait != SIM_FOREVER) {
            execute(&progress, wait);
            takt_delay((uint64_t)task->waits[waited++].length * UNIT_NS);
        } else if (section != SIM_FOREVER) {
            execute(&progress, section);
            lock(task->sections[entered].mutex);
            open[open_count++] = entered++;
        } else {
            execute(&progress, task->wcet);
            return;
        }
    }
}

static void job(void *argument)
{
    const struct sim_task *task = argument;
    int index = (int)(task - played->tasks), number = jobs_done[index]++;
    long response;

    execute_job(task, task->waiting == 0 || task->waiting >> number % 32 & 1 ? task->wait_count : 0);
    response = (long)(takt_now() / UNIT_NS) - task->release[number];
    if (figures->response_max[index] < response) {
        figures->response_max[index] = response;
    }
    figures->missed[index] |= response > task->deadline;
    if (--jobs_left == 0) {
        takt_host_leave();
    }
}

/* Raised once more in how long. Two at one time come a nanosecond apart. */
static uint64_t gap_ns(unsigned number)
{
    const struct sim_task *source = &played->tasks[source_of[number]];
    int done = ++raised[number];
    uint64_t gap = done < source->jobs ? (uint64_t)(source->release[done] - source->release[done - 1]) * UNIT_NS : 0;

    return done == source->jobs ? UINT64_MAX : gap == 0 ? 1 : gap;
}

static unsigned serving; /* of the handlers below */

static void handle(void)
{
    takt_work((uint64_t)played->tasks[source_of[serving]].wcet * UNIT_NS);
}

#define HANDLER(n)                \
    static void handler_##n(void) \
    {                             \
        serving = n;              \
        handle();                 \
    }
HANDLER(0)
HANDLER(1)
HANDLER(2)
HANDLER(3)
HANDLER(4)
HANDLER(5)
HANDLER(6)
HANDLER(7)
HANDLER(8)
HANDLER(9)
HANDLER(10)
HANDLER(11)
static void (*const handlers[])(void) = {handler_0, handler_1, handler_2, handler_3, handler_4,  handler_5,
                                         handler_6, handler_7, handler_8, handler_9, handler_10, handler_11};

static void start_source(unsigned number, int index)
{
    assert(number < sizeof handlers / sizeof handlers[0]);
    source_of[number] = index;
    raised[number] = 0;
    takt_port_irq_attach(number, handlers[number], true);
    takt_host_interrupt_gaps(number, (uint64_t)played->tasks[index].release[0] * UNIT_NS, gap_ns);
}

static void start_task(int index)
{
    const struct sim_task *task = &played->tasks[index];
    bool endless = task->deadline == SIM_FOREVER;
    enum takt_status status;

    arrivals[index] = (struct takt_arrivals){.releases_ns = releases_ns[index], .capacity = SIM_JOBS};
    configs[index] =
        (struct takt_task_config){.release = TAKT_SPORADIC,
                                  .level = (uint8_t)task->level,
                                  .index = (uint16_t)index,
                                  .stack_size = STACK,
                                  .name = "task",
                                  .entry = job,
                                  .argument = (void *)task,
                                  .stack = stacks[index],
                                  .period_ns = 1,
                                  .deadline_ns = endless ? UINT64_MAX / 4 : (uint64_t)task->deadline * UNIT_NS,
                                  .arrivals = &arrivals[index]};
    jobs_done[index] = 0;
    jobs_left += task->jobs;
    status = takt_task_start(&tasks[index], &configs[index]);
    assert(status == TAKT_OK);
    (void)status;
    for (int number = 0; number < task->jobs; number++) {
        takt_job_release_at(&tasks[index], (uint64_t)task->release[number] * UNIT_NS);
    }
}

/* Interrupts in the order of their levels: the host raises the one with the lowest number first. */
static void init(void)
{
    unsigned number = 0;

    for (int level = -2; level < 0; level++) {
        for (int index = 0; index < played->task_count; index++) {
            if (played->tasks[index].level == level && played->tasks[index].jobs > 0) {
                start_source(number++, index);
            }
        }
    }
    for (int index = 0; index < played->task_count; index++) {
        if (played->tasks[index].level >= 0) {
            start_task(index);
        }
    }
}

static void start(void *argument)
{
    takt_start(argument);
}

/* Of the best level. */
static uint64_t shortest_deadline_ns(void)
{
    long shortest = SIM_FOREVER;

    for (int index = 0; index < played->task_count; index++) {
        const struct sim_task *task = &played->tasks[index];

        shortest = task->level == 0 && task->deadline < shortest ? task->deadline : shortest;
    }
    return (uint64_t)shortest * UNIT_NS;
}

static bool something_to_do(void)
{
    for (int index = 0; index < played->task_count; index++) {
        if (played->tasks[index].level >= 0 && played->tasks[index].jobs > 0) {
            return true;
        }
    }
    return false;
}

void sim_run(const struct sim *sim, struct sim_result *result)
{
    static struct takt_system system;

    assert(!sim->cooperative);
    played = sim;
    figures = result;
    jobs_left = 0;
    *result = (struct sim_result){0};
    if (!something_to_do()) {
        return;
    }
    memset(tasks, 0, sizeof tasks);
    system = (struct takt_system){.edf = &edf,
                                  .level_bands = level_bands,
                                  .level_quanta_ns = sim->quantum > 0 ? quanta_ns : NULL,
                                  .timers = &timers,
                                  .init = init,
                                  .idle_stack = stacks[SIM_TASKS],
                                  .idle_stack_size = STACK};
    for (int index = 0; index < sim->task_count; index++) {
        const struct sim_task *task = &sim->tasks[index];

        if (task->level >= 0) {
            quanta_ns[task->level] = task->by_deadline ? 0 : (uint64_t)sim->quantum * UNIT_NS;
            if (task->by_deadline) {
                takt_bitmap_set(system.edf_levels, TAKT_LEVEL_WORDS, (unsigned)task->level);
            }
        }
    }
    for (int index = 0; index < SIM_MUTEXES; index++) {
        const struct sim_ceiling *ceiling = &sim->ceilings[index];
        bool highest = index == sim->uninterrupted;

        takt_mutex_init(&mutexes[index], (uint16_t)index);
        *mutexes[index].in_turn = sim->fifo[index];
        takt_ceiling_init(&ceilings[index], (uint16_t)(SIM_MUTEXES + index), highest ? 0 : (uint8_t)ceiling->level,
                          highest ? shortest_deadline_ns() : (uint64_t)ceiling->deadline * UNIT_NS);
    }
    takt_host_reset();
    takt_host_enter(start, &system);
}
