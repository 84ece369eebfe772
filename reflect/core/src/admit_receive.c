/* SPDX-License-Identifier: Apache-2.0 */
/* What comes into a node, and how long it waits in a port and behind it, where all is served in the order of arrival.
 */
#include "admit_internal.h"

/* True if a channel of the same group into the same node stands before this one. */
static bool takti_grouped(const struct takt_admit_set *set, size_t channel)
{
    const struct takt_admit_channel *self = &set->channels[channel];

    for (size_t i = 0; i < channel && self->group != 0; i++) {
        if (set->channels[i].group == self->group && set->channels[i].reader == self->reader) {
            return true;
        }
    }
    return false;
}

/* Writes tasks of what comes into a node, a group as one that is as great as any of it. Returns how many. */
size_t takti_streams(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node)
{
    size_t count = 0;

    for (size_t i = 0; i < set->channel_count; i++) {
        const struct takt_admit_channel *self = &set->channels[i];
        struct takt_analysis_task stream = {.period_ns = self->period_ns};

        if (self->reader != node || takti_grouped(set, i)) {
            continue;
        }
        for (size_t j = i; j < set->channel_count; j++) {
            const struct takt_admit_channel *other = &set->channels[j];

            if (j == i || (self->group != 0 && other->group == self->group && other->reader == node)) {
                stream.wcet_ns = takti_greater(stream.wcet_ns, space->works[j].receive_ns);
                stream.jitter_ns = takti_greater(stream.jitter_ns, space->works[j].late_ns);
                stream.period_ns = takti_less(stream.period_ns, other->period_ns);
            }
        }
        space->tasks[count++] = stream;
    }
    if (count > 0 && set->control_ns != 0) { /* as late as anything that a link has been given may leave it */
        struct takt_analysis_task control = {.wcet_ns = takti_control_ns(set, node, true),
                                             .period_ns = set->control_ns};

        for (size_t i = 0; i < set->node_count; i++) {
            const struct takt_admit_node *other = &set->nodes[i];

            control.jitter_ns = takti_greater(control.jitter_ns, takti_network_ns(other) + other->wake_ns);
        }
        space->tasks[count++] = control;
    }
    return count;
}

/* The longest that anything waits which is served in the order of its arrival: the greatest excess of what may come in
 * some time over that time, looked for wherever more may come. False: not found. */
bool takti_wait(const struct takt_analysis_task *streams, size_t count, uint32_t iterations, uint64_t *wait_ns)
{
    uint64_t time = 0;

    *wait_ns = 0;
    for (uint32_t step = 0; step < iterations; step++) {
        uint64_t work = 0, next = TAKT_SATURATED;

        for (size_t i = 0; i < count; i++) {
            uint64_t messages = (time + streams[i].jitter_ns) / streams[i].period_ns + 1;

            work = takt_add(work, takt_multiply(messages, streams[i].wcet_ns));
            next = takti_less(next, messages * streams[i].period_ns - streams[i].jitter_ns);
        }
        *wait_ns = takti_greater(*wait_ns, takt_subtract(work, time));
        if (work <= next) { /* nothing is left when more comes */
            return true;
        }
        if (next > TAKT_ANALYSIS_TIME_MAX_NS) {
            return false;
        }
        time = next;
    }
    return false;
}
