/* SPDX-License-Identifier: Apache-2.0 */
/* Takt's analyses of a plain task set. */
#include "analysis.h"

#include "takt/analysis.h"

/* Fill `rows`, which the set points to. */
static struct takt_analysis_set set_of(const struct task *tasks, size_t count, bool edf,
                                       struct takt_analysis_task *rows)
{
    for (size_t i = 0; i < count; i++) {
        rows[i] = (struct takt_analysis_task){
            .wcet_ns = tasks[i].wcet_ns,
            .period_ns = tasks[i].period_ns,
            .deadline_ns = tasks[i].deadline_ns,
            .level = edf ? 0 : (uint16_t)i,
            .order = edf ? TAKT_ANALYSIS_DEADLINE : TAKT_ANALYSIS_EQUAL,
        };
    }
    return (struct takt_analysis_set){.tasks = rows, .task_count = count, .iterations = UINT32_MAX};
}

static size_t responses(const struct task *tasks, size_t count, bool edf, uint64_t *answers)
{
    struct takt_analysis_task rows[TASKS_MAX];
    enum takt_analysis_status statuses[TASKS_MAX];
    struct takt_analysis_set set = set_of(tasks, count, edf, rows);

    if (takt_analysis_responses(&set, answers, statuses) != TAKT_ANALYSIS_OK) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (statuses[i] != TAKT_ANALYSIS_OK) {
            return 0;
        }
    }
    return count;
}

size_t takt_fixed(const struct task *tasks, size_t count, uint64_t *answers)
{
    return responses(tasks, count, false, answers);
}

size_t takt_edf(const struct task *tasks, size_t count, uint64_t *answers)
{
    return responses(tasks, count, true, answers);
}

size_t takt_test(const struct task *tasks, size_t count, uint64_t *answers)
{
    struct takt_analysis_task rows[TASKS_MAX];
    struct takt_analysis_set set = set_of(tasks, count, true, rows);
    enum takt_analysis_verdict verdict;

    if (takt_analysis_feasible(&set, &verdict, NULL, NULL) != TAKT_ANALYSIS_OK || verdict == TAKT_ANALYSIS_UNDECIDED) {
        return 0;
    }
    answers[0] = verdict == TAKT_ANALYSIS_FEASIBLE;
    return 1;
}
