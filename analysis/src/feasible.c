/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the input, and feasibility level by level. */
#include "internal.h"

static bool takta_time_valid(uint64_t time_ns)
{
    return time_ns <= TAKT_ANALYSIS_TIME_MAX_NS;
}

bool takta_task_valid(const struct takt_analysis_task *task)
{
    bool recurs = task->period_ns != 0;

    return takta_time_valid(task->wcet_ns) && takta_time_valid(task->period_ns) &&
           takta_time_valid(task->release_cost_ns) && takta_time_valid(task->blocking_ns) &&
           task->order <= TAKT_ANALYSIS_DEADLINE &&
           (!recurs || (takta_time_valid(task->deadline_ns) && takta_time_valid(task->jitter_ns) &&
                        task->deadline_ns > 0 && task->distance_ns <= task->period_ns));
}

/* Levels descend, one order in each, background tasks last. */
static bool takta_follows(const struct takt_analysis_task *last, const struct takt_analysis_task *task)
{
    bool same_level = last->level == task->level, same_kind = (last->period_ns == 0) == (task->period_ns == 0);

    if (same_level) {
        return same_kind && last->order == task->order;
    }
    return last->level < task->level && (last->period_ns != 0 || task->period_ns == 0);
}

bool takta_set_valid(const struct takt_analysis_set *set)
{
    for (size_t i = 0; i < set->interrupt_count; i++) {
        const struct takt_analysis_interrupt *interrupt = &set->interrupts[i];

        if (!takta_time_valid(interrupt->wcet_ns) || !takta_time_valid(interrupt->min_interarrival_ns) ||
            interrupt->min_interarrival_ns == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < set->task_count; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];

        if (!takta_task_valid(task) || (i > 0 && !takta_follows(task - 1, task)) ||
            (set->cooperative && task->order != TAKT_ANALYSIS_EQUAL)) {
            return false;
        }
    }
    return takta_time_valid(set->lock_ns);
}

struct takta_level takta_level_at(const struct takt_analysis_set *set, size_t first)
{
    struct takta_level level = {first, first};

    while (level.end < set->task_count && set->tasks[level.end].level == set->tasks[first].level) {
        level.end++;
    }
    return level;
}

static enum takta_answer takta_worst(const struct takt_analysis_set *set, struct takta_level level, size_t task,
                                     struct takta_descent *descent)
{
    uint64_t deadline = set->tasks[task].deadline_ns, worst;

    return set->cooperative ? takta_cooperative_worst(set, level, task, deadline, &worst)
                            : takta_fixed_worst(set, level, task, deadline, descent, &worst);
}

/* The same search once more, as long as two cycles may take; `answer` if they are too long. */
static __attribute__((noinline)) enum takta_answer takta_worst_of_cycle(const struct takt_analysis_set *set,
                                                                        struct takta_level level, size_t task,
                                                                        enum takta_answer answer)
{
    struct takt_analysis_set patient = takta_patient(set);
    struct takta_descent descent = takta_descent_init(set);
    struct takta_run run = takta_run_init(set, level.end);
    struct takta_cycle cycle;

    if (!takta_cycle_of(&run, &cycle)) {
        return answer;
    }
    return cycle.overloaded ? TAKTA_BEYOND : takta_worst(&patient, level, task, &descent);
}

/* A task of a fixed level. If its deadline exceeds its period, or if it is not preempted, a later job than the first
 * may be the late one, and with a load above 1 there is no last job to examine. */
static enum takt_analysis_verdict takta_fixed_judge(const struct takt_analysis_set *set, struct takta_level level,
                                                    size_t task, struct takta_descent *descent)
{
    const struct takt_analysis_task *self = &set->tasks[task];
    struct takta_run run = takta_run_init(set, level.end);
    enum takta_answer answer;

    if ((set->cooperative || self->deadline_ns > takta_arrival(self, 1)) && takta_overloaded(&run)) {
        return TAKT_ANALYSIS_INFEASIBLE;
    }
    answer = takta_worst(set, level, task, descent);
    if (answer == TAKTA_LIMIT || answer == TAKTA_OVERFLOW) {
        answer = takta_worst_of_cycle(set, level, task, answer);
    }
    return answer == TAKTA_FOUND    ? TAKT_ANALYSIS_FEASIBLE
           : answer == TAKTA_BEYOND ? TAKT_ANALYSIS_INFEASIBLE
                                    : TAKT_ANALYSIS_UNDECIDED;
}

bool takta_late_release(const struct takt_analysis_set *set, struct takta_level level)
{
    bool late = false;

    for (size_t i = level.first; i < level.end && set->tasks[i].order == TAKT_ANALYSIS_DEADLINE; i++) {
        late |= set->tasks[i].jitter_ns >= set->tasks[i].deadline_ns;
    }
    return late;
}

/* Verdict of tasks[task] in its level; of an edf level for all of its tasks. */
static enum takt_analysis_verdict takta_task_judge(const struct takt_analysis_set *set, struct takta_level level,
                                                   size_t task, struct takta_descent *descent,
                                                   struct takt_analysis_reason *reason)
{
    if (set->tasks[task].period_ns == 0) {
        return TAKT_ANALYSIS_FEASIBLE;
    }
    if (takta_late_release(set, level)) {
        return TAKT_ANALYSIS_INFEASIBLE;
    }
    if (set->tasks[task].order == TAKT_ANALYSIS_DEADLINE) {
        return takta_edf_judge(set, level, reason);
    }
    return takta_fixed_judge(set, level, task, descent);
}

enum takt_analysis_status takt_analysis_feasible(const struct takt_analysis_set *set,
                                                 enum takt_analysis_verdict *verdict,
                                                 enum takt_analysis_verdict *verdicts,
                                                 struct takt_analysis_reason *reason)
{
    struct takta_level level = {0, 0};
    struct takta_descent descent;

    *verdict = TAKT_ANALYSIS_UNDECIDED;
    if (!takta_set_valid(set)) {
        return TAKT_ANALYSIS_INVALID;
    }
    descent = takta_descent_init(set);
    *verdict = TAKT_ANALYSIS_FEASIBLE;
    if (reason) {
        *reason = (struct takt_analysis_reason){.task = set->task_count};
    }
    for (size_t task = 0; task < set->task_count && (verdicts || *verdict == TAKT_ANALYSIS_FEASIBLE);) {
        struct takt_analysis_reason found = {.task = task};
        enum takt_analysis_verdict one;
        size_t shared = 1;

        level = task < level.end ? level : takta_level_at(set, task);
        one = takta_task_judge(set, level, task, &descent, reason ? &found : NULL);
        if (set->tasks[task].order == TAKT_ANALYSIS_DEADLINE) {
            shared = level.end - task;
        }
        for (size_t i = 0; verdicts && i < shared; i++) {
            verdicts[task + i] = one;
        }
        if (one > *verdict) {
            *verdict = one;
            if (reason) {
                *reason = found;
            }
        }
        task += shared;
    }
    return TAKT_ANALYSIS_OK;
}

/* True if a level begins at `index`, or the list ends there. */
static bool takta_level_border(const struct takt_analysis_set *set, size_t index)
{
    return index == 0 || index == set->task_count ||
           (index < set->task_count && set->tasks[index].level != set->tasks[index - 1].level);
}

enum takt_analysis_status takt_analysis_part(const struct takt_analysis_set *set, size_t first, size_t end,
                                             enum takt_analysis_verdict *verdict, size_t *failing)
{
    struct takta_descent descent;

    *verdict = TAKT_ANALYSIS_UNDECIDED;
    *failing = first;
    if (!takta_set_valid(set) || end < first || !takta_level_border(set, first) || !takta_level_border(set, end)) {
        return TAKT_ANALYSIS_INVALID;
    }
    descent = takta_descent_init(set);
    *verdict = TAKT_ANALYSIS_FEASIBLE;
    while (*failing < end) {
        struct takta_level level = takta_level_at(set, *failing);
        bool shared = set->tasks[*failing].order == TAKT_ANALYSIS_DEADLINE;

        for (size_t task = level.first; task < (shared ? level.first + 1 : level.end); task++) {
            *verdict = takta_task_judge(set, level, task, &descent, NULL);
            if (*verdict != TAKT_ANALYSIS_FEASIBLE) {
                *failing = task;
                return TAKT_ANALYSIS_OK;
            }
        }
        *failing = level.end;
    }
    return TAKT_ANALYSIS_OK;
}
