/* SPDX-License-Identifier: Apache-2.0 */
/* Response times where jobs wait (self-suspension): Chen et al. 2019, "Many suspensions, many problems".
 *
 * Let the window of a job of task k begin at the last time before its arrival at which no job of k, and of no task
 * above whose waits count as execution, is pending, and no other task above executes. In the window the processor
 * always executes a task above, or k, or waits of theirs pass that are counted. A task above whose waits are not
 * counted completes within its response R after its arrival, so of its execution C at most ceil((t + R - C) / T) C
 * falls into the first t of the window, wherever that begins. So each such task may be bounded in either way, the same
 * way for the whole window.
 */
#include "internal.h"

#define TAKTA_UNKNOWN UINT64_MAX /* no jitter yet: its waits are execution */

struct takta_waits {
    const struct takt_analysis_set *set;
    const uint64_t *suspension_ns;
    const struct takt_analysis_work *work;
};

/* How the waits of tasks above are bounded. */
enum takta_way { TAKTA_EXECUTION, TAKTA_JITTER, TAKTA_LESS };

/* What the jobs of a task claim of a window. */
static uint64_t takta_claim(const struct takt_analysis_task *task, uint64_t wcet_ns, uint64_t jitter_ns,
                            uint64_t window_ns)
{
    return takt_multiply(takta_arrivals(task, takt_add(window_ns - 1, jitter_ns)), wcet_ns);
}

/* Write tasks[index] into the work space, as one that goes before the tasks under analysis. For TAKTA_LESS, by what it
 * claims of a window of window_ns > 0. */
static void takta_put_above(const struct takta_waits *waits, size_t index, enum takta_way way, uint64_t window_ns)
{
    struct takt_analysis_task *task = &waits->work->tasks[index];
    uint64_t jitter = waits->work->jitters_ns[index], executes;

    *task = waits->set->tasks[index];
    executes = task->wcet_ns - waits->suspension_ns[index];
    if (way == TAKTA_EXECUTION || jitter == TAKTA_UNKNOWN ||
        (way == TAKTA_LESS && takta_claim(task, executes, jitter, window_ns) >=
                                  takta_claim(task, task->wcet_ns, task->jitter_ns, window_ns))) {
        return;
    }
    task->wcet_ns = executes;
    task->jitter_ns = jitter;
}

/* Bound some tasks of a level in one way into the work space. The others of the level, and those above, go before. */
static void takta_try(const struct takta_waits *waits, struct takta_level level, struct takta_level tasks,
                      enum takta_way way, uint64_t window_ns)
{
    const struct takt_analysis_work *work = waits->work;
    struct takt_analysis_set set = *waits->set;
    struct takta_descent descent;

    set.tasks = work->tasks;
    for (size_t i = 0; i < set.task_count; i++) {
        if (i < tasks.first || (tasks.end <= i && i < level.end)) {
            takta_put_above(waits, i, way, window_ns);
        } else {
            work->tasks[i] = waits->set->tasks[i];
        }
    }
    if (takta_crowded(&set, level.end)) {
        for (size_t i = tasks.first; i < tasks.end; i++) {
            work->statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
        }
        return;
    }
    descent = takta_descent_init(&set);
    takta_tasks_respond(&set, level, tasks, &descent, work->bounds_ns, work->statuses);
}

/* The least of all ways. */
static void takta_least(const struct takta_waits *waits, struct takta_level level, struct takta_level tasks,
                        uint64_t *responses_ns, enum takt_analysis_status *statuses)
{
    const struct takt_analysis_work *work = waits->work;
    uint64_t window = 1;

    for (size_t i = tasks.first; i < tasks.end; i++) {
        statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
    }
    for (enum takta_way way = TAKTA_EXECUTION; way <= TAKTA_LESS; way++) {
        takta_try(waits, level, tasks, way, window);
        for (size_t i = tasks.first; i < tasks.end; i++) {
            if (work->statuses[i] == TAKT_ANALYSIS_OK &&
                (statuses[i] != TAKT_ANALYSIS_OK || work->bounds_ns[i] < responses_ns[i])) {
                responses_ns[i] = work->bounds_ns[i];
            } else if (statuses[i] == TAKT_ANALYSIS_OK) {
                continue;
            }
            statuses[i] = work->statuses[i];
            window = statuses[i] == TAKT_ANALYSIS_OK && window < responses_ns[i] ? responses_ns[i] : window;
        }
    }
}

/* What a bounded task becomes for those after it. */
static void takta_settle_jitter(const struct takta_waits *waits, size_t index, uint64_t response_ns,
                                enum takt_analysis_status status)
{
    uint64_t executes = waits->set->tasks[index].wcet_ns - waits->suspension_ns[index];
    bool bounded = waits->suspension_ns[index] != 0 && status == TAKT_ANALYSIS_OK && !waits->set->cooperative;

    if (bounded && response_ns - executes <= TAKT_ANALYSIS_TIME_MAX_NS) {
        waits->work->jitters_ns[index] = response_ns - executes;
    }
}

enum takt_analysis_status takt_analysis_suspended(const struct takt_analysis_set *set, const uint64_t *suspension_ns,
                                                  const struct takt_analysis_work *work, uint64_t *responses_ns,
                                                  enum takt_analysis_status *statuses)
{
    const struct takta_waits waits = {set, suspension_ns, work};
    struct takta_level level = {0, 0};
    size_t recurring;

    if (!takta_set_valid(set)) {
        return TAKT_ANALYSIS_INVALID;
    }
    for (size_t i = 0; i < set->task_count; i++) {
        if (suspension_ns[i] > set->tasks[i].wcet_ns) {
            return TAKT_ANALYSIS_INVALID;
        }
    }
    for (size_t i = 0; i < set->task_count; i++) {
        statuses[i] = TAKT_ANALYSIS_UNBOUNDED;
        work->jitters_ns[i] = TAKTA_UNKNOWN;
    }
    recurring = takta_recurring(set);
    for (size_t first = 0; first < recurring;) {
        struct takta_level tasks = {first, first + 1};

        level = first < level.end ? level : takta_level_at(set, first);
        tasks.end = set->tasks[first].order == TAKT_ANALYSIS_DEADLINE ? level.end : tasks.end;
        takta_least(&waits, level, tasks, responses_ns, statuses);
        for (size_t i = tasks.first; i < tasks.end; i++) {
            takta_settle_jitter(&waits, i, responses_ns[i], statuses[i]);
        }
        first = tasks.end;
    }
    return TAKT_ANALYSIS_OK;
}
