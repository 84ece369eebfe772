/* SPDX-License-Identifier: Apache-2.0 */
/* The runner: goes through the cases, and says which pass. */
#include "conformance.h"

static bool failed;

static void print_number(uint64_t value)
{
    char digits[21];
    unsigned first = sizeof digits - 1;
    digits[first] = '\0';
    do {
        digits[--first] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0);
    conformance_print(digits + first);
}

static const char *case_name;

void conformance_check(const char *what, uint64_t found, uint64_t low, uint64_t high)
{
    if (found >= low && found <= high) {
        return;
    }
    if (!failed) {
        conformance_print("FAIL ");
        conformance_print(case_name);
        conformance_print(" ");
        conformance_print(what);
        conformance_print(": found ");
        print_number(found);
        conformance_print(", wanted ");
        print_number(low);
        conformance_print(" to ");
        print_number(high);
        conformance_print("\n");
    }
    failed = true;
}

#define CASE(name)         \
    {                      \
#name, case_##name \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(start_order),         CASE(switch_preserves), CASE(preempt_every_instruction),
    CASE(restart_fresh),       CASE(stack_alignment),  CASE(clock_monotonic),
    CASE(delay_exact),         CASE(timer_past),       CASE(idle_never_misses),
    CASE(work_exact),          CASE(work_preempted),
#if !TAKT_IN_PROCESS /* port.c */
    CASE(context_kind),        CASE(timer_early),      CASE(timer_order),
    CASE(idle_returns_locked), CASE(lock_by_value),    CASE(lock_masks),
#endif
    CASE(interrupt_wakes),     CASE(interrupts_nest),  CASE(interrupts_collide),
    CASE(clock_wraps),
#if !TAKT_IN_PROCESS && !TAKT_ENGINE_RTM /* of the one-shot, which is not used there */
    CASE(idle_wakes),          CASE(timer_long_past),
#endif
    CASE(interrupts_counted),
};

void runner(void *argument)
{
    (void)argument;
    unsigned failures = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        case_name = cases[i].name;
        failed = false;
        cases[i].run();
        for (unsigned helper = 0; helper < HELPERS; helper++) {
            helper_stop(helper);
        }
        if (!failed) {
            conformance_print("PASS ");
            conformance_print(case_name);
            conformance_print("\n");
        }
        failures += failed ? 1u : 0u;
    }
    conformance_end(failures);
}
