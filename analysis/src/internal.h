/* SPDX-License-Identifier: Apache-2.0 */
/* Private declarations that the files of the analysis share. */
#ifndef TAKT_ANALYSIS_INTERNAL_H
#define TAKT_ANALYSIS_INTERNAL_H

#include "base/arith.h"
#include "takt/analysis.h"

/** A search stops above this time, so that time + jitter never wraps. */
#define TAKTA_HORIZON_NS (UINT64_C(1) << 63)

#define TAKTA_NO_TASK SIZE_MAX

#pragma GCC visibility push(hidden) /* a shared library calls them directly */

/** How a search for a fixed point ended. */
enum takta_answer {
    TAKTA_FOUND,
    TAKTA_BEYOND,   /**< above the caller's limit: the deadline is missed */
    TAKTA_LIMIT,    /**< iterations ran out */
    TAKTA_OVERFLOW, /**< above TAKTA_HORIZON_NS */
};

/** The tasks of one level: set->tasks[first .. end). */
struct takta_level {
    size_t first;
    size_t end;
};

/** State of one computation (a verdict or a bound). */
struct takta_run {
    const struct takt_analysis_set *set;
    size_t above;        /**< jobs of tasks[0 .. above), none of them background tasks, interfere ... */
    size_t except;       /**< ... except those of this task; TAKTA_NO_TASK: no exception */
    size_t visited;      /**< all tasks that take time, even if only by their releases, are in tasks[0 .. visited) */
    uint32_t iterations; /**< left */
};

/** Bounds of a utilization, with 32 bits after the point: low <= U <= high, equal if U is exact. */
struct takta_utilization {
    uint64_t low;
    uint64_t high;
};

/** a / b. A division of 32-bit numbers is faster on most processors, and much faster on 32-bit ones. */
static inline uint64_t takta_quotient(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}

/** The most arrivals of a task in a window that is span_ns long, both ends included. */
static inline uint64_t takta_arrivals(const struct takt_analysis_task *task, uint64_t span_ns)
{
    uint64_t count = takta_quotient(span_ns, task->period_ns) + 1;

    if (task->burst_more > 0) {
        uint64_t near = task->distance_ns > 0 ? takta_quotient(span_ns, task->distance_ns) + 1 : TAKT_SATURATED;

        count += task->burst_more;
        count = near < count ? near : count;
    }
    return count;
}

/** The earliest time of arrival `number`, counted from that of number 0. */
static inline uint64_t takta_arrival(const struct takt_analysis_task *task, uint64_t number)
{
    uint64_t regular = takt_multiply(takt_subtract(number, task->burst_more), task->period_ns);
    uint64_t near = task->burst_more > 0 ? takt_multiply(number, task->distance_ns) : 0;

    return near < regular ? regular : near;
}

/** Take `steps` from those that the caller's calls share. False: none are left. */
static inline bool takta_spend(const struct takt_analysis_set *set, size_t steps)
{
    if (set->steps != NULL) {
        *set->steps = takt_subtract(*set->steps, steps);
    }
    return set->steps == NULL || *set->steps > 0;
}

/** Check the input against the rules of the public header. */
bool takta_task_valid(const struct takt_analysis_task *task);
bool takta_set_valid(const struct takt_analysis_set *set);

/** The level that begins at `first`. */
struct takta_level takta_level_at(const struct takt_analysis_set *set, size_t first);

/** A new computation with all iterations left, in which the jobs of tasks[0 .. above) interfere. */
struct takta_run takta_run_init(const struct takt_analysis_set *set, size_t above);

/** Longest time that interrupts, releases and interfering jobs can take in the first window_ns > 0 of a busy period. */
uint64_t takta_interference(const struct takta_run *run, uint64_t window_ns);

/** Find the least time = own_ns + interference(time), starting from *time_ns > 0, which must not exceed it, and store
 * it there. BEYOND as soon as it is known to be greater than ceiling_ns.
 */
enum takta_answer takta_settle(struct takta_run *run, uint64_t own_ns, uint64_t ceiling_ns, uint64_t *time_ns);

/** Add cost / period to `sum`; returns an upper bound of what was added. */
uint64_t takta_utilization_add(struct takta_utilization *sum, uint64_t cost_ns, uint64_t period_ns);

/** True if U > 1 for certain. */
bool takta_utilization_exceeds_one(const struct takta_utilization *sum);

/** True if the interference in `run` certainly exceeds the whole processor. */
bool takta_overloaded(const struct takta_run *run);

/** Compare the share of the processor that interference takes with 1, by sums with 64 bits after the point: -1: it is
 * no more for certain, 1: it is more for certain. */
int takta_load_compare(const struct takta_run *run);

/** The least common multiple of all periods in `run`. */
struct takta_cycle {
    uint64_t length_ns;
    bool overloaded; /**< exactly, unlike takta_overloaded */
};

/** Find it, if it has at most set->cycle_jobs jobs and interrupts. What arrives in a window > 0 and in one that is a
 *  cycle longer differs by what arrives in a cycle. So at a load of at most 1, what holds for two cycles holds for
 * ever: if x is complete at s >= one cycle, then x and what a cycle adds to it are at s + one cycle. */
bool takta_cycle_of(const struct takta_run *run, struct takta_cycle *cycle);

/** Jobs of a task that arrive at this time or later respond no later than those before, in the fixed level that ends
 *  before `end`; TAKT_SATURATED: unknown. It is one cycle: the job that comes a cycle after another is complete a cycle
 *  after it or earlier, as in that time its task's jobs and all that interferes add no more than a cycle. */
uint64_t takta_arrivals_end(const struct takt_analysis_set *set, size_t end);

/** The same set with as many iterations as searches over two cycles may take. */
struct takt_analysis_set takta_patient(const struct takt_analysis_set *set);

/** Longest delay of a task by execution of lower priority: owners of mutexes, locked sections of the kernel. */
static inline uint64_t takta_blocking(const struct takt_analysis_set *set, const struct takt_analysis_task *task)
{
    return takt_add(task->blocking_ns, set->lock_ns);
}

/** Results of the fixed levels so far that the levels below use. */
struct takta_descent {
    size_t releasing;     /**< all tasks with a release cost are in tasks[0 .. releasing), background tasks aside */
    uint64_t claimed_ns;  /**< execution up to the first completion of a task above, its blocking excluded; or 0 */
    uint64_t blocking_ns; /**< of that task */
};

/** Initial value, before the first level. */
struct takta_descent takta_descent_init(const struct takt_analysis_set *set);

/** Longest response of tasks[task], in the fixed `level`; BEYOND as soon as one exceeds stop_ns. */
enum takta_answer takta_fixed_worst(const struct takt_analysis_set *set, struct takta_level level, size_t task,
                                    uint64_t stop_ns, struct takta_descent *descent, uint64_t *worst_ns);

/** The same when jobs do not preempt each other. */
enum takta_answer takta_cooperative_worst(const struct takt_analysis_set *set, struct takta_level level, size_t task,
                                          uint64_t stop_ns, uint64_t *worst_ns);

/** True if a job of an edf level can be released after its deadline. The level is infeasible then, and its responses
 *  are bounded as those of a fixed level with one priority, which holds for any order of its tasks. */
bool takta_late_release(const struct takt_analysis_set *set, struct takta_level level);

/** The number of tasks that are not background tasks. */
size_t takta_recurring(const struct takt_analysis_set *set);

/** True if tasks[0 .. end), the interrupts and the releases overload the processor. */
bool takta_crowded(const struct takt_analysis_set *set, size_t end);

/** Bound the responses of some tasks of a level, of an edf level all. None is a background task, and with the levels
 *  above they do not overload the processor. */
void takta_tasks_respond(const struct takt_analysis_set *set, struct takta_level level, struct takta_level tasks,
                         struct takta_descent *descent, uint64_t *responses_ns, enum takt_analysis_status *statuses);

/** Verdict of an edf level. `reason` (may be NULL) gets the numbers of a refutation. */
enum takt_analysis_verdict takta_edf_judge(const struct takt_analysis_set *set, struct takta_level level,
                                           struct takt_analysis_reason *reason);

/** Longest response of each task of an edf level: worst_ns[level.first .. level.end). */
enum takta_answer takta_edf_worst(const struct takt_analysis_set *set, struct takta_level level, uint64_t *worst_ns);

/** Deadline of the earliest job in a busy period: it is released at its start, with its whole jitter behind it. */
static inline uint64_t takta_edf_first(const struct takt_analysis_task *task)
{
    return task->deadline_ns - task->jitter_ns;
}

/** Blocking of the jobs with deadlines up to time_ns, which is >= the earliest deadline of the level.
 *  It is the same for all times from *since_ns on.
 */
uint64_t takta_edf_blocking(const struct takt_analysis_set *set, struct takta_level level, uint64_t time_ns,
                            uint64_t *since_ns);

/** Greatest blocking of any deadline in the level. */
uint64_t takta_edf_blocking_max(const struct takt_analysis_set *set, struct takta_level level);

#pragma GCC visibility pop

#endif
