/* SPDX-License-Identifier: Apache-2.0 */
/* The system of the suite, in the form of a generated one, and the runner. */
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

static void runner(void *argument);

#define BACKGROUND(number, function, stack_, level_)                                                 \
    {                                                                                                \
        .name = #function, .entry = function, .stack = stack_, .stack_size = STACK, .index = number, \
        .release = TAKT_BACKGROUND, .level = level_                                                  \
    }
static const struct takt_task_config configs[TASKS] = {
    BACKGROUND(FIRST_LOW, first_low, stack_first_low, LEVEL_EQUAL),
    BACKGROUND(FIRST_EQUAL, first_equal, stack_first_equal, LEVEL_EQUAL),
    BACKGROUND(FIRST_HIGH, first_high, stack_first_high, LEVEL_HIGH),
    BACKGROUND(RUNNER, runner, stack_runner, LEVEL_RUNNER),
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

/* What the cases report. */
static bool failed;

static void print(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static void print_number(uint64_t value)
{
    char digits[20];
    unsigned first = sizeof digits;
    do {
        digits[--first] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0);
    takt_board_console_write(digits + first, sizeof digits - first);
}

static const char *case_name;

void conformance_check(const char *what, uint64_t found, uint64_t low, uint64_t high)
{
    if (found >= low && found <= high) {
        return;
    }
    if (!failed) {
        print("FAIL ");
        print(case_name);
        print(" ");
        print(what);
        print(": found ");
        print_number(found);
        print(", wanted ");
        print_number(low);
        print(" to ");
        print_number(high);
        print("\n");
    }
    failed = true;
}

uint64_t conformance_instruction_ns(void)
{
    static uint64_t instruction_ns; /* looking for an option takes long */
    if (instruction_ns == 0 && !takt_board_option("instruction_ns", &instruction_ns)) {
        instruction_ns = 64;
    }
    return instruction_ns;
}

static bool option_given(const char *name)
{
    uint64_t value;
    return takt_board_option(name, &value) && value != 0;
}

bool conformance_virtual(void)
{
    return option_given("virtual");
}

bool conformance_masked(void)
{
    return option_given("masked");
}

static void fault_on_purpose(void)
{
    uint64_t value;
    if (takt_board_option("fault", &value) && value == 1) {
        *(volatile uint32_t *)(uintptr_t)0xF0000000u = 1;
    } else if (takt_board_option("fault", &value) && value == 2) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, "conformance", 2, 0);
    }
}

#define CASE(name)         \
    {                      \
#name, case_##name \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(start_order),        CASE(context_told),        CASE(switch_preserves),   CASE(preempt_every_instruction),
    CASE(restart_fresh),      CASE(stack_alignment),     CASE(clock_monotonic),    CASE(delay_exact),
    CASE(timer_past),         CASE(timer_early),         CASE(timer_order),        CASE(idle_never_misses),
    CASE(idle_wakes),         CASE(idle_returns_locked), CASE(work_exact),         CASE(work_preempted),
    CASE(lock_by_value),      CASE(lock_masks),          CASE(interrupt_wakes),    CASE(interrupts_nest),
    CASE(interrupts_collide), CASE(clock_wraps),         CASE(interrupts_counted),
};

static void runner(void *argument)
{
    (void)argument;
    fault_on_purpose();
    int failures = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        case_name = cases[i].name;
        failed = false;
        cases[i].run();
        for (unsigned helper = 0; helper < HELPERS; helper++) {
            helper_stop(helper);
        }
        if (!failed) {
            print("PASS ");
            print(case_name);
            print("\n");
        }
        failures += failed ? 1 : 0;
    }
    takt_board_exit(failures == 0 ? 0 : 1);
}
