/* SPDX-License-Identifier: Apache-2.0 */
/* The system of the suite, in the form of a generated one. */
#include "conformance.h"

#include <string.h>

enum { STACK = 1024 };
enum index { FIRST_LOW, FIRST_EQUAL, FIRST_HIGH, RUNNER, TASKS };

#define STACK_DEFINE(name) static uint64_t name[STACK / sizeof(uint64_t)]
STACK_DEFINE(stack_first_low);
STACK_DEFINE(stack_first_equal);
STACK_DEFINE(stack_first_high);
STACK_DEFINE(stack_runner);
STACK_DEFINE(stack_idle);

volatile struct conformance_seen seen;

/* A bad address, or an assertion, of the kernel's own. */
static void fault_on_purpose(void)
{
    uint64_t value;
    if (takt_board_option("fault", &value) && value == 1) {
        *(volatile uint32_t *)(uintptr_t)0xF0000000u = 1;
    } else if (takt_board_option("fault", &value) && value == 2) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, "conformance", 2, 0);
    }
}

static void begin(void *argument)
{
    fault_on_purpose();
    runner(argument);
}

#define BACKGROUND(number, function, stack_, level_)                                                 \
    {                                                                                                \
        .name = #function, .entry = function, .stack = stack_, .stack_size = STACK, .index = number, \
        .release = TAKT_BACKGROUND, .level = level_                                                  \
    }
static const struct takt_task_config configs[TASKS] = {
    BACKGROUND(FIRST_LOW, first_low, stack_first_low, LEVEL_EQUAL),
    BACKGROUND(FIRST_EQUAL, first_equal, stack_first_equal, LEVEL_EQUAL),
    BACKGROUND(FIRST_HIGH, first_high, stack_first_high, LEVEL_HIGH),
    BACKGROUND(RUNNER, begin, stack_runner, LEVEL_RUNNER),
};

static struct takt_task tasks[TASKS];
static const uint8_t level_bands[TAKT_LEVELS];
TAKT_TIMERS_DEFINE(timers, 32);

extern const struct takt_system takt_system;
extern const uint64_t takt_proof_hash;
const uint64_t takt_proof_hash = 0;
const struct takt_system takt_system = {
    .configs = configs,
    .tasks = tasks,
    .task_count = TASKS,
    .level_bands = level_bands,
    .init = interrupts_init,
    .idle_stack = stack_idle,
    .idle_stack_size = STACK,
    .timers = &timers,
};

/* Helpers. */
static uint64_t helper_stacks[HELPERS][STACK / sizeof(uint64_t)];
static struct takt_task_config helper_configs[HELPERS];
static struct takt_task helpers[HELPERS];

void helper_start(unsigned which, void (*entry)(void *argument), enum level level)
{
    struct takt_task_config *config = &helper_configs[which];
    memset(config, 0, sizeof *config);
    config->name = "helper";
    config->entry = entry;
    config->stack = helper_stacks[which];
    config->stack_size = STACK;
    config->index = (uint16_t)(TASKS + which);
    config->release = TAKT_BACKGROUND;
    config->level = (uint8_t)level;
    CHECK_EQUAL(takt_task_start(&helpers[which], config), TAKT_OK);
}

bool helper_stopped(unsigned which)
{
    return helpers[which].config == NULL || takt_task_stopped(&helpers[which]);
}

void helper_stop(unsigned which)
{
    if (!helper_stopped(which)) {
        takt_task_stop(&helpers[which]);
    }
}

void conformance_print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

_Noreturn void conformance_end(unsigned failures)
{
    takt_board_exit(failures == 0 ? 0 : 1);
}
