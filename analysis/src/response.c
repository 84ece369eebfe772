/* SPDX-License-Identifier: Apache-2.0 */
/* Response-time bounds: which file computes them, and what its answer means. */
#include "internal.h"

static enum takt_analysis_status takti_status(enum takti_answer answer)
{
    return answer == TAKTI_FOUND   ? TAKT_ANALYSIS_OK
           : answer == TAKTI_LIMIT ? TAKT_ANALYSIS_LIMIT
                                   : TAKT_ANALYSIS_OVERFLOW;
}

/* Bound the tasks of one level, all of which recur and together with those above do not overload the processor. */
static void takti_level_respond(const struct takt_analysis_set *set, struct takti_level level, uint64_t *responses_ns,
                                enum takt_analysis_status *statuses)
{
    bool by_deadline = set->tasks[level.first].order == TAKT_ANALYSIS_DEADLINE;
    enum takti_answer answer = by_deadline ? takti_edf_worst(set, level, responses_ns) : TAKTI_FOUND;

    for (size_t i = level.first; i < level.end; i++) {
        if (!by_deadline) {
            answer = (set->cooperative ? takti_cooperative_worst : takti_fixed_worst)(set, level, i, TAKT_SATURATED,
                                                                                      &responses_ns[i]);
        }
        statuses[i] = takti_status(answer);
    }
}

enum takt_analysis_status takt_analysis_responses(const struct takt_analysis_set *set, uint64_t *responses_ns,
                                                  enum takt_analysis_status *statuses)
{
    struct takti_level level = {0, 0};

    if (!takti_set_valid(set)) {
        return TAKT_ANALYSIS_INVALID;
    }
    for (size_t first = 0; first < set->task_count; first = level.end) {
        struct takti_run run;

        level = takti_level_at(set, first);
        for (size_t i = first; i < level.end; i++) {
            statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
        }
        if (set->tasks[first].period_ns != 0) {
            run = takti_run_init(set, level.end);
            if (!takti_overloaded(&run)) {
                takti_level_respond(set, level, responses_ns, statuses);
            }
        }
    }
    return TAKT_ANALYSIS_OK;
}
