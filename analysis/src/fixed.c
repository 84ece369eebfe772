/* SPDX-License-Identifier: Apache-2.0 */
/* Response times in fixed levels: Lehoczky 1990 with jitter; the completions of all jobs in the busy period in order.
 *
 * Equals count as higher-priority tasks: valid for FIFO and for round robin, in whichever order inheritance puts them.
 *
 * The search for a task's first completion starts from the first completion of a higher-priority task (Sjodin and
 * Hansson 1998). With blocking: let b and c be the blocking and execution of that task, and f = b + c + I(f) its
 * completion. While t < f, b + c + I(t) > t. A lower task with blocking and execution b' + c' waits for at least I(t) +
 * c, so if b' + c' >= b, it is not complete before f. Up to f the levels above use I(f) + c = f - b of the time, so the
 * lower task is not complete before b' + c' + f - b.
 */
#include "internal.h"

struct takta_descent takta_descent_init(const struct takt_analysis_set *set)
{
    struct takta_run run = takta_run_init(set, 0);

    return (struct takta_descent){.releasing = run.visited};
}

enum takta_answer takta_fixed_worst(const struct takt_analysis_set *set, struct takta_level level, size_t task,
                                    uint64_t stop_ns, struct takta_descent *descent, uint64_t *worst_ns)
{
    const struct takt_analysis_task *self = &set->tasks[task];
    struct takta_run run = {.set = set, .above = level.end, .except = task, .iterations = set->iterations};
    uint64_t blocking = takta_blocking(set, self), own = takt_add(blocking, self->wcet_ns);
    uint64_t time = own < descent->blocking_ns ? own : takt_add(descent->claimed_ns, own);
    uint64_t arrival = 0, number = 0, done; /* of this job, counted from the arrival of the first */
    uint64_t end = TAKT_SATURATED;

    run.visited = level.end < descent->releasing ? descent->releasing : level.end;
    *worst_ns = 0;
    do {
        enum takta_answer answer;

        done = time == 0 ? 1 : time;
        answer = takta_settle(&run, own, takt_subtract(takt_add(arrival, stop_ns), self->jitter_ns), &done);
        if (answer != TAKTA_FOUND) {
            return answer;
        }
        if (number == 0 && task + 1 == level.end) {
            descent->claimed_ns = done - blocking;
            descent->blocking_ns = blocking;
        }
        if (*worst_ns < done + self->jitter_ns - arrival) {
            *worst_ns = done + self->jitter_ns - arrival;
        }
        own = takt_add(own, self->wcet_ns);
        time = takt_add(done, self->wcet_ns); /* the next job is not done earlier */
        arrival = takta_arrival(self, ++number);
        end = number == 1 && done + self->jitter_ns > arrival ? takta_arrivals_end(set, level.end) : end;
    } while (done + self->jitter_ns > arrival && arrival < end);
    return TAKTA_FOUND;
}
