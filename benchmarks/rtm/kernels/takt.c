/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takt: the tables that `takt build` would generate, of so many tasks as the workload has. Each has a level of its own;
 * periods are the kernel's, in ns, and there is no tick. What it finds tasks with is chosen when it is compiled: its
 * own queues, or the task manager (docs/decisions/0019-rtm-engine.md).
 */
#include "kernel.h"

#include "kernel/port.h"
#include "takt/board.h"
#include "takt/semaphore.h"
#include "takt/system.h"

#define STACK_BYTES 6144u
#define SIGNALS_MAX 1000u
#define FAILED 3

static struct step {
    void (*step)(unsigned argument);
    unsigned argument;
    uint32_t period_ticks;
} steps[KERNEL_TASKS];
static unsigned task_count;

/* Not cleared, which would take longer than some runs. */
static uint8_t stacks[KERNEL_TASKS][STACK_BYTES] __attribute__((aligned(16), section(".noinit")));
static uint64_t idle_stack[128];
static struct takt_task tasks[KERNEL_TASKS];
static struct takt_task_config configs[KERNEL_TASKS];
static struct takt_task_statistics statistics[KERNEL_TASKS];
static struct takt_semaphore semaphores[KERNEL_SEMAPHORES];
static struct takt_semaphore signal;
static const uint8_t level_bands[TAKT_LEVELS];
TAKT_TIMERS_DEFINE(timers, KERNEL_TASKS);

void kernel_create(unsigned task, void (*step)(unsigned argument), unsigned argument, uint32_t period_ticks)
{
    steps[task] = (struct step){step, argument, period_ticks};
    task_count++;
}

__attribute__((noinline)) void kernel_signal(void)
{
    (void)takt_semaphore_post(&signal);
}

static void take(struct takt_semaphore *semaphore)
{
    if (takt_semaphore_wait(semaphore) != TAKT_OK) {
        takt_board_exit(FAILED);
    }
}

__attribute__((noinline)) void kernel_semaphore_wait(unsigned semaphore)
{
    take(&semaphores[semaphore]);
}

__attribute__((noinline)) void kernel_semaphore_post(unsigned semaphore)
{
    (void)takt_semaphore_post(&semaphores[semaphore]);
}

/* A job. */
static void task_job(void *argument)
{
    const struct step *own = argument;
    own->step(own->argument);
}

/* The first that runs. The clock is 0 when the system starts, so the workload begins there. */
static void task_loop(void *argument)
{
    const struct step *own = argument;
    workload_begin(0);
    for (;;) {
        take(&signal);
        own->step(own->argument);
    }
}

static void init(void)
{
    takt_semaphore_init(&signal, KERNEL_SEMAPHORES, NULL, 0, SIGNALS_MAX);
    for (unsigned i = 0; i < KERNEL_SEMAPHORES; i++) {
        takt_semaphore_init(&semaphores[i], (uint16_t)i, NULL, 0, SIGNALS_MAX);
    }
    takt_port_irq_attach(WORKLOAD_LINE, workload_interrupt, true);
}

static void configure(unsigned number, uint32_t tick_ns)
{
    struct takt_task_config *config = &configs[number];
    struct step *own = &steps[number];
    config->release = own->period_ticks == 0 ? TAKT_BACKGROUND : TAKT_PERIODIC;
    config->style = TAKT_STYLE_ENTRY;
    config->on_miss = TAKT_MISS_CONTINUE;
    config->level = (uint8_t)number;
    config->index = (uint16_t)number;
    config->entry = own->period_ticks == 0 ? task_loop : task_job;
    config->argument = own;
    config->stack = stacks[number];
    config->stack_size = STACK_BYTES;
    config->period_ns = (uint64_t)own->period_ticks * tick_ns;
    config->deadline_ns = config->period_ns;
    config->statistics = &statistics[number];
}

_Noreturn void kernel_start(uint32_t tick_ns)
{
    static struct takt_system system;
    for (unsigned number = 0; number < task_count; number++) {
        configure(number, tick_ns);
    }
    system = (struct takt_system){
        .configs = configs,
        .tasks = tasks,
        .level_bands = level_bands,
        .timers = &timers,
        .init = init,
        .idle_stack = idle_stack,
        .idle_stack_size = sizeof idle_stack,
        .task_count = (uint16_t)task_count,
    };
    takt_start(&system);
}
