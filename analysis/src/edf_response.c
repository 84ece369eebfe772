/* SPDX-License-Identifier: Apache-2.0 */
/* Response times in an edf level below others: Spuri 1996, with the interference of the levels above added.
 *
 * All tasks arrive together at 0 but for the one under analysis, which is shifted so that a job of it is due at d,
 * where d runs over the deadlines of the synchronous busy period. When that job is done does not depend on whose it is:
 * its task has as many jobs due by d as without the shift, and if some of those had not arrived by then, the processor
 * fell free before the shifted job arrived. So one run over d serves all tasks of the level.
 */
#include "internal.h"

/* Execution in [0, time_ns) of the level's jobs due by deadline_ns. */
static uint64_t takti_edf_work(const struct takti_run *run, struct takti_level level, uint64_t deadline_ns,
                               uint64_t time_ns)
{
    uint64_t sum = 0;

    for (size_t i = level.first; i < level.end; i++) {
        const struct takt_analysis_task *task = &run->set->tasks[i];
        uint64_t due = takt_count_until(deadline_ns, takti_edf_first(task), task->period_ns);
        uint64_t released = takt_divide_up(time_ns + task->jitter_ns, task->period_ns);

        sum = takt_add(sum, takt_multiply(released < due ? released : due, task->wcet_ns));
    }
    return sum;
}

/* Least time at which all work due by deadline_ns and arrived is done, searched from *time_ns. */
static enum takti_answer takti_edf_finish(struct takti_run *run, struct takti_level level, uint64_t deadline_ns,
                                          uint64_t *time_ns)
{
    uint64_t since, blocking = takti_edf_blocking(run->set, level, deadline_ns, &since);
    uint64_t time, next = *time_ns;

    do {
        time = next;
        if (run->iterations == 0) {
            return TAKTI_LIMIT;
        }
        run->iterations--;
        next = takt_add(blocking, takti_edf_work(run, level, deadline_ns, time));
        next = takt_add(next, takti_interference(run, time));
    } while (next > time);
    *time_ns = next;
    return TAKTI_FOUND;
}

/* The first deadline of the level after time_ns. */
static uint64_t takti_edf_deadline_after(const struct takt_analysis_set *set, struct takti_level level,
                                         uint64_t time_ns)
{
    uint64_t next = TAKT_SATURATED;

    for (size_t i = level.first; i < level.end; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];
        uint64_t first = takti_edf_first(task);
        uint64_t count = takt_count_until(time_ns, first, task->period_ns);
        uint64_t deadline = takt_add(first, takt_multiply(count, task->period_ns));

        next = next < deadline ? next : deadline;
    }
    return next;
}

/* Take the finish of the work due by deadline_ns into the responses: those of jobs due then that arrive before it. */
static void takti_edf_record(const struct takt_analysis_set *set, struct takti_level level, uint64_t deadline_ns,
                             uint64_t finish_ns, uint64_t *worst_ns)
{
    for (size_t i = level.first; i < level.end; i++) {
        const struct takt_analysis_task *task = &set->tasks[i];

        if (takti_edf_first(task) <= deadline_ns && finish_ns + task->deadline_ns > deadline_ns + worst_ns[i]) {
            worst_ns[i] = finish_ns + task->deadline_ns - deadline_ns;
        }
    }
}

enum takti_answer takti_edf_worst(const struct takt_analysis_set *set, struct takti_level level, uint64_t *worst_ns)
{
    struct takti_run run = takti_run_init(set, level.end);
    uint64_t busy = 1, time = 1, due = 0, last = 0, since, blocking = 0;
    enum takti_answer answer = takti_settle(&run, takti_edf_blocking_max(set, level), TAKT_SATURATED, &busy);

    run.above = level.first;
    for (size_t i = level.first; i < level.end; i++) {
        worst_ns[i] = 0;
        last = last < set->tasks[i].deadline_ns ? set->tasks[i].deadline_ns : last;
    }
    last = takt_add(last, busy); /* a job due then or later arrives after the busy period */
    while (answer == TAKTI_FOUND && (due = takti_edf_deadline_after(set, level, due)) < last) {
        uint64_t last_blocking = blocking;

        blocking = takti_edf_blocking(set, level, due, &since);
        if (blocking < last_blocking || time == 0) {
            time = 1; /* only under the same or more blocking does a later deadline finish later */
        }
        answer = takti_edf_finish(&run, level, due, &time);
        takti_edf_record(set, level, due, time, worst_ns);
    }
    return answer;
}
