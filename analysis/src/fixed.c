/* SPDX-License-Identifier: Apache-2.0 */
/* Response times in fixed levels: Lehoczky 1990 with jitter, one completion after the other over the busy period.
 *
 * Equals count as if higher: right for FIFO and for round robin, whatever inheritance does to their order.
 */
#include "internal.h"

enum takti_answer takti_fixed_worst(const struct takt_analysis_set *set, struct takti_level level, size_t task,
                                    uint64_t stop_ns, uint64_t *worst_ns)
{
    const struct takt_analysis_task *self = &set->tasks[task];
    struct takti_run run = takti_run_init(set, level.end);
    uint64_t own = takti_blocking(set, self), arrival = 0; /* of this job, counted from that of the first */
    uint64_t time = 1;

    run.except = task;
    *worst_ns = 0;
    do {
        enum takti_answer answer;

        own = takt_add(own, self->wcet_ns);
        time = time < own ? own : time;
        answer = takti_settle(&run, own, takt_subtract(takt_add(arrival, stop_ns), self->jitter_ns), &time);
        if (answer != TAKTI_FOUND) {
            return answer;
        }
        if (*worst_ns < time + self->jitter_ns - arrival) {
            *worst_ns = time + self->jitter_ns - arrival;
        }
        arrival = takt_add(arrival, self->period_ns);
    } while (time + self->jitter_ns > arrival);
    return TAKTI_FOUND;
}
