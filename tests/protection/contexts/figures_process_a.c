/* SPDX-License-Identifier: Apache-2.0 */
/* User mode, process A: what calls and switches cost. first and other take the other stamps. */
#include "contexts.h"
#include "target.h"

/* What user_null does without a trap. */
static __attribute__((noipa)) uint32_t function_null(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return NULL_RESULT(a, b, c, d);
}

static void report(enum figure figure, uint32_t begin, uint32_t end)
{
    user_stamp(true, begin);
    user_stamp(false, end);
    user_figure(figure);
}

static void calls(void)
{
    uint32_t begin = target_stamp();
    uint32_t end = target_stamp();
    report(FIGURE_NOTHING, begin, end);
    begin = target_stamp();
    (void)function_null(1, 2, 3, 4);
    end = target_stamp();
    report(FIGURE_FUNCTION, begin, end);
    begin = target_stamp();
    (void)user_null(1, 2, 3, 4);
    end = target_stamp();
    report(FIGURE_CALL, begin, end);
}

void twin_entry(void *argument)
{
    (void)argument;
    for (;;) {
        (void)user_wait(TWIN);
        user_yield();
        uint32_t end = target_stamp();
        user_stamp(false, end);
    }
}

/* Two yields: the second is from low to twin. */
static void within(void)
{
    (void)user_post(TWIN);
    user_yield();
    uint32_t begin = target_stamp();
    user_yield();
    user_stamp(true, begin);
    user_figure(FIGURE_YIELD_WITHIN);
    begin = target_stamp();
    (void)user_post(FIRST);
    user_stamp(true, begin);
    user_figure(FIGURE_WAKE_WITHIN);
    begin = target_stamp();
    target_interrupt();
    user_stamp(true, begin);
    user_figure(FIGURE_INTERRUPT_WITHIN);
}

/* other, which the scenario tells what to do, is the one end, low or first the other. */
void figures(void)
{
    for (uint32_t i = 0; i < 3; i++) { /* one of them without the device's interrupt */
        calls();
        within();
    }
}
