/* SPDX-License-Identifier: Apache-2.0 */
/* Response-time bounds: calls the file that computes them, and checks the results. */
#include "internal.h"

/* The end of a busy period that was found fits into 63 bits; a response, which adds the jitter, may not. */
static enum takt_analysis_status takta_status(enum takta_answer answer, uint64_t response_ns)
{
    if (answer == TAKTA_LIMIT) {
        return TAKT_ANALYSIS_LIMIT;
    }
    return answer == TAKTA_FOUND && response_ns < TAKTA_HORIZON_NS ? TAKT_ANALYSIS_OK : TAKT_ANALYSIS_OVERFLOW;
}

void takta_tasks_respond(const struct takt_analysis_set *set, struct takta_level level, struct takta_level tasks,
                         struct takta_descent *descent, uint64_t *responses_ns, enum takt_analysis_status *statuses)
{
    bool by_deadline = set->tasks[level.first].order == TAKT_ANALYSIS_DEADLINE && !takta_late_release(set, level);
    enum takta_answer answer = by_deadline ? takta_edf_worst(set, level, responses_ns) : TAKTA_FOUND;

    for (size_t i = tasks.first; i < tasks.end; i++) {
        if (set->cooperative) {
            answer = takta_cooperative_worst(set, level, i, TAKT_SATURATED, &responses_ns[i]);
        } else if (!by_deadline) {
            answer = takta_fixed_worst(set, level, i, TAKT_SATURATED, descent, &responses_ns[i]);
        }
        statuses[i] = takta_status(answer, responses_ns[i]);
    }
}

bool takta_crowded(const struct takt_analysis_set *set, size_t end)
{
    struct takta_run run = takta_run_init(set, end);

    return takta_overloaded(&run);
}

size_t takta_recurring(const struct takt_analysis_set *set)
{
    size_t count = set->task_count;

    while (count > 0 && set->tasks[count - 1].period_ns == 0) {
        count--;
    }
    return count;
}

enum takt_analysis_status takt_analysis_responses(const struct takt_analysis_set *set, uint64_t *responses_ns,
                                                  enum takt_analysis_status *statuses)
{
    struct takta_level level = {0, 0};
    struct takta_descent descent;
    size_t recurring;
    bool crowded;

    if (!takta_set_valid(set)) {
        return TAKT_ANALYSIS_INVALID;
    }
    descent = takta_descent_init(set);
    recurring = takta_recurring(set);
    crowded = takta_crowded(set, recurring); /* if not, then no level with those above it */
    for (size_t i = 0; i < set->task_count; i++) {
        statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
    }
    for (size_t first = 0; first < recurring; first = level.end) {
        level = takta_level_at(set, first);
        if (!crowded || !takta_crowded(set, level.end)) {
            takta_tasks_respond(set, level, level, &descent, responses_ns, statuses);
        }
    }
    return TAKT_ANALYSIS_OK;
}
