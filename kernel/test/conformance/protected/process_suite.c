/* SPDX-License-Identifier: Apache-2.0 */
/* The process: helpers are tasks that the system has, and do what a case gives them. */
#include "suite.h"

#include "takt/process.h"

_Alignas(32) uint8_t suite_stacks[SUITE_TASKS][SUITE_STACK];
struct suite_printed suite_printed;
volatile struct conformance_seen seen;

static void (*entries[SUITE_TASKS])(void *argument);
static struct takt_task *helpers[HELPERS];

static void helper_run(unsigned task)
{
    if (entries[task] != NULL) { /* else it is the start of the system */
        entries[task](NULL);
    }
}

#define HELPER(name, task)    \
    void name(void *argument) \
    {                         \
        (void)argument;       \
        helper_run(task);     \
    }
HELPER(helper_0_high, HELPER_0_HIGH)
HELPER(helper_0_equal, HELPER_0_EQUAL)
HELPER(helper_1_top, HELPER_1_TOP)
HELPER(helper_1_equal, HELPER_1_EQUAL)

void helper_start(unsigned which, void (*entry)(void *argument), enum level level)
{
    unsigned other = which == 0 ? HELPER_0_HIGH : HELPER_1_TOP;
    unsigned task = level != LEVEL_RUNNER ? other : which == 0 ? HELPER_0_EQUAL : HELPER_1_EQUAL;
    CHECK(level == LEVEL_RUNNER || level == (which == 0 ? LEVEL_HIGH : LEVEL_TOP));
    entries[task] = entry;
    helpers[which] = (struct takt_task *)(uintptr_t)(task | 1u << 16); /* its handle */
    CHECK_EQUAL(takt_task_start(helpers[which], NULL), TAKT_OK);
}

bool helper_stopped(unsigned which)
{
    return helpers[which] == NULL || takt_task_stopped(helpers[which]);
}

void helper_stop(unsigned which)
{
    if (!helper_stopped(which)) {
        takt_task_stop(helpers[which]);
    }
}

bool port_was_open(void)
{
    return true; /* no task in user mode begins with the lock closed: it could not open it */
}

void conformance_print(const char *text)
{
    for (; *text != '\0' && suite_printed.length < sizeof suite_printed.text; text++) {
        suite_printed.text[suite_printed.length++] = *text;
    }
}

_Noreturn void conformance_end(unsigned failures)
{
    suite_printed.failures = failures;
    suite_printed.ended = true;
    for (;;) {
        takt_delay_until(TAKT_FOREVER);
    }
}
