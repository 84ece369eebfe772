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
        uint64_t first = takta_edf_first(task), count = first <= time_ns ? takta_arrivals(task, time_ns - first) : 0;

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
            uint64_t number = takta_arrivals(&set->tasks[i], time_ns - first) - 1;
            uint64_t deadline = first + takta_arrival(&set->tasks[i], number);

            last = last < deadline ? deadline : last;
        }
    }
    return last;
}

/* An upper bound of all refuting deadlines, without a search for a fixed point: at a refuting t, t < dbf(t) + B +
 * rbf(t), and each term is at most U (t + a constant), so t < excess / (1 - U). TAKT_SATURATED if there is no such
 * bound. 0 if no job adds to that constant and U <= 1: deadlines of at least the periods, on a processor of their own.
 * Sums up U as well. */
static uint64_t takta_edf_bound(const struct takt_analysis_set *set, struct takta_level level,
                                struct takta_utilization *sum)
{
    struct takta_run run = takta_run_init(set, level.end);
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
        uint64_t at_once = takt_multiply(above, 1 + (uint64_t)task->burst_more);

        excess =
            takt_add(excess, takt_add(takt_multiply(at_once, TAKT_RATIO_ONE), takt_multiply(share, task->jitter_ns)));
        if (level.first <= i && i < level.end) {
            share = takta_utilization_add(sum, task->wcet_ns, task->period_ns);
            at_once = takt_multiply(task->wcet_ns, task->burst_more);
            excess = takt_add(excess, takt_multiply(share, takt_subtract(task->period_ns, takta_edf_first(task))));
            excess = takt_add(excess, takt_multiply(at_once, TAKT_RATIO_ONE));
        }
    }
    if (excess == 0 && (sum->high <= TAKT_RATIO_ONE || takta_load_compare(&run) < 0)) {
        return 0;
    }
    if (excess == TAKT_SATURATED || sum->high >= TAKT_RATIO_ONE) {
        return TAKT_SATURATED;
    }
    return excess / (TAKT_RATIO_ONE - sum->high);
}

/* The last time that must be looked at, by the cycle: a refuted deadline after the first ones of all tasks and after
 * one cycle has another that is refuted a cycle before it. */
static uint64_t takta_edf_cycle_end(const struct takt_analysis_set *set, struct takta_level level,
                                    const struct takta_cycle *cycle)
{
    uint64_t last = cycle->length_ns;

    for (size_t i = level.first; i < level.end; i++) {
        uint64_t first = takta_edf_first(&set->tasks[i]);

        last = last < first ? first : last;
    }
    return takt_add(last, cycle->length_ns);
}

/* Start of the search: every refuted deadline is at or before *end_ns. */
static enum takt_analysis_verdict takta_edf_search_end(const struct takt_analysis_set *set, struct takta_level level,
                                                       uint64_t *end_ns)
{
    struct takta_utilization sum = {0, 0};
    struct takta_run run = takta_run_init(set, level.end);
    struct takta_cycle cycle;
    uint64_t busy = 1;

    *end_ns = takta_edf_bound(set, level, &sum);
    if (takta_utilization_exceeds_one(&sum) || (sum.high > TAKT_RATIO_ONE && takta_load_compare(&run) > 0)) {
        return TAKT_ANALYSIS_INFEASIBLE;
    }
    if (*end_ns == 0 || (*end_ns != TAKT_SATURATED && sum.high <= TAKT_RATIO_ONE - TAKT_RATIO_ONE / 16)) {
        return TAKT_ANALYSIS_FEASIBLE;
    }
    /* Near full load that bound is large, and the busy period is mostly shorter, or two cycles are. */
    if (takta_cycle_of(&run, &cycle)) {
        uint64_t end = takta_edf_cycle_end(set, level, &cycle);

        *end_ns = end < *end_ns ? end : *end_ns;
        if (cycle.overloaded) {
            return TAKT_ANALYSIS_INFEASIBLE;
        }
    }
    if (takta_settle(&run, takta_edf_blocking_max(set, level), *end_ns, &busy) == TAKTA_FOUND && busy < *end_ns) {
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

/* The first deadline of the level after time_ns. */
static uint64_t takta_edf_deadline_after(const struct takt_analysis_set *set, struct takta_level level,
                                         uint64_t time_ns)
{
    uint64_t next = TAKT_SATURATED;

    for (size_t i = level.first; i < level.end; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t first = takta_edf_first(task), number = first > time_ns ? 0 : takta_arrivals(task, time_ns - first);
        uint64_t deadline = takt_add(first, takta_arrival(task, number));

        next = deadline < next ? deadline : next;
    }
    return next;
}

/* The same verdict from the first deadline up to end_ns, in as many sums as deadlines and arrivals, and once more these
 * for each task with less blocking than one before it. */
static __attribute__((noinline)) enum takt_analysis_verdict takta_edf_sweep(const struct takt_analysis_set *set,
                                                                            struct takta_level level, uint64_t end_ns,
                                                                            struct takt_analysis_reason *reason)
{
    struct takt_analysis_set patient = takta_patient(set);
    struct takta_run run = takta_run_init(&patient, level.first);
    uint64_t time = takta_edf_deadline_after(set, level, 0), finish = 1, last = 0, since;

    while (time <= end_ns) {
        uint64_t blocking = takta_edf_blocking(set, level, time, &since);
        uint64_t demand = takt_add(takta_edf_demand(set, level, time), blocking);
        enum takta_answer answer;

        if (!takta_spend(set, 3 * (level.end - level.first))) {
            return TAKT_ANALYSIS_UNDECIDED;
        }
        finish = blocking < last ? 1 : finish;
        finish = finish < demand ? demand : finish;
        last = blocking;
        answer = takta_settle(&run, demand, time, &finish);
        if (answer == TAKTA_BEYOND) {
            if (reason) {
                takta_edf_explain(set, level, time, reason);
            }
            return TAKT_ANALYSIS_INFEASIBLE;
        }
        if (answer != TAKTA_FOUND) {
            return TAKT_ANALYSIS_UNDECIDED;
        }
        time = takta_edf_deadline_after(set, level, time);
    }
    return TAKT_ANALYSIS_FEASIBLE;
}

/* The verdict in QPA steps. *end_ns: every refuted deadline is at or before it. */
static __attribute__((noinline)) enum takt_analysis_verdict takta_edf_steps(const struct takt_analysis_set *set,
                                                                            struct takta_level level, uint64_t *end_ns,
                                                                            struct takt_analysis_reason *reason)
{
    struct takta_run run = takta_run_init(set, level.first);
    uint64_t time, since;
    enum takt_analysis_verdict verdict = takta_edf_search_end(set, level, &time);

    if (verdict != TAKT_ANALYSIS_FEASIBLE) {
        return verdict;
    }
    *end_ns = time;
    for (time = takta_edf_deadline_until(set, level, time); time > 0;) {
        uint64_t demand = takt_add(takta_edf_demand(set, level, time), takta_edf_blocking(set, level, time, &since));
        uint64_t finish = demand > 0 ? demand : 1;
        enum takta_answer answer = takta_settle(&run, demand, time, &finish);

        if (!takta_spend(set, 3 * (level.end - level.first))) {
            return TAKT_ANALYSIS_UNDECIDED;
        }
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

enum takt_analysis_verdict takta_edf_judge(const struct takt_analysis_set *set, struct takta_level level,
                                           struct takt_analysis_reason *reason)
{
    struct takta_run run;
    struct takta_cycle cycle;
    uint64_t end = 0;
    enum takt_analysis_verdict verdict = takta_edf_steps(set, level, &end, reason);

    if (verdict != TAKT_ANALYSIS_UNDECIDED || end == 0) {
        return verdict;
    }
    run = takta_run_init(set, level.end);
    return takta_cycle_of(&run, &cycle) ? takta_edf_sweep(set, level, end, reason) : verdict;
}
