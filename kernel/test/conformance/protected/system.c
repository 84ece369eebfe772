/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The suite as a protected system, in the form of a generated one: its tasks are one process, in user mode. Here is the
 * kernel's side, and the tables; process_suite.c is the process's. What the process has printed leaves when it ends.
 */
#include "suite.h"

#include "kernel/process/process.h"
#include "takt/board.h"

#include <string.h>

enum { IRQ_END = 19, IDLE_STACK = 1024 };

/* processes.ld's; on the host, where memory is not checked, they are nothing. */
extern uint8_t suite_shared_start[], suite_text_start[], suite_memory_start[];
#if SUITE_SIZES
#define SIZE(of) (of)
#else
#define SIZE(of) 0
#endif

static const struct takt_region regions[] = {
    {(uintptr_t)suite_shared_start, SIZE(SUITE_SHARED), TAKT_ACCESS_READ | TAKT_ACCESS_EXECUTE, 0},
    {(uintptr_t)suite_text_start, SIZE(SUITE_TEXT), TAKT_ACCESS_READ | TAKT_ACCESS_EXECUTE, 0},
    {(uintptr_t)suite_memory_start, SIZE(SUITE_MEMORY), TAKT_ACCESS_READ | TAKT_ACCESS_WRITE, 0},
};

static struct takt_process processes[1];
static struct takt_task tasks[SUITE_TASKS];
struct takti_hint_copy takti_hint_copies[SUITE_TASKS];
static const uint8_t level_bands[TAKT_LEVELS];
static uint64_t idle_stack[IDLE_STACK / 8];
TAKT_TIMERS_DEFINE(timers, 32);

#define BACKGROUND(number, function, level_)                                                            \
    {                                                                                                   \
        .name = #function, .entry = function, .stack = suite_stacks[number], .stack_size = SUITE_STACK, \
        .index = number, .release = TAKT_BACKGROUND, .level = level_, .process = &processes[0]          \
    }
static const struct takt_task_config configs[SUITE_TASKS] = {
    BACKGROUND(FIRST_LOW, first_low, LEVEL_EQUAL),
    BACKGROUND(FIRST_EQUAL, first_equal, LEVEL_EQUAL),
    BACKGROUND(FIRST_HIGH, first_high, LEVEL_HIGH),
    BACKGROUND(HELPER_0_HIGH, helper_0_high, LEVEL_HIGH),
    BACKGROUND(HELPER_0_EQUAL, helper_0_equal, LEVEL_RUNNER),
    BACKGROUND(HELPER_1_TOP, helper_1_top, LEVEL_TOP),
    BACKGROUND(HELPER_1_EQUAL, helper_1_equal, LEVEL_RUNNER),
    BACKGROUND(RUNNER, runner, LEVEL_RUNNER),
};

#define TASK(number)                                                                    \
    {                                                                                   \
        .object = &tasks[number], .generation = 1, .kind = TAKT_OBJECT_TASK, .owner = 0 \
    }
#define SEMAPHORE(name)                                                               \
    {                                                                                 \
        .object = &(name), .generation = 1, .kind = TAKT_OBJECT_SEMAPHORE, .owner = 0 \
    }
static struct takt_object objects[SUITE_OBJECTS] = {
    TASK(0),
    TASK(1),
    TASK(2),
    TASK(3),
    TASK(4),
    TASK(5),
    TASK(6),
    TASK(7),
    SEMAPHORE(preempt_go),
    SEMAPHORE(wake_semaphore),
    SEMAPHORE(collide_go),
};
_Static_assert(SUITE_TASKS == 8, "of objects");
static const uint8_t rights[SUITE_OBJECTS] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
static const uint16_t indices[SUITE_TASKS] = {0, 1, 2, 3, 4, 5, 6, 7};
static const struct takt_process_config process_configs[1] = {
    {.name = "suite",
     .regions = regions,
     .rights = rights,
     .zero_size = SIZE(SUITE_MEMORY),
     .tasks = indices,
     .task_count = SUITE_TASKS,
     .slot_first = SUITE_OBJECTS,
     .thread_level = TAKT_LEVELS - 2,
     .region_count = 3},
};

static void print(const char *text, size_t length)
{
    takt_board_console_write(text, length);
}

static void end_handler(void)
{
    if (takt_process_faults.count != 0) {
        print(suite_printed.text, suite_printed.length);
        takt_fault_raise(TAKT_FAULT_ASSERTION, "the process has faulted", takt_process_faults.records[0].cause,
                         takt_process_faults.records[0].pc);
    }
    if (suite_printed.ended) {
        print(suite_printed.text, suite_printed.length);
        takt_board_exit(suite_printed.failures == 0 ? 0 : 1);
    }
}

static void init(void)
{
    interrupts_init();
    takt_port_irq_attach(IRQ_END, end_handler, true);
    takt_board_interrupt_every(IRQ_END, TAKT_MS(97), TAKT_MS(97));
}

extern const struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
const struct takt_system takt_system = {
    .configs = configs,
    .tasks = tasks,
    .task_count = SUITE_TASKS,
    .level_bands = level_bands,
    .init = init,
    .idle_stack = idle_stack,
    .idle_stack_size = IDLE_STACK,
    .timers = &timers,
    .object_count = SUITE_OBJECTS,
    .process_count = 1,
    .objects = objects,
    .processes = processes,
    .process_configs = process_configs,
};
