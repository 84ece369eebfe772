/* SPDX-License-Identifier: Apache-2.0 */
/* Admission of channels in three steps: what a message costs (costs.c), how long each push takes on the link of
 * its node (push.c), how long port and server of each reader's node take (receive.c). Then each push
 * gets a part of the time that is left.
 */
#include "internal.h"

/* Parts, in TAKT_ADMIT_SHARES, that the pushes into a node get. */
struct taktr_given {
    uint32_t jitter; /* of the period */
    uint32_t time;   /* of the remaining time of each */
};

static uint64_t taktr_part_of(uint64_t time_ns, uint32_t part)
{
    return time_ns / TAKT_ADMIT_SHARES * part + time_ns % TAKT_ADMIT_SHARES * part / TAKT_ADMIT_SHARES;
}

/* Writes the latest arrival of each message of a node, if the pushes get the parts `given`, and to `receive_ns` the
 * time of port and server then. False: no bound was found. */
static bool taktr_receive(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                          struct taktr_given given, struct takt_admit_result *results, uint64_t *receive_ns)
{
    uint64_t tail_ns = 0;
    bool found;

    for (size_t i = 0; i < set->channel_count; i++) {
        struct takt_admit_work *work = &space->works[i];
        bool bounded = set->channels[i].deadline_ns != 0 && results[i].inequality == TAKT_ADMIT_FITS;
        uint64_t more_ns = takt_subtract(work->most_ns, results[i].response_ns);

        if (set->channels[i].reader != node) {
            continue;
        }
        results[i].push_ns = results[i].response_ns + taktr_part_of(more_ns, given.time);
        results[i].jitter_ns = taktr_part_of(taktr_jitter_most_ns(&set->channels[i], &results[i]), given.jitter);
        work->late_ns =
            results[i].jitter_ns + (bounded ? results[i].push_ns : set->channels[i].period_ns) + work->network_ns;
        tail_ns = taktr_greater(tail_ns, work->tail_ns);
    }
    found = taktr_wait(space->streams, taktr_streams(set, space, node), set->iterations, receive_ns);
    *receive_ns += tail_ns + set->nodes[node].wake_ns;
    return found;
}

static uint64_t taktr_bound_ns(const struct takt_admit_channel *channel, const struct takt_admit_space *space, size_t i,
                               uint64_t push_ns, uint64_t receive_ns)
{
    return takt_add(push_ns + space->works[i].network_ns + channel->read_ns, receive_ns);
}

/* True if channel i has a deadline, a reader on this node, and a push that is bounded. */
static bool taktr_concerns(const struct takt_admit_set *set, const struct takt_admit_result *results, size_t node,
                           size_t i)
{
    return set->channels[i].reader == node && set->channels[i].deadline_ns != 0 &&
           results[i].inequality == TAKT_ADMIT_FITS;
}

/* The stage in which the deadline is exceeded. */
static enum takt_admit_stage taktr_late_stage(const struct takt_admit_channel *channel,
                                              const struct takt_admit_result *result)
{
    uint64_t deadline_ns = channel->deadline_ns, time_ns = result->push_ns;

    if (taktr_write_ns(channel) > deadline_ns) {
        return TAKT_ADMIT_WRITE;
    }
    if (time_ns > deadline_ns) {
        return TAKT_ADMIT_PUSH;
    }
    time_ns += result->network_ns;
    if (time_ns > deadline_ns) {
        return TAKT_ADMIT_NETWORK;
    }
    return time_ns + result->receive_ns > deadline_ns ? TAKT_ADMIT_RECEIVE : TAKT_ADMIT_READ;
}

/* Writes the times of channel i, whose push takes push_ns, and refuses it if they are too long. */
static void taktr_finish(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t i,
                         uint64_t receive_ns, struct takt_admit_result *result)
{
    const struct takt_admit_channel *channel = &set->channels[i];

    result->promotion_ns = result->push_ns - result->response_ns;
    result->network_ns = space->works[i].network_ns;
    result->receive_ns = receive_ns;
    result->bound_ns = taktr_bound_ns(channel, space, i, result->push_ns, receive_ns);
    if (result->bound_ns > channel->deadline_ns) {
        taktr_refuse(result, TAKT_ADMIT_DEADLINE, taktr_late_stage(channel, result), result->bound_ns,
                     channel->deadline_ns);
    }
}

/* True if all deadlines of the node hold with the parts `given`. */
static bool taktr_part_fits(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                            struct taktr_given given, struct takt_admit_result *results)
{
    uint64_t receive_ns;

    if (!taktr_receive(set, space, node, given, results, &receive_ns)) {
        return false;
    }
    for (size_t i = 0; i < set->channel_count; i++) {
        if (taktr_concerns(set, results, node, i) && taktr_bound_ns(&set->channels[i], space, i, results[i].push_ns,
                                                                    receive_ns) > set->channels[i].deadline_ns) {
            return false;
        }
    }
    return true;
}

/* Raises one of the parts, `jitter` or `time`, by bisection to the largest value up to `most` with which all deadlines
 * hold. With 0 they do. */
static void taktr_raise(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                        struct taktr_given *given, uint32_t *part, uint32_t most, struct takt_admit_result *results)
{
    uint32_t good = 0, bad = most + 1;

    while (bad - good > 1) {
        *part = (good + bad) / 2;
        if (taktr_part_fits(set, space, node, *given, results)) {
            good = *part;
        } else {
            bad = *part;
        }
    }
    *part = good;
}

/* Refuses every channel of the node whose push is bounded. */
static void taktr_refuse_node(const struct takt_admit_set *set, size_t node, enum takt_admit_inequality inequality,
                              uint64_t left_ns, uint64_t right_ns, struct takt_admit_result *results)
{
    for (size_t i = 0; i < set->channel_count; i++) {
        if (taktr_concerns(set, results, node, i)) {
            taktr_refuse(&results[i], inequality, TAKT_ADMIT_RECEIVE, left_ns, right_ns);
        }
    }
}

/* Writes by how much each push, promoted at its release, could end later if all others stayed as they are. False: one
 * is too late already. */
static bool taktr_spare(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                        uint64_t receive_ns, const struct takt_admit_result *results)
{
    bool fits = true;

    for (size_t i = 0; i < set->channel_count; i++) {
        const struct takt_admit_channel *channel = &set->channels[i];

        if (taktr_concerns(set, results, node, i)) {
            uint64_t bound_ns = taktr_bound_ns(channel, space, i, results[i].response_ns, receive_ns);
            uint64_t spare_ns = takt_subtract(channel->deadline_ns, bound_ns);

            space->works[i].most_ns = taktr_less(results[i].response_ns + spare_ns, channel->period_ns);
            fits = fits && bound_ns <= channel->deadline_ns;
        }
    }
    return fits;
}

/* Writes the results of all channels into a node. */
static void taktr_node(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                       struct takt_admit_result *results)
{
    size_t count = taktr_streams(set, space, node);
    struct taktr_given given = {0};
    uint64_t share = 0, receive_ns;

    for (size_t i = 0; i < count; i++) {
        share = takt_add(share, taktr_share(space->streams[i].work_ns, space->streams[i].period_ns));
    }
    if (share > TAKT_RATIO_ONE) {
        taktr_refuse_node(set, node, TAKT_ADMIT_LOAD, taktr_share_ns(share), TAKTR_SECOND_NS, results);
        return;
    }
    if (!taktr_receive(set, space, node, given, results, &receive_ns)) {
        taktr_refuse_node(set, node, TAKT_ADMIT_UNKNOWN, 0, 0, results);
        return;
    }
    if (taktr_spare(set, space, node, receive_ns, results)) {
        taktr_raise(set, space, node, &given, &given.jitter, set->jitter_shares, results);
        taktr_raise(set, space, node, &given, &given.time, TAKT_ADMIT_SHARES, results);
    }
    (void)taktr_receive(set, space, node, given, results, &receive_ns); /* a bound was found with these parts before */
    for (size_t i = 0; i < set->channel_count; i++) {
        if (taktr_concerns(set, results, node, i)) {
            taktr_finish(set, space, i, receive_ns, &results[i]);
        }
    }
}

/* Levels and pushes, which are the same in both forms. False: INVALID. */
bool taktr_admit_begin(const struct takt_admit_set *set, const struct takt_admit_space *space,
                       struct takt_admit_result *results)
{
    if (!taktr_admit_valid(set) || !taktr_costs_all(set, space)) {
        return false;
    }
    for (size_t i = 0; i < set->channel_count; i++) {
        results[i] =
            (struct takt_admit_result){.band = taktr_band(&set->channels[i]), .level = taktr_admit_level(set, i)};
    }
    taktr_sort_by_writer(set, space);
    for (size_t node = 0; node < set->node_count; node++) {
        taktr_push(set, space, node, results);
    }
    return true;
}

/* Pause of a group between the stop of one channel and the start of another, so that the reader gets values of both at
 * least the shortest period apart. A write may have begun before the start, and the nominal time of a push released
 * after the start may be before it by at most the jitter. */
static uint64_t taktr_pause_ns(const struct takt_admit_set *set, const struct takt_admit_channel *self,
                               const struct takt_admit_result *results)
{
    uint64_t period_ns = self->period_ns, write_ns = 0, jitter_ns = 0;

    for (size_t i = 0; i < set->channel_count; i++) {
        const struct takt_admit_channel *other = &set->channels[i];

        bool read = self->group != 0 && other->group == self->group && other->reader == self->reader;
        bool written =
            self->writer_group != 0 && other->writer_group == self->writer_group && other->writer == self->writer;

        if (read || written) {
            period_ns = taktr_less(period_ns, other->period_ns);
            write_ns = taktr_greater(write_ns, taktr_write_ns(other));
            jitter_ns = taktr_greater(jitter_ns, results[i].jitter_ns);
        }
    }
    return period_ns + write_ns + jitter_ns;
}

enum takt_admit_status taktr_admit_verdict(const struct takt_admit_set *set, struct takt_admit_result *results)
{
    enum takt_admit_status status = TAKT_ADMIT_OK;

    for (size_t i = 0; i < set->channel_count; i++) {
        results[i].pause_ns = set->channels[i].group != 0 || set->channels[i].writer_group != 0
                                  ? taktr_pause_ns(set, &set->channels[i], results)
                                  : 0;
        if (results[i].inequality == TAKT_ADMIT_UNKNOWN && status == TAKT_ADMIT_OK) {
            status = TAKT_ADMIT_UNDECIDED;
        } else if (results[i].inequality != TAKT_ADMIT_FITS && results[i].inequality != TAKT_ADMIT_UNKNOWN) {
            status = TAKT_ADMIT_REFUSED;
        }
    }
    return status;
}

enum takt_admit_status takt_admit(const struct takt_admit_set *set, const struct takt_admit_space *space,
                                  struct takt_admit_result *results)
{
    if (!taktr_admit_begin(set, space, results)) {
        return TAKT_ADMIT_INVALID;
    }
    for (size_t node = 0; node < set->node_count; node++) {
        taktr_node(set, space, node, results);
    }
    return taktr_admit_verdict(set, results);
}
