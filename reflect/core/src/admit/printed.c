/* SPDX-License-Identifier: Apache-2.0 */
/* Admission by the formulas as printed in seed 002. */
#include "internal.h"

/* A message without a deadline is assumed to arrive as early as any other. */
static void taktr_printed_push(const struct takt_admit_channel *channel, struct takt_admit_work *work,
                               struct takt_admit_result *result)
{
    uint64_t after_ns = takt_add(channel->read_ns, takt_add(work->receive_ns, work->network_ns));

    work->late_ns = taktr_write_ns(channel) + work->push_ns + work->network_ns; /* J_DRA */
    if (result->inequality != TAKT_ADMIT_FITS || channel->deadline_ns == 0) {
        return;
    }
    result->network_ns = work->network_ns;
    result->push_ns = takt_subtract(channel->deadline_ns, after_ns); /* D_DPA */
    if (result->response_ns > result->push_ns) {
        taktr_refuse(result, TAKT_ADMIT_DEADLINE, TAKT_ADMIT_PUSH, takt_add(result->response_ns, after_ns),
                     channel->deadline_ns);
    } else {
        result->promotion_ns = result->push_ns - result->response_ns; /* equation 1 */
    }
}

static void taktr_printed_node(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                               struct takt_admit_result *results)
{
    size_t count = taktr_streams(set, space, node);
    uint64_t wait_ns;
    bool found;

    for (size_t i = 0; i < count; i++) {
        space->streams[i].writer = SIZE_MAX; /* all may come at once */
    }
    found = taktr_wait(space->streams, count, set->iterations, &wait_ns);
    for (size_t i = 0; i < set->channel_count; i++) {
        const struct takt_admit_channel *channel = &set->channels[i];
        struct takt_admit_result *result = &results[i];

        if (channel->reader != node || channel->deadline_ns == 0 || result->inequality != TAKT_ADMIT_FITS) {
            continue;
        }
        if (!found) {
            taktr_refuse(result, TAKT_ADMIT_UNKNOWN, TAKT_ADMIT_RECEIVE, 0, 0);
            continue;
        }
        result->receive_ns = wait_ns + space->works[i].tail_ns + set->nodes[node].wake_ns;
        result->bound_ns = takt_add(space->works[i].late_ns + channel->read_ns, result->receive_ns);
        if (result->bound_ns > channel->deadline_ns) {
            taktr_refuse(result, TAKT_ADMIT_DEADLINE, TAKT_ADMIT_RECEIVE, result->bound_ns, channel->deadline_ns);
        }
    }
}

enum takt_admit_status takt_admit_printed(const struct takt_admit_set *set, const struct takt_admit_space *space,
                                          struct takt_admit_result *results)
{
    if (!taktr_admit_begin(set, space, results)) {
        return TAKT_ADMIT_INVALID;
    }
    for (size_t i = 0; i < set->channel_count; i++) {
        taktr_printed_push(&set->channels[i], &space->works[i], &results[i]);
    }
    for (size_t node = 0; node < set->node_count; node++) {
        taktr_printed_node(set, space, node, results);
    }
    return taktr_admit_verdict(set, results);
}
