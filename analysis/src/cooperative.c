/* SPDX-License-Identifier: Apache-2.0 */
/* Response times of jobs that do not preempt each other: George, Rivierre and Spuri 1996; Davis et al. 2007.
 *
 * A job starts at the first time at which no job of higher priority is pending, jobs that arrive at that time included.
 * From then on only interrupts and the kernel's releases delay it. Because it is not preempted, work that arrived
 * meanwhile can delay the task's next job, so every job of the busy period must be examined.
 */
#include "internal.h"

/* The most that is left of a job when the busy period of `level` begins: it began before. */
static uint64_t takta_longest_below(const struct takt_analysis_set *set, struct takta_level level)
{
    uint64_t longest = 1;

    for (size_t i = level.end; i < set->task_count; i++) {
        longest = longest < set->tasks[i].wcet_ns ? set->tasks[i].wcet_ns : longest;
    }
    return takt_add(longest - 1, set->lock_ns);
}

/* Completion of a job after own_ns of blocking and of earlier jobs of its task. *start_ns: in, 1 or the result of the
 * previous job; out, the start of this job plus 1. */
static enum takta_answer takta_completion(struct takta_run *run, uint64_t own_ns, uint64_t ceiling_ns,
                                          uint64_t *start_ns, uint64_t *completion_ns)
{
    const struct takt_analysis_task *self = &run->set->tasks[run->except];
    struct takta_run interrupts;
    uint64_t jobs;
    enum takta_answer answer;

    /* Arrivals at s are those before s + 1: with w = s + 1, the start is at the least w = own + 1 + interference(w). */
    answer = takta_settle(run, takt_add(own_ns, 1), takt_add(ceiling_ns, 1), start_ns);
    if (answer != TAKTA_FOUND) {
        return answer;
    }
    interrupts = *run;
    interrupts.above = 0;
    jobs = takta_interference(run, *start_ns) - takta_interference(&interrupts, *start_ns);
    own_ns += jobs + self->wcet_ns;
    *completion_ns = *start_ns;
    answer = takta_settle(&interrupts, own_ns, ceiling_ns, completion_ns);
    run->iterations = interrupts.iterations;
    return answer;
}

enum takta_answer takta_cooperative_worst(const struct takt_analysis_set *set, struct takta_level level, size_t task,
                                          uint64_t stop_ns, uint64_t *worst_ns)
{
    const struct takt_analysis_task *self = &set->tasks[task];
    struct takta_run run = takta_run_init(set, level.end);
    uint64_t own = takta_longest_below(set, level), arrival = 0, number = 0, start = 1, busy = 1, end;
    enum takta_answer answer = takta_settle(&run, own, TAKT_SATURATED, &busy);

    end = takta_arrivals_end(set, level.end);
    if (answer == TAKTA_FOUND && busy + self->jitter_ns < end) {
        end = busy + self->jitter_ns;
    }
    if (answer != TAKTA_FOUND && end != TAKT_SATURATED) {
        run = takta_run_init(set, level.end);
        answer = TAKTA_FOUND;
    }
    run.except = task;
    *worst_ns = 0;
    while (answer == TAKTA_FOUND && (number == 0 || arrival < end)) {
        uint64_t ceiling = takt_subtract(takt_add(arrival, stop_ns), self->jitter_ns), completion = 0, response;

        answer = takta_completion(&run, own, ceiling, &start, &completion);
        response =
            takt_subtract(completion + self->jitter_ns, arrival); /* it may be beyond a busy period, by the cycle */
        *worst_ns = answer == TAKTA_FOUND && *worst_ns < response ? response : *worst_ns;
        own = takt_add(own, self->wcet_ns);
        arrival = takta_arrival(self, ++number);
    }
    return answer;
}
