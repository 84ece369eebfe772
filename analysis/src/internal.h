/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the analysis share. Nothing here is for callers. */
#ifndef TAKT_ANALYSIS_INTERNAL_H
#define TAKT_ANALYSIS_INTERNAL_H

#include "base/arith.h"
#include "takt/analysis.h"

/** Times above this are given up, so that time + jitter never wraps. */
#define TAKTI_HORIZON_NS (UINT64_C(1) << 63)

#define TAKTI_NO_TASK SIZE_MAX

#pragma GCC visibility push(hidden) /* a shared library calls them directly */

/** How a search for a fixed point ended. */
enum takti_answer {
    TAKTI_FOUND,
    TAKTI_BEYOND,   /**< above the caller's ceiling: a refutation */
    TAKTI_LIMIT,    /**< iterations ran out */
    TAKTI_OVERFLOW, /**< above TAKTI_HORIZON_NS */
};

/** The tasks of one level: set->tasks[first .. end). */
struct takti_level {
    size_t first;
    size_t end;
};

/** One judgement or bound under way. */
struct takti_run {
    const struct takt_analysis_set *set;
    size_t above;        /**< jobs of tasks[0 .. above), all of which recur, interfere ... */
    size_t except;       /**< ... but for those of this task; TAKTI_NO_TASK: all do */
    size_t visited;      /**< all that take time, if only by their releases, lie in tasks[0 .. visited); they recur */
    uint32_t iterations; /**< left */
};

/** Bounds of a utilization, with 32 bits after the point: low <= U <= high, equal if U is exact. */
struct takti_utilization {
    uint64_t low;
    uint64_t high;
};

/** a / b. With 32 bits it is faster on most processors, and much faster on those that have no more. */
static inline uint64_t takti_quotient(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}

/** Look at the rules written in the public header. */
bool takti_set_valid(const struct takt_analysis_set *set);

/** The level that begins at `first`. */
struct takti_level takti_level_at(const struct takt_analysis_set *set, size_t first);

/** A run with a full count of iterations in which the jobs of tasks[0 .. above) interfere, all of which recur. */
struct takti_run takti_run_init(const struct takt_analysis_set *set, size_t above);

/** Time that interrupts, releases and interfering jobs can claim in the first window_ns > 0 of a busy period. */
uint64_t takti_interference(const struct takti_run *run, uint64_t window_ns);

/** Least time = own_ns + interference(time), searched from *time_ns > 0, which it must not be below; stored there.
 *  BEYOND as soon as it is known to be greater than ceiling_ns.
 */
enum takti_answer takti_settle(struct takti_run *run, uint64_t own_ns, uint64_t ceiling_ns, uint64_t *time_ns);

/** Add cost / period to `sum`; returns an upper bound of what was added. */
uint64_t takti_utilization_add(struct takti_utilization *sum, uint64_t cost_ns, uint64_t period_ns);

/** True if U > 1 for certain. */
bool takti_utilization_exceeds_one(const struct takti_utilization *sum);

/** True if everything that interferes in `run` needs more than the whole processor, for certain. */
bool takti_overloaded(const struct takti_run *run);

/** Longest delay of a task by what should run later: mutex holders, the kernel's locked sections. */
static inline uint64_t takti_blocking(const struct takt_analysis_set *set, const struct takt_analysis_task *task)
{
    return takt_add(task->blocking_ns, set->lock_ns);
}

/** What the fixed levels tell those below them, when a set is looked at level by level. */
struct takti_descent {
    size_t releasing; /**< all tasks with a release cost that recur lie in tasks[0 .. releasing) */
    uint64_t
        claimed_ns; /**< by the first completion of a task above: all that runs until then but its blocking; or 0 */
    uint64_t blocking_ns; /**< of that task */
};

/** Before the first level. */
struct takti_descent takti_descent_init(const struct takt_analysis_set *set);

/** Longest response of tasks[task], in the fixed `level`; BEYOND as soon as one exceeds stop_ns. */
enum takti_answer takti_fixed_worst(const struct takt_analysis_set *set, struct takti_level level, size_t task,
                                    uint64_t stop_ns, struct takti_descent *descent, uint64_t *worst_ns);

/** The same when jobs do not preempt each other. */
enum takti_answer takti_cooperative_worst(const struct takt_analysis_set *set, struct takti_level level, size_t task,
                                          uint64_t stop_ns, uint64_t *worst_ns);

/** Judge an edf level. `reason` (may be NULL) gets the numbers of a refutation. */
enum takt_analysis_verdict takti_edf_judge(const struct takt_analysis_set *set, struct takti_level level,
                                           struct takt_analysis_reason *reason);

/** Longest response of each task of an edf level: worst_ns[level.first .. level.end). */
enum takti_answer takti_edf_worst(const struct takt_analysis_set *set, struct takti_level level, uint64_t *worst_ns);

/** Deadline of the earliest job after a busy period begins: released at once, jitter used up. */
static inline uint64_t takti_edf_first(const struct takt_analysis_task *task)
{
    return task->deadline_ns - task->jitter_ns;
}

/** Blocking of the jobs with deadlines up to time_ns, which is >= the earliest deadline of the level.
 *  It is the same for all times from *since_ns on.
 */
uint64_t takti_edf_blocking(const struct takt_analysis_set *set, struct takti_level level, uint64_t time_ns,
                            uint64_t *since_ns);

/** Greatest blocking of any deadline in the level. */
uint64_t takti_edf_blocking_max(const struct takt_analysis_set *set, struct takti_level level);

#pragma GCC visibility pop

#endif
