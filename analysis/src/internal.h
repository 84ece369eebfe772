/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the analysis share. Nothing here is for callers. */
#ifndef TAKT_ANALYSIS_INTERNAL_H
#define TAKT_ANALYSIS_INTERNAL_H

#include "base/arith.h"
#include "takt/analysis.h"

/** Times above this are given up, so that time + jitter never wraps. */
#define TAKTA_HORIZON_NS (UINT64_C(1) << 63)

#define TAKTA_NO_TASK SIZE_MAX

#pragma GCC visibility push(hidden) /* a shared library calls them directly */

/** How a search for a fixed point ended. */
enum takta_answer {
    TAKTA_FOUND,
    TAKTA_BEYOND,   /**< above the caller's ceiling: a refutation */
    TAKTA_LIMIT,    /**< iterations ran out */
    TAKTA_OVERFLOW, /**< above TAKTA_HORIZON_NS */
};

/** The tasks of one level: set->tasks[first .. end). */
struct takta_level {
    size_t first;
    size_t end;
};

/** One judgement or bound under way. */
struct takta_run {
    const struct takt_analysis_set *set;
    size_t above;        /**< jobs of tasks[0 .. above), all of which recur, interfere ... */
    size_t except;       /**< ... but for those of this task; TAKTA_NO_TASK: all do */
    size_t visited;      /**< all that take time, if only by their releases, lie in tasks[0 .. visited); they recur */
    uint32_t iterations; /**< left */
};

/** Bounds of a utilization, with 32 bits after the point: low <= U <= high, equal if U is exact. */
struct takta_utilization {
    uint64_t low;
    uint64_t high;
};

/** a / b. With 32 bits it is faster on most processors, and much faster on those that have no more. */
static inline uint64_t takta_quotient(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 == 0 ? (uint32_t)a / (uint32_t)b : a / b;
}

/** Look at the rules written in the public header. */
bool takta_set_valid(const struct takt_analysis_set *set);

/** The level that begins at `first`. */
struct takta_level takta_level_at(const struct takt_analysis_set *set, size_t first);

/** A run with a full count of iterations in which the jobs of tasks[0 .. above) interfere, all of which recur. */
struct takta_run takta_run_init(const struct takt_analysis_set *set, size_t above);

/** Time that interrupts, releases and interfering jobs can claim in the first window_ns > 0 of a busy period. */
uint64_t takta_interference(const struct takta_run *run, uint64_t window_ns);

/** Least time = own_ns + interference(time), searched from *time_ns > 0, which it must not be below; stored there.
 *  BEYOND as soon as it is known to be greater than ceiling_ns.
 */
enum takta_answer takta_settle(struct takta_run *run, uint64_t own_ns, uint64_t ceiling_ns, uint64_t *time_ns);

/** Add cost / period to `sum`; returns an upper bound of what was added. */
uint64_t takta_utilization_add(struct takta_utilization *sum, uint64_t cost_ns, uint64_t period_ns);

/** True if U > 1 for certain. */
bool takta_utilization_exceeds_one(const struct takta_utilization *sum);

/** True if everything that interferes in `run` needs more than the whole processor, for certain. */
bool takta_overloaded(const struct takta_run *run);

/** Longest delay of a task by what should run later: mutex holders, the kernel's locked sections. */
static inline uint64_t takta_blocking(const struct takt_analysis_set *set, const struct takt_analysis_task *task)
{
    return takt_add(task->blocking_ns, set->lock_ns);
}

/** What the fixed levels tell those below them, when a set is looked at level by level. */
struct takta_descent {
    size_t releasing; /**< all tasks with a release cost that recur lie in tasks[0 .. releasing) */
    uint64_t
        claimed_ns; /**< by the first completion of a task above: all that runs until then but its blocking; or 0 */
    uint64_t blocking_ns; /**< of that task */
};

/** Before the first level. */
struct takta_descent takta_descent_init(const struct takt_analysis_set *set);

/** Longest response of tasks[task], in the fixed `level`; BEYOND as soon as one exceeds stop_ns. */
enum takta_answer takta_fixed_worst(const struct takt_analysis_set *set, struct takta_level level, size_t task,
                                    uint64_t stop_ns, struct takta_descent *descent, uint64_t *worst_ns);

/** The same when jobs do not preempt each other. */
enum takta_answer takta_cooperative_worst(const struct takt_analysis_set *set, struct takta_level level, size_t task,
                                          uint64_t stop_ns, uint64_t *worst_ns);

/** Judge an edf level. `reason` (may be NULL) gets the numbers of a refutation. */
enum takt_analysis_verdict takta_edf_judge(const struct takt_analysis_set *set, struct takta_level level,
                                           struct takt_analysis_reason *reason);

/** Longest response of each task of an edf level: worst_ns[level.first .. level.end). */
enum takta_answer takta_edf_worst(const struct takt_analysis_set *set, struct takta_level level, uint64_t *worst_ns);

/** Deadline of the earliest job after a busy period begins: released at once, jitter used up. */
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
