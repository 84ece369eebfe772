/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_OVERHEADS_LOOK_H
#define TAKT_OVERHEADS_LOOK_H

/*
 * A look in user mode, which locks nothing, so each task keeps its own last one; and an interrupt whose handler is a
 * task (option line). Part of system.c.
 *
 * A task that finds that time has passed has it sorted in the kernel's mode: from the last look of any task. If a task
 * is interrupted between its reading of the counter and its store, its last look is one earlier, never later. What
 * happens between a gap's end and the first look after the sorting is accounted for, but its time is in no gap: a
 * maximum may be missed so, and none is exceeded.
 */
#include "protected.h"

static uint32_t last[TASKS_MAX + 1]; /* by looker; 0: none. Written by it, or in its call */
static bool sorting[TASKS_MAX + 1];  /* last is in the call that sorts: what follows it is not only the kernel's */

struct look {
    unsigned looker;
    uint32_t now;
};

/* The last look before the one that found the gap; false: there was one after it. */
static bool latest(const struct look *look, unsigned *last_looker)
{
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i <= task_count; i++) {
        uint32_t age = look->now - last[i];
        if (last[i] != 0 && age < least) {
            least = age;
            *last_looker = i;
        }
        if (last[i] != 0 && (int32_t)age < 0) {
            return false;
        }
    }
    return least != UINT32_MAX;
}

/* In the kernel's mode, locked. */
static void gap_found(void *argument)
{
    const struct look *look = argument;
    uint32_t gap = 0; /* none */
    if (begun == 0) {
        begin();
    }
    if (latest(look, &looks_ended) && !sorting[looks_ended]) {
        gap = look->now - last[looks_ended];
    }
    sort_gap(gap, look->now, look->looker);
    sorting[look->looker] = true;
    last[look->looker] = COUNTER;
    sorted = COUNTER;
}

static void look(unsigned looker)
{
    uint32_t now = COUNTER;
    if (now - last[looker] > LOOK_TICKS) {
        struct look found = {looker, now};
        in_kernel(gap_found, &found);
        last[looker] = COUNTER;
        sorting[looker] = false;
    } else {
        last[looker] = now;
    }
}

/* Tasks next to each other are in different processes. */
static void task_place(struct takt_task_config *config)
{
    config->process = &protected_processes[config->index % PROTECTED_PROCESSES];
}

static void system_complete(struct takt_system *system)
{
    protected_declare(system);
}

/* The last task serves an interrupt: it looks, acknowledges it, which is a gap of its own, and looks again. */
static uint64_t line_releases[1];
static struct takt_arrivals line_arrivals = {.releases_ns = line_releases, .capacity = 1};
static uintptr_t line_handle;

static void line_comes(void)
{
    handled++;
    takti_process_interrupt(&line_interrupt);
}

void takt_user_irq_ack(uintptr_t interrupt);

static void line_job(void *argument)
{
    unsigned index = (unsigned)(uintptr_t)argument;
    spin(index, 3);
    acknowledges = true;
    takt_user_irq_ack(line_handle);
    spin(index, 3);
}

static void lines_start(void)
{
    if (option("line", 0) == 0) {
        return;
    }
    unsigned index = task_count - 1;
    takt_task_delete(&tasks[index]);
    struct takt_task_config config = configs[index];
    config.entry = line_job;
    config.release = TAKT_SPORADIC;
    config.arrivals = &line_arrivals;
    config.period_ns = interrupt_period_ns / 2;
    line_interrupt = (struct takt_process_interrupt){
        .handler = line_comes, .task = &tasks[index], .number = IRQ, .attached = config.process->config->index};
    line_handle = protected_handle(&line_interrupt, TAKT_OBJECT_INTERRUPT);
    start(index, config);
    takt_port_irq_attach(IRQ, line_comes, true);
    takt_board_interrupt_every(IRQ, TAKT_MS(60), interrupt_period_ns);
}

/* What was measured is not all: a process is stopped. */
static bool faulted(void)
{
    return takt_process_faults.count != 0;
}

static void lines_print(void)
{
    print_row("line_", 0, (uint64_t)line_most * TICK_NS);
    print_row("ack_", 0, (uint64_t)acknowledge_most * TICK_NS);
    print_row("line_end_", 0, (uint64_t)line_end_most * TICK_NS);
}

#endif
