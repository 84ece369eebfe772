/* SPDX-License-Identifier: Apache-2.0 */
/* Response times of jobs that do not preempt each other: George, Rivierre and Spuri 1996; Davis et al. 2007.
 *
 * A job starts at the first instant at which nothing that goes before it is pending, arrivals at that instant included.
 * From then on only interrupts and the kernel's releases delay it. Its own non-preemptible end can push work behind it
 * into the next job, so every job of the busy period counts.
 */
#include "internal.h"

/* Longest job that can have begun just before the busy period of `level`. */
static uint64_t takti_longest_below(const struct takt_analysis_set *set, struct takti_level level)
{
    uint64_t longest = 0;

    for (size_t i = level.end; i < set->task_count; i++) {
        longest = longest < set->tasks[i].wcet_ns ? set->tasks[i].wcet_ns : longest;
    }
    return takt_add(longest, set->lock_ns);
}

/* Completion of the job that follows own_ns of blocking and earlier jobs of its task. *start_ns: in, 1 or what came out
 * for the job before it; out, one more than the start of this one. */
static enum takti_answer takti_completion(struct takti_run *run, uint64_t own_ns, uint64_t ceiling_ns,
                                          uint64_t *start_ns, uint64_t *completion_ns)
{
    const struct takt_analysis_task *self = &run->set->tasks[run->except];
    struct takti_run interrupts;
    uint64_t jobs;
    enum takti_answer answer;

    /* Arrivals at s are those before s + 1: with w = s + 1, the start is at the least w = own + 1 + interference(w). */
    answer = takti_settle(run, takt_add(own_ns, 1), takt_add(ceiling_ns, 1), start_ns);
    if (answer != TAKTI_FOUND) {
        return answer;
    }
    interrupts = *run;
    interrupts.above = 0;
    jobs = takti_interference(run, *start_ns) - takti_interference(&interrupts, *start_ns);
    own_ns += jobs + self->wcet_ns;
    *completion_ns = *start_ns;
    answer = takti_settle(&interrupts, own_ns, ceiling_ns, completion_ns);
    run->iterations = interrupts.iterations;
    return answer;
}

enum takti_answer takti_cooperative_worst(const struct takt_analysis_set *set, struct takti_level level, size_t task,
                                          uint64_t stop_ns, uint64_t *worst_ns)
{
    const struct takt_analysis_task *self = &set->tasks[task];
    struct takti_run run = takti_run_init(set, level.end);
    uint64_t own = takti_longest_below(set, level), arrival = 0, start = 1, busy = 1;
    enum takti_answer answer = takti_settle(&run, own, TAKT_SATURATED, &busy);

    run.except = task;
    *worst_ns = 0;
    while (answer == TAKTI_FOUND && (arrival == 0 || arrival < busy + self->jitter_ns)) {
        uint64_t ceiling = takt_subtract(takt_add(arrival, stop_ns), self->jitter_ns), completion;

        answer = takti_completion(&run, own, ceiling, &start, &completion);
        if (answer == TAKTI_FOUND && *worst_ns < completion + self->jitter_ns - arrival) {
            *worst_ns = completion + self->jitter_ns - arrival;
        }
        own = takt_add(own, self->wcet_ns);
        arrival = takt_add(arrival, self->period_ns);
    }
    return answer;
}
