/* SPDX-License-Identifier: Apache-2.0 */
/* Response-time bounds: which file computes them, and what its answer means. */
#include "internal.h"

/* The end of a busy period fits into 63 bits where one is found; with the jitter before it a response may not. */
static enum takt_analysis_status takti_status(enum takti_answer answer, uint64_t response_ns)
{
    if (answer == TAKTI_LIMIT) {
        return TAKT_ANALYSIS_LIMIT;
    }
    return answer == TAKTI_FOUND && response_ns < TAKTI_HORIZON_NS ? TAKT_ANALYSIS_OK : TAKT_ANALYSIS_OVERFLOW;
}

/* Bound the tasks of one level, all of which recur and together with those above do not overload the processor. */
static void takti_level_respond(const struct takt_analysis_set *set, struct takti_level level,
                                struct takti_descent *descent, uint64_t *responses_ns,
                                enum takt_analysis_status *statuses)
{
    bool by_deadline = set->tasks[level.first].order == TAKT_ANALYSIS_DEADLINE;
    enum takti_answer answer = by_deadline ? takti_edf_worst(set, level, responses_ns) : TAKTI_FOUND;

    for (size_t i = level.first; i < level.end; i++) {
        if (set->cooperative) {
            answer = takti_cooperative_worst(set, level, i, TAKT_SATURATED, &responses_ns[i]);
        } else if (!by_deadline) {
            answer = takti_fixed_worst(set, level, i, TAKT_SATURATED, descent, &responses_ns[i]);
        }
        statuses[i] = takti_status(answer, responses_ns[i]);
    }
}

/* True if tasks[0 .. end) and what lies above all levels overload the processor. */
static bool takti_crowded(const struct takt_analysis_set *set, size_t end)
{
    struct takti_run run = takti_run_init(set, end);

    return takti_overloaded(&run);
}

/* How many tasks recur. */
static size_t takti_recurring(const struct takt_analysis_set *set)
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
    struct takti_level level = {0, 0};
    struct takti_descent descent;
    size_t recurring;
    bool crowded;

    if (!takti_set_valid(set)) {
        return TAKT_ANALYSIS_INVALID;
    }
    descent = takti_descent_init(set);
    recurring = takti_recurring(set);
    crowded = takti_crowded(set, recurring); /* if not, then no level with those above it */
    for (size_t i = 0; i < set->task_count; i++) {
        statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
    }
    for (size_t first = 0; first < recurring; first = level.end) {
        level = takti_level_at(set, first);
        if (!crowded || !takti_crowded(set, level.end)) {
            takti_level_respond(set, level, &descent, responses_ns, statuses);
        }
    }
    return TAKT_ANALYSIS_OK;
}
