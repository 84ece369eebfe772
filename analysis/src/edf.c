/* SPDX-License-Identifier: Apache-2.0 */
/* Feasibility of an edf level: its demand compared with the least time that higher levels leave, in QPA steps. */
#include "internal.h"

uint64_t takta_edf_blocking(const struct takt_analysis_set *set, struct takta_level level, uint64_t time_ns,
                            uint64_t *since_ns)
{
    uint64_t blocking = 0;

    *since_ns = 0;
    for (size_t i = level.first; i < level.end; i++) {
        uint64_t first = takta_edf_first(&set->tasks[i]);

        if (first <= time_ns && first >= *since_ns) {
            *since_ns = first;
            blocking = takta_blocking(set, &set->tasks[i]);
        }
    }
    return blocking;
}

uint64_t takta_edf_blocking_max(const struct takt_analysis_set *set, struct takta_level level)
{
    uint64_t longest = 0;

    for (size_t i = level.first; i < level.end; i++) {
        uint64_t blocking = takta_blocking(set, &set->tasks[i]);

        longest = longest < blocking ? blocking : longest;
    }
    return longest;
}

/* Execution of the level's jobs released in a busy period with deadlines up to time_ns. */
static uint64_t takta_edf_demand(const struct takt_analysis_set *set, struct takta_level level, uint64_t time_ns)
{
    uint64_t sum = 0;

    for (size_t i = level.first; i < level.end; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t count = takt_count_until(time_ns, takta_edf_first(task), task->period_ns);

        sum = takt_add(sum, takt_multiply(count, task->wcet_ns));
    }
    return sum;
}

/* The last deadline of the level <= time_ns; 0 if there is none. */
static uint64_t takta_edf_deadline_until(const struct takt_analysis_set *set, struct takta_level level,
                                         uint64_t time_ns)
{
    uint64_t last = 0;

    for (size_t i = level.first; i < level.end; i++) {
        uint64_t first = takta_edf_first(&set->tasks[i]);

        if (first <= time_ns) {
            uint64_t deadline = time_ns - (time_ns - first) % set->tasks[i].period_ns;

            last = last < deadline ? deadline : last;
        }
    }
    return last;
}

/* An upper bound of all refuting deadlines, without a search for a fixed point: at a refuting t, t < dbf(t) + B +
 * rbf(t), and each term is at most U (t + a constant), so t < excess / (1 - U). TAKT_SATURATED if there is no such
 * bound. Sums up U as well. */
static uint64_t takta_edf_bound(const struct takt_analysis_set *set, struct takta_level level,
                                struct takta_utilization *sum)
{
    uint64_t excess = takt_multiply(takta_edf_blocking_max(set, level), TAKT_RATIO_ONE);

    for (size_t i = 0; i < set->interrupt_count; i++) {
        const struct takt_analysis_interrupt *interrupt = &set->interrupts[i];

        takta_utilization_add(sum, interrupt->wcet_ns, interrupt->min_interarrival_ns);
        excess = takt_add(excess, takt_multiply(interrupt->wcet_ns, TAKT_RATIO_ONE));
    }
    for (size_t i = 0; i < set->task_count && set->tasks[i].period_ns != 0; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t above = task->release_cost_ns + (i < level.first ? task->wcet_ns : 0);
        uint64_t share = takta_utilization_add(sum, above, task->period_ns);

        excess =
            takt_add(excess, takt_add(takt_multiply(above, TAKT_RATIO_ONE), takt_multiply(share, task->jitter_ns)));
        if (level.first <= i && i < level.end) {
            share = takta_utilization_add(sum, task->wcet_ns, task->period_ns);
            excess = takt_add(excess, takt_multiply(share, takt_subtract(task->period_ns, takta_edf_first(task))));
        }
    }
    if (excess == TAKT_SATURATED || sum->high >= TAKT_RATIO_ONE) {
        return TAKT_SATURATED;
    }
    return excess / (TAKT_RATIO_ONE - sum->high);
}

/* Start of the search: every refuted deadline is at or before *end_ns. */
static enum takt_analysis_verdict takta_edf_search_end(const struct takt_analysis_set *set, struct takta_level level,
                                                       uint64_t *end_ns)
{
    struct takta_utilization sum = {0, 0};
    struct takta_run run = takta_run_init(set, level.end);
    uint64_t busy = 1;

    *end_ns = takta_edf_bound(set, level, &sum);
    if (takta_utilization_exceeds_one(&sum)) {
        return TAKT_ANALYSIS_INFEASIBLE;
    }
    /* Near full load that bound is large, and the busy period is mostly shorter. */
    if ((*end_ns == TAKT_SATURATED || sum.high > TAKT_RATIO_ONE - TAKT_RATIO_ONE / 16) &&
        takta_settle(&run, takta_edf_blocking_max(set, level), TAKT_SATURATED, &busy) == TAKTA_FOUND &&
        busy < *end_ns) {
        *end_ns = busy;
    }
    return *end_ns == TAKT_SATURATED ? TAKT_ANALYSIS_UNDECIDED : TAKT_ANALYSIS_FEASIBLE;
}

/* Fill in the numbers of a refutation. The largest demand that fits is found by bisection, as F is monotone. */
static void takta_edf_explain(const struct takt_analysis_set *set, struct takta_level level, uint64_t time_ns,
                              struct takt_analysis_reason *reason)
{
    uint64_t since, low = 0, high;

    reason->time_ns = takta_edf_deadline_until(set, level, time_ns);
    reason->demand_ns =
        takt_add(takta_edf_demand(set, level, time_ns), takta_edf_blocking(set, level, time_ns, &since));
    high = reason->time_ns < reason->demand_ns ? reason->time_ns : reason->demand_ns;
    while (low < high) {
        struct takta_run run = takta_run_init(set, level.first);
        uint64_t middle = low + (high - low + 1) / 2, finish = middle;

        if (takta_settle(&run, middle, reason->time_ns, &finish) == TAKTA_FOUND) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    reason->available_ns = low;
}

enum takt_analysis_verdict takta_edf_judge(const struct takt_analysis_set *set, struct takta_level level,
                                           struct takt_analysis_reason *reason)
{
    struct takta_run run = takta_run_init(set, level.first);
    uint64_t time, since;
    enum takt_analysis_verdict verdict = takta_edf_search_end(set, level, &time);

    if (verdict != TAKT_ANALYSIS_FEASIBLE) {
        return verdict;
    }
    for (time = takta_edf_deadline_until(set, level, time); time > 0;) {
        uint64_t demand = takt_add(takta_edf_demand(set, level, time), takta_edf_blocking(set, level, time, &since));
        uint64_t finish = demand > 0 ? demand : 1;
        enum takta_answer answer = takta_settle(&run, demand, time, &finish);

        if (answer == TAKTA_BEYOND) {
            if (reason) {
                takta_edf_explain(set, level, time, reason);
            }
            return TAKT_ANALYSIS_INFEASIBLE;
        }
        if (answer != TAKTA_FOUND) {
            return TAKT_ANALYSIS_UNDECIDED;
        }
        /* F is monotone and the blocking the same in [max(finish, since), time]: nothing there is refuted. */
        time = finish < since ? since - 1 : finish < time ? finish : time - 1;
        time = takta_edf_deadline_until(set, level, time);
    }
    return TAKT_ANALYSIS_FEASIBLE;
}
