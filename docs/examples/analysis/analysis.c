/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "takt/analysis.h"

#define MS(n) (UINT64_C(1000000) * (n))

/* Three tasks on one processor, rate monotonic: each in a level of its own. */
static struct takt_analysis_task tasks[] = {
    {.wcet_ns = MS(1), .period_ns = MS(4), .deadline_ns = MS(4), .level = 0},
    {.wcet_ns = MS(2), .period_ns = MS(6), .deadline_ns = MS(6), .level = 1},
    {.wcet_ns = MS(3), .period_ns = MS(12), .deadline_ns = MS(12), .level = 2},
};

int main(void)
{
    const struct takt_analysis_set set = {.tasks = tasks, .task_count = 3, .iterations = 1000};
    uint64_t responses_ns[3];
    enum takt_analysis_status statuses[3];
    if (takt_analysis_responses(&set, responses_ns, statuses) == TAKT_ANALYSIS_OK) {
        for (int i = 0; i < 3; i++) {
            printf("analysis: task %d ends within %u ms\n", i, (unsigned)(responses_ns[i] / MS(1)));
        }
    }

    tasks[2].wcet_ns = MS(6);
    enum takt_analysis_verdict verdict;
    struct takt_analysis_reason reason;
    if (takt_analysis_feasible(&set, &verdict, NULL, &reason) == TAKT_ANALYSIS_OK &&
        verdict == TAKT_ANALYSIS_INFEASIBLE) {
        printf("analysis: with 6 ms, task %u misses its deadline\n", (unsigned)reason.task);
    }
    return 0;
}
