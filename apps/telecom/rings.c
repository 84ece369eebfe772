/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings of processes of equal priority: each works, sends a signal to the next one and waits for one from the one
 * before; after LOOPS of that it suspends itself. So no more signals are under way than there are processes.
 */
#include "telecom.h"

enum { STACK_SIZE = 1024, SIGNAL_TURN = 1, FIRST_RING = 2 /* in takt_tasks */ };

static struct process {
    struct takt_task *task;
    struct takt_task storage; /* unless it is declared */
    struct takt_task_config config;
    struct takt_signal_queue queue;
    struct process *next;
    const struct takt_task *before;
    uint32_t iterations; /* the rest is its own: director only reads it */
    uint32_t signals;
} processes[RINGS][PROCESSES];

static uint64_t stacks[RINGS][PROCESSES][STACK_SIZE / sizeof(uint64_t)];
static const struct process *last; /* the process that ran last; a ring runs until it is done */
static uint32_t switches;

static void process_entry(void *argument);

void takt_app_init(void)
{
    for (unsigned ring = 0; ring < RINGS; ring++) {
        for (unsigned i = 0; i < PROCESSES; i++) {
            struct process *process = &processes[ring][i];
            process->task = i == 0 ? &takt_tasks[FIRST_RING + ring] : &process->storage;
            process->next = &processes[ring][(i + 1) % PROCESSES];
            process->next->before = process->task;
            takt_signal_queue_init(&process->queue, TAKT_TRACE_NO_OBJECT, process->task);
        }
    }
}

void rings_create(void)
{
    for (unsigned ring = 0; ring < RINGS; ring++) {
        for (unsigned i = 1; i < PROCESSES; i++) {
            struct process *process = &processes[ring][i];
            process->config.name = "process";
            process->config.entry = process_entry;
            process->config.argument = process;
            process->config.stack = stacks[ring][i];
            process->config.stack_size = STACK_SIZE;
            task_start(process->task, &process->config, processes[ring][0].task);
        }
    }
}

void rings_start(void)
{
    last = NULL;
    switches = 0;
    for (unsigned ring = 0; ring < RINGS; ring++) {
        for (unsigned i = 0; i < PROCESSES; i++) {
            processes[ring][i].iterations = processes[ring][i].signals = 0;
            takt_task_resume(processes[ring][i].task);
        }
    }
}

struct rings_counts rings_counts(void)
{
    struct rings_counts counts = {.switches = switches};
    for (unsigned ring = 0; ring < RINGS; ring++) {
        for (unsigned i = 0; i < PROCESSES; i++) {
            counts.iterations += processes[ring][i].iterations;
            counts.signals += processes[ring][i].signals;
        }
    }
    return counts;
}

/* After every call in which another may have run. */
static void runs(const struct process *self)
{
    switches += last != NULL && last != self;
    last = self;
}

static void work(struct process *self)
{
    for (unsigned i = 0; i < ITERATIONS; i++) {
        takt_work(ITERATION_NS);
        self->iterations++;
    }
}

static void pass_on(struct process *self, uint32_t loop)
{
    struct takt_signal *signal = takt_signal_allocate(&loops, SIGNAL_TURN);
    if (signal == NULL) {
        give_up("there is no signal left");
    }
    *loops_data(signal) = loop;
    takt_signal_send(&signal, &self->next->queue);
}

/* Every loop of the one before comes, in order. */
static void await(struct process *self, uint32_t loop)
{
    static const uint32_t numbers[] = {SIGNAL_TURN};
    const struct takt_signal_filter from_before = {numbers, self->before, 1};
    struct takt_signal *signal;
    if (takt_signal_receive(&self->queue, &from_before, &signal) != TAKT_OK || *loops_data(signal) != loop) {
        give_up("a signal is not the one that should have come");
    }
    takt_signal_free(&signal);
    runs(self);
    self->signals++;
}

static void process_entry(void *argument)
{
    struct process *self = argument;
    for (;;) {
        takt_task_suspend(self->task);
        runs(self);
        for (uint32_t loop = 0; loop < LOOPS; loop++) {
            work(self);
            pass_on(self, loop);
            await(self, loop);
        }
    }
}

/* The entry of those that are declared: its index in the table tells which. */
void process(void *argument)
{
    (void)argument;
    process_entry(processes[takt_task_running() - &takt_tasks[FIRST_RING]]);
}
