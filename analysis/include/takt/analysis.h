/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedulability analysis for one processor: feasibility tests, blocking and response-time bounds, for any list of
 * bands.
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never. takt_analysis_feasible may be preempted, so admission at run time calls it
 * with a copy of the task table.
 *
 * A list of bands is a list of *levels*, highest first. Every priority of a fixed band is one level; tasks of
 * the same level there are called equals. An edf band is one level whose jobs run in order of absolute deadline.
 * Interrupts, and the kernel time of every release, have priority over all levels.
 *
 * The verdicts assume that:
 * - jobs of one task run in order of arrival; wcet_ns includes their waits (except waits for declared mutexes) and the
 *   effect of each wait on other tasks (tools/takt/prove/analysis.py adds both);
 * - arrivals of a task lie at least period_ns apart, or come in bursts that keep to it (`burst_more`; Tindell 1994,
 *   Le Boudec and Thiran 2001); a job is released at most jitter_ns after its arrival;
 * - deadlines (also those that order an edf level) and responses are all measured from the arrival, or all from the
 *   release;
 * - offsets are not used: all tasks may arrive together;
 * - critical sections nest properly, and there is no deadlock.
 *
 * Sources: Joseph and Pandya 1986, Audsley et al. 1993, Lehoczky 1990, Sjodin and Hansson 1998 (fixed levels); Spuri
 * 1996 (edf responses); Gonzalez Harbour and Palencia, RTSS 2003 (edf below fixed priorities); Zhang and Burns 2009
 * (QPA); Burns, Wellings and Zhang 2009 (combined tests); George, Rivierre and Spuri 1996, Davis et al. 2007
 * (non-preemptive jobs); Sha, Rajkumar and Lehoczky 1990, Baruah 2006 (blocking); Chen et al. 2019, "Many suspensions,
 * many problems" (waits); Strosnider, Lehoczky and Sha 1995, Ghazalie and Baker 1995, Stanovich et al. 2010 (servers).
 */
#ifndef TAKT_ANALYSIS_H
#define TAKT_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** Longest time accepted in any field: about 146 years. */
#define TAKT_ANALYSIS_TIME_MAX_NS (UINT64_C(1) << 62)

/** Status of a function; determines which results are valid. */
enum takt_analysis_status {
    TAKT_ANALYSIS_OK = 0,
    TAKT_ANALYSIS_INVALID,   /**< the input violates the rule documented at a field; nothing was computed */
    TAKT_ANALYSIS_LIMIT,     /**< `iterations` or `steps` ran out: no bound (response only) */
    TAKT_ANALYSIS_UNBOUNDED, /**< the processor is overloaded: there is no bound (response only) */
    TAKT_ANALYSIS_OVERFLOW,  /**< the result does not fit into 63 bits of nanoseconds (response and blocking only) */
};

enum takt_analysis_verdict {
    TAKT_ANALYSIS_FEASIBLE = 0, /**< every deadline holds */
    TAKT_ANALYSIS_UNDECIDED,    /**< `iterations` or `steps` ran out, or a busy period does not fit into 63 bits. At a
                                   load of exactly 1 with blocking, jitter or deadlines beyond the period it may have
                                   no end: then `cycle_jobs` decides */
    TAKT_ANALYSIS_INFEASIBLE,   /**< refuted; exact for preemptive jobs without blocking, jitter and equals */
};

/** Order among the tasks of one level. */
enum takt_analysis_order {
    TAKT_ANALYSIS_EQUAL = 0, /**< a priority of a fixed band: FIFO or round robin; in the analysis of a task its equals
                                count as higher-priority tasks */
    TAKT_ANALYSIS_DEADLINE,  /**< an edf band */
};

/** A task. All times in ns, each <= TAKT_ANALYSIS_TIME_MAX_NS. */
struct takt_analysis_task {
    uint64_t wcet_ns;     /**< execution of one job, with its waits and the kernel time of its completion */
    uint64_t period_ns;   /**< minimum inter-arrival time; 0: a background task, which delays others only by blocking */
    uint64_t deadline_ns; /**< from the arrival, > 0; may exceed the period; ignored for a background task */
    uint64_t jitter_ns;   /**< longest delay from arrival to release */
    uint64_t release_cost_ns; /**< kernel time per job at the priority of interrupts: its release, its deadline timer */
    uint64_t blocking_ns;     /**< longest delay by jobs that should run later (takt_analysis_blocking); or 0 */
    uint16_t level;           /**< 0 is the highest; not less than that of the previous task in the array */
    uint16_t order;           /**< enum takt_analysis_order; the same for all tasks of a level */
    uint32_t burst_more;      /**< arrivals beyond one that may come at once: a window of x ns has at most burst_more +
                                 ceil(x / period_ns) arrivals */
    uint64_t distance_ns;     /**< between any two arrivals, <= period_ns; 0: period_ns, or none with burst_more */
};

/** An interrupt source; runs above all levels. */
struct takt_analysis_interrupt {
    uint64_t wcet_ns;             /**< with kernel entry and exit if it calls the kernel */
    uint64_t min_interarrival_ns; /**< > 0 */
};

/** A system. */
struct takt_analysis_set {
    const struct takt_analysis_task *tasks; /**< sorted by level, highest first; last the background tasks, in levels
                                               of their own */
    size_t task_count;
    const struct takt_analysis_interrupt *interrupts; /**< NULL: none */
    size_t interrupt_count;
    uint64_t lock_ns;    /**< longest locked section of the kernel: delays every job once per busy period */
    uint32_t iterations; /**< limit of the work per level or response, in sums over all tasks and interrupts */
    bool cooperative;    /**< jobs are not preempted by jobs; then every order is TAKT_ANALYSIS_EQUAL, and a background
                            task's wcet_ns is its longest execution without a yield */
    uint32_t cycle_jobs; /**< where the hyperperiod has no more jobs than that, the search ends after two of them at the
                            latest, and takes up to eight sums more for each of these jobs */
    uint64_t *steps;     /**< NULL, or what all calls with this pointer may still take together: a step is one task's
                            part of a sum. What a call takes is the same on every machine; with 0 left it ends at once,
                            undecided or without bounds. takt_analysis_blocking counts its steps, and ends the same */
};

/** Reason for the verdict infeasible or undecided. */
struct takt_analysis_reason {
    size_t task;           /**< a task of the first infeasible level; task_count if all are feasible */
    uint64_t time_ns;      /**< edf: the demand of the level's jobs with deadlines up to this time does
                                not fit; 0 for other levels and when the level is overloaded */
    uint64_t demand_ns;    /**< edf: that demand, blocking included */
    uint64_t available_ns; /**< edf: the least time that the levels above leave in [0, time_ns] */
};

/** A declared user of a mutex. */
struct takt_analysis_hold {
    uint64_t hold_ns; /**< longest execution from lock to unlock, nested sections included; <= wcet_ns (except for
                         background tasks) */
    uint32_t mutex;   /**< < mutex_count */
    uint32_t task;    /**< index into set->tasks */
    bool alone;     /**< the mutex has a ceiling, and its owner does not wait within the section, nor does the owner of
                       a mutex that it locks there, and so on */
    bool nested;    /**< it may be locked while the task holds another mutex */
    bool fifo;      /**< the mutex goes to the task that has waited longest, not to the best one */
    uint32_t locks; /**< the most calls by which one job locks it, those that time out included; 0: any number */
    size_t next;    /**< private: the next one of the task */
};

/** Work space of takt_analysis_blocking, one per mutex. Private. */
struct takt_analysis_mutex {
    uint64_t locks;
    size_t first;
    size_t end;
    size_t next;
    size_t locker;
    bool urgent;
    bool sure;
    bool counted;
};

/** Work space of takt_analysis_blocking, one per task. Private. */
struct takt_analysis_user {
    size_t first;
    bool nests;
    bool apart;
    bool holds_urgent;
};

/** Judge every level, highest first.
 *
 * `verdict` gets the system's verdict: infeasible if any level is infeasible, else undecided if any is undecided,
 * else feasible. `verdicts` (an array of task_count entries, or NULL) gets the verdict of each task; tasks of an edf
 * level share one (takt_analysis_responses distinguishes them). With NULL the function stops at the first level that is
 * not feasible. `reason` may be NULL. An edf level is judged by F(dbf(t) + B(t)) <= t for every deadline t of its busy
 * period, in QPA steps: dbf(t) is the demand of its jobs with deadlines up to t, rbf(s) that of the levels above with
 * arrivals before s, F(x) the least s that equals x + rbf(s), B(t) the blocking.
 * Bound: at most 2 * set->iterations sums per level, and 8 * set->cycle_jobs more; with a `reason` up to 63 fixed-point
 * searches more per refuted edf level. Stack: under 800 bytes on ARMv7-M, for any number of tasks. Returns OK or
 * INVALID (then all are undecided).
 */
enum takt_analysis_status takt_analysis_feasible(const struct takt_analysis_set *set,
                                                 enum takt_analysis_verdict *verdict,
                                                 enum takt_analysis_verdict *verdicts,
                                                 struct takt_analysis_reason *reason);

/** Judge the levels of tasks[first .. end) alone, highest first, up to the first that is not feasible.
 *
 * For searches over lists of bands: the levels above `first` only interfere, so they need not be feasible or in their
 * final order. `first` and
 * `end` are indices at which a level begins, or task_count. `failing` gets the index of the infeasible task (in an edf
 * level the first task), or `end`. Bound: as takt_analysis_feasible for each level. Returns OK or INVALID (then
 * undecided).
 */
enum takt_analysis_status takt_analysis_part(const struct takt_analysis_set *set, size_t first, size_t end,
                                             enum takt_analysis_verdict *verdict, size_t *failing);

/** Bound the longest time from arrival to completion of any job of each task, whether deadlines are met or not.
 *
 * responses_ns[i] is a bound if statuses[i] is OK, and undefined if it is LIMIT, UNBOUNDED or OVERFLOW; both arrays
 * have task_count entries. Background tasks are UNBOUNDED. Exact (some pattern of arrivals reaches it)
 * if there is no blocking, no jitter, no equals, and jobs are preemptive. Bound: set->iterations sums per task of a
 * fixed level and per edf level. Returns OK or INVALID (then nothing is written).
 */
enum takt_analysis_status takt_analysis_responses(const struct takt_analysis_set *set, uint64_t *responses_ns,
                                                  enum takt_analysis_status *statuses);

/** Work space of takt_analysis_suspended: arrays of task_count entries. Private. */
struct takt_analysis_work {
    struct takt_analysis_task *tasks;
    uint64_t *jitters_ns;
    uint64_t *bounds_ns;
    enum takt_analysis_status *statuses;
};

/** As takt_analysis_responses, for jobs that wait: suspension_ns[i] of tasks[i].wcet_ns is not execution.
 *
 * In a task's own response its waits count as execution. What it takes from the levels below is the least of sound
 * bounds: its waits are execution, or its jobs execute wcet_ns - suspension_ns and are released with the jitter
 * response - wcet_ns + suspension_ns (Chen et al. 2019, section 4). One of both for all tasks above, or a mixture
 * (Chen, Nelissen and Huang 2016, where each task may have its own). The second is not sound for a task that waits
 * while it holds a mutex, as those below may wait for it: pass 0 then. In a level by deadline among its own tasks, and
 * where jobs do not preempt each other, only the first. Never more than takt_analysis_responses. Bound: three times
 * that, and task_count^2 steps more. Returns OK or INVALID (also if suspension_ns[i] > wcet_ns; then nothing is
 * written).
 */
enum takt_analysis_status takt_analysis_suspended(const struct takt_analysis_set *set, const uint64_t *suspension_ns,
                                                  const struct takt_analysis_work *work, uint64_t *responses_ns,
                                                  enum takt_analysis_status *statuses);

/** When the jobs of a task arrive, in relation to those of others. */
struct takt_analysis_phase {
    uint64_t offset_ns; /**< of its arrivals from those of its group */
    uint32_t group;     /**< index of the first task of its group. Tasks of a group have one period, and arrive every
                           period_ns exactly; a task alone in its group may arrive later than that */
};

/** As takt_analysis_responses, for tasks of fixed levels whose distances are known. `phases` and the work space
 * `candidates` have task_count entries.
 *
 * Exact (reached by some phases of the groups to each other) when nothing blocks, no jitter, no equals, preemptive, and
 * the groups have at most 4096 combinations of tasks; sound always (Tindell 1994; Palencia and Gonzalez Harbour, RTSS
 * 1998). Never more than takt_analysis_responses, which is the answer in edf levels and where jobs do not preempt each
 * other. Bound: set->iterations sums per task, each over all tasks and interrupts, squared for groups that are too many
 * to combine. Returns OK or INVALID (then nothing is written).
 */
enum takt_analysis_status takt_analysis_phased(const struct takt_analysis_set *set,
                                               const struct takt_analysis_phase *phases, size_t *candidates,
                                               uint64_t *responses_ns, enum takt_analysis_status *statuses);

/** Bound the blocking under priority inheritance: blocking_ns[i] is the longest execution, in one busy period of
 * set->tasks[i], of jobs that should run later (lower levels; in an edf level, later deadlines).
 *
 * Each such job delays by at most one outermost section, so one bound is the sum of the longest section of each task
 * (Sha, Rajkumar and Lehoczky 1990). Their other bound, one section per mutex, does not hold here: the kernel hands an
 * unlocked mutex over to the highest-priority waiter, which may be a job that should run later. But each lock by a job
 * that should run earlier waits for one such section at most: so the other bound is for each mutex the longest sections
 * on it, as many as there are such locks in the busy period. The least of both. A mutex is counted if a job that should
 * run earlier can wait for it, directly or through a chain of owners; if it may be locked in such a chain, or is
 * `fifo`, by the first bound only. Of sections that are `alone`, at most one is open when the busy period begins, since
 * its owner then has a higher priority than every task that could open another (Baker 1991): only the longest of them
 * is counted. With jitter in an edf level, its own or one below, all are counted: a job that is released late may be
 * due before the ceiling of a lock that came first. Busy periods are those of `set` with its execution times, jitter
 * and periods; its blocking_ns are not used. `holds` are put into another order. `mutexes` is work space for
 * mutex_count entries, `users` for task_count. 0 everywhere if set->cooperative. Bound: hold_count^2 steps; for each
 * task hold_count + 2 sums, each of hold_count + mutex_count + task_count steps and once more these for each task with
 * `nested` holds; and hold_count + 1 searches of a busy period for each task. Returns OK, INVALID or OVERFLOW.
 */
enum takt_analysis_status takt_analysis_blocking(const struct takt_analysis_set *set, struct takt_analysis_hold *holds,
                                                 size_t hold_count, struct takt_analysis_mutex *mutexes,
                                                 size_t mutex_count, struct takt_analysis_user *users,
                                                 uint64_t *blocking_ns);

/** When the budget of a server comes back; what it does exactly is in docs/decisions/0029-servers.md. */
enum takt_analysis_server_kind {
    TAKT_ANALYSIS_DEFERRABLE = 0, /**< all of it at each multiple of the period, whatever is left */
    TAKT_ANALYSIS_POLLING,        /**< the same, and what is left is lost when no served task is ready */
    TAKT_ANALYSIS_SPORADIC,       /**< each part one period after the time from which it could be used */
};

/** A server, and the task of the set that stands for it. */
struct takt_analysis_server {
    uint64_t budget_ns;   /**< execution that served jobs get in a period: > 0, <= wcet_ns of the task */
    uint64_t response_ns; /**< bound on the response of the task, from takt_analysis_responses, _suspended or _phased */
    uint32_t kind;        /**< enum takt_analysis_server_kind */
    uint32_t task;        /**< index into set->tasks, after takt_analysis_server_load */
    uint32_t parts;       /**< sporadic: in how many parts its budget may be at a time; 0: not known */
};

/** Make a task stand for a server: what the other tasks meet of it, and whether its budget is there in time.
 *
 * Before the call the task has the level and order of the server, its period, its deadline <= period_ns, and in
 * wcet_ns all that served jobs take in one period at the server's level: the budget, the longest section that may go on
 * when it ends, and kernel time; no jitter and no burst. A deferrable server gets a jitter in a fixed level, and with
 * it a longer deadline; by deadline a burst. The task is then feasible if the budget is executed within the server's
 * deadline from the time at which it is there and a served job is ready, and its response is that plus jitter_ns.
 * Bound: constant. Returns OK or INVALID (then nothing is changed).
 */
enum takt_analysis_status takt_analysis_server_load(uint32_t kind, struct takt_analysis_task *task);

/** Bound the longest time from release to completion of any job that a server serves: of several tasks in whichever
 *  order it does, of one task in the order of the releases.
 *
 * `served` describes the jobs: wcet_ns (with what the kernel charges to the budget for one), period_ns > 0, jitter_ns
 * and bursts. They do not wait, nor for mutexes, and nothing else is served. response_ns is a bound if OK is returned.
 * UNBOUNDED: more is served than the budget allows, or the budget is not executed within a period. Bound:
 * set->iterations sums over all tasks and served tasks. Returns OK, INVALID, LIMIT, UNBOUNDED or OVERFLOW.
 */
enum takt_analysis_status takt_analysis_served(const struct takt_analysis_set *set,
                                               const struct takt_analysis_server *server,
                                               const struct takt_analysis_task *served, size_t served_count,
                                               uint64_t *response_ns);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
