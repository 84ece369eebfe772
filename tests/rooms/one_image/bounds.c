/* SPDX-License-Identifier: Apache-2.0 */
/* The room analysis, called by a task. */
#include "print.h"
#include "takt/analysis.h"
#include "takt_app.h"
#include "task_set.h"

#define TASK(wcet, period, deadline, jitter, release, blocking, level, order) \
    {wcet, period, deadline, jitter, release, blocking, level, TAKT_ANALYSIS_##order},
static const struct takt_analysis_task tasks[] = {TASK_SET(TASK)};

enum { COUNT = sizeof tasks / sizeof tasks[0], ITERATIONS = 100000 };

void analyst_job(void *argument)
{
    (void)argument;
    static bool done;
    if (done) { /* once is enough */
        return;
    }
    done = true;
    const struct takt_analysis_set set = {.tasks = tasks, .task_count = COUNT, .iterations = ITERATIONS};
    static uint64_t responses_ns[COUNT];
    static enum takt_analysis_status statuses[COUNT];
    enum takt_analysis_verdict verdict = TAKT_ANALYSIS_UNDECIDED;
    const uint64_t results[] = {(uint64_t)takt_analysis_responses(&set, responses_ns, statuses),
                                (uint64_t)takt_analysis_feasible(&set, &verdict, NULL, NULL), (uint64_t)verdict};
    print_values("analysis", results, sizeof results / sizeof results[0]);
    print_values("responses", responses_ns, COUNT);
}
