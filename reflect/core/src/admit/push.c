/* SPDX-License-Identifier: Apache-2.0 */
/* The link of a writer's node: the order of its pushes, and a bound of each. Priorities are fixed, and one block of a
 * lower level may delay a push. A late wake-up of a thread counts as jitter of all pushes
 * (docs/decisions/0021-admission.md).
 */
#include "internal.h"

enum takt_admit_band taktr_band(const struct takt_admit_channel *channel)
{
    if (channel->deadline_ns == 0) {
        return TAKT_ADMIT_MID;
    }
    return channel->push == TAKT_ADMIT_SYNCHRONOUS ? TAKT_ADMIT_HIGHEST : TAKT_ADMIT_HIGH;
}

/* True if channel a comes before b of the same node: deadline monotonic in its band, or by rate where there are none.
 */
static bool taktr_before(const struct takt_admit_set *set, size_t a, size_t b)
{
    const struct takt_admit_channel *first = &set->channels[a], *second = &set->channels[b];
    enum takt_admit_band band = taktr_band(first), other = taktr_band(second);
    uint64_t time = first->deadline_ns, other_time = second->deadline_ns;

    if (band != other) {
        return band < other;
    }
    if (band == TAKT_ADMIT_MID) {
        time = first->period_ns;
        other_time = second->period_ns;
    }
    return time != other_time ? time < other_time : a < b;
}

uint32_t taktr_admit_level(const struct takt_admit_set *set, size_t channel)
{
    uint32_t level = 0;

    for (size_t i = 0; i < set->channel_count; i++) {
        level += set->channels[i].writer == set->channels[channel].writer && taktr_before(set, i, channel);
    }
    return level;
}

/* Load of a stage per second by `cost` in each period, in units of 2^-32 s, rounded up. */
uint64_t taktr_share(uint64_t cost_ns, uint64_t period_ns)
{
    bool exact = true;
    uint64_t share = takt_ratio_down(cost_ns, period_ns, &exact);

    return takt_add(share, !exact);
}

uint64_t taktr_share_ns(uint64_t share)
{
    uint64_t rest = share % TAKT_RATIO_ONE;

    return takt_multiply(share / TAKT_RATIO_ONE, TAKTR_SECOND_NS) +
           takt_divide_up(rest * TAKTR_SECOND_NS, TAKT_RATIO_ONE);
}

/* The first channel, by level, in the same writer's group and band as that of `level`; itself if it has no group. */
static size_t taktr_leader(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t level)
{
    const struct takt_admit_channel *self = &set->channels[space->works[level].order];

    for (size_t first = 0; first < level && self->writer_group != 0; first++) {
        const struct takt_admit_channel *other = &set->channels[space->works[first].order];

        if (other->writer_group == self->writer_group && taktr_band(other) == taktr_band(self)) {
            return space->works[first].order;
        }
    }
    return space->works[level].order;
}

/* At most one channel of a writer's group is active: together they count as one task with the largest cost and jitter
 * and the shortest period. */
static void taktr_join(struct takt_analysis_task *task, const struct takt_analysis_task *other)
{
    task->wcet_ns = taktr_greater(task->wcet_ns, other->wcet_ns);
    task->jitter_ns = taktr_greater(task->jitter_ns, other->jitter_ns);
    task->period_ns = taktr_less(task->period_ns, other->period_ns);
}

/* Writes the tasks of one node's link, highest level first. Returns the number of those with a deadline. */
static size_t taktr_push_tasks(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                               struct takt_admit_result *results)
{
    uint64_t blocking_ns = 0;
    size_t count = 0, tasks = 0;

    for (size_t i = 0; i < set->channel_count; i++) {
        if (set->channels[i].writer == node) {
            space->works[results[i].level].order = i;
            count++;
        }
    }
    for (size_t level = 0; level < count; level++) {
        size_t i = space->works[level].order, leader = taktr_leader(set, space, level);
        struct takt_analysis_task task = {
            .wcet_ns = space->works[i].push_ns,
            .period_ns = set->channels[i].period_ns,
            .deadline_ns = TAKT_ANALYSIS_TIME_MAX_NS,
            .jitter_ns = taktr_write_ns(&set->channels[i]) + set->nodes[node].wake_ns,
            .level = (uint16_t)level,
        };

        if (leader != i) {
            results[i].level = results[leader].level;
        }
        if (set->channels[i].deadline_ns == 0) {
            continue;
        }
        space->works[i].task = leader == i ? tasks++ : space->works[leader].task;
        if (leader == i) {
            space->tasks[space->works[i].task] = task;
        } else {
            taktr_join(&space->tasks[space->works[i].task], &task);
        }
    }
    for (size_t level = count; level-- > 0;) {
        size_t i = space->works[level].order;

        if (set->channels[i].deadline_ns != 0 && results[i].level == level) {
            space->tasks[space->works[i].task].blocking_ns = blocking_ns;
        }
        blocking_ns = taktr_greater(blocking_ns, space->works[i].piece_ns);
    }
    return tasks;
}

/* Writes the bound of one push. */
static void taktr_push_judge(const struct takt_admit_channel *channel, const struct takt_admit_space *space,
                             size_t task, uint64_t share, struct takt_admit_result *result)
{
    if (space->statuses[task] == TAKT_ANALYSIS_UNBOUNDED) {
        taktr_refuse(result, TAKT_ADMIT_LOAD, TAKT_ADMIT_PUSH, taktr_share_ns(share), TAKTR_SECOND_NS);
    } else if (space->statuses[task] != TAKT_ANALYSIS_OK) {
        taktr_refuse(result, TAKT_ADMIT_UNKNOWN, TAKT_ADMIT_PUSH, 0, 0);
    } else {
        result->response_ns = space->responses_ns[task];
        if (result->response_ns > channel->period_ns) {
            taktr_refuse(result, TAKT_ADMIT_OVERLAP, TAKT_ADMIT_PUSH, result->response_ns, channel->period_ns);
        }
    }
}

/* Bounds every push of a node's link. */
void taktr_push(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                struct takt_admit_result *results)
{
    struct takt_analysis_interrupt control = {taktr_control_ns(set, node, false), set->control_ns};
    size_t count = taktr_push_tasks(set, space, node, results);
    struct takt_analysis_set link = {.tasks = space->tasks,
                                     .task_count = count,
                                     .interrupts = &control,
                                     .interrupt_count = set->control_ns != 0,
                                     .iterations = set->iterations};
    uint64_t share = set->control_ns != 0 ? taktr_share(control.wcet_ns, control.min_interarrival_ns) : 0;

    /* Not INVALID: the rules for its tasks follow from those checked for the channels. */
    (void)takt_analysis_responses(&link, space->responses_ns, space->statuses);
    for (size_t task = 0; task < count; task++) {
        share = takt_add(share, taktr_share(space->tasks[task].wcet_ns, space->tasks[task].period_ns));
        for (size_t i = 0; i < set->channel_count; i++) {
            if (set->channels[i].writer == node && set->channels[i].deadline_ns != 0 && space->works[i].task == task) {
                taktr_push_judge(&set->channels[i], space, task, share, &results[i]);
            }
        }
    }
}
