/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_REFLECT_ADMIT_INTERNAL_H
#define TAKT_REFLECT_ADMIT_INTERNAL_H

#include "base/arith.h"
#include "takt/admit.h"

#define TAKTR_SECOND_NS UINT64_C(1000000000)

static inline uint64_t taktr_greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t taktr_less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Longest time from the writer's time to the release of its push. */
static inline uint64_t taktr_write_ns(const struct takt_admit_channel *channel)
{
    return channel->ends == TAKT_ADMIT_APPLICATIONS ? channel->write_ns : 0;
}

/* Largest jitter that a push may get; 0 for asynchronous pushes and for refused ones. */
static inline uint64_t taktr_jitter_most_ns(const struct takt_admit_channel *channel,
                                            const struct takt_admit_result *result)
{
    bool timed = channel->push == TAKT_ADMIT_ASYNCHRONOUS && channel->deadline_ns != 0;

    return timed || result->inequality != TAKT_ADMIT_FITS ? 0 : channel->period_ns;
}

static inline void taktr_refuse(struct takt_admit_result *result, enum takt_admit_inequality inequality,
                                enum takt_admit_stage stage, uint64_t left_ns, uint64_t right_ns)
{
    result->inequality = inequality;
    result->stage = stage;
    result->left_ns = left_ns;
    result->right_ns = right_ns;
}

/* Longest time from the end of a block's time on a link to its arrival at the port. The pacing may lag by the longest
 * delay of a thread's wake-up. */
static inline uint64_t taktr_network_ns(const struct takt_admit_node *from)
{
    uint64_t made_ns = from->send_message_ns + from->send_ns;

    return from->wake_ns + made_ns + from->propagation_ns;
}

/* Checks the input against the rules of the fields. */
bool taktr_admit_valid(const struct takt_admit_set *set);

/* Writes space->works. False: a message takes longer than TAKT_ADMIT_TIME_MAX_NS. */
bool taktr_costs_all(const struct takt_admit_set *set, const struct takt_admit_space *space);

/* Time that all packets without a value take of a node's link, or of its port and server, in set->control_ns. */
uint64_t taktr_control_ns(const struct takt_admit_set *set, size_t node, bool received);

enum takt_admit_band taktr_band(const struct takt_admit_channel *channel);

/* Number of channels of the same writer's node before this one. */
uint32_t taktr_admit_level(const struct takt_admit_set *set, size_t channel);

/* Load of a stage per second by `cost_ns` in each period, in units of 2^-32 s, rounded up. */
uint64_t taktr_share(uint64_t cost_ns, uint64_t period_ns);

/* The same in ns. */
uint64_t taktr_share_ns(uint64_t share);

/* Bounds every push of a node's link, or refuses it. */
void taktr_push(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node,
                struct takt_admit_result *results);

/* Writes by_writer of space->works. */
void taktr_sort_by_writer(const struct takt_admit_set *set, const struct takt_admit_space *space);

/* Writes space->streams, the arrivals at a node sorted by writer; a group is one stream, with the largest cost of any
 * of its channels. Returns their number. */
size_t taktr_streams(const struct takt_admit_set *set, const struct takt_admit_space *space, size_t node);

/* Longest response of a message that is served in order of arrival. False: no bound was found within `iterations`. */
bool taktr_wait(const struct takt_admit_stream *streams, size_t count, uint32_t iterations, uint64_t *wait_ns);

/* Costs, levels and pushes, which are the same in both forms. False: INVALID. */
bool taktr_admit_begin(const struct takt_admit_set *set, const struct takt_admit_space *space,
                       struct takt_admit_result *results);

/* Writes the pauses, and returns the result for the set. */
enum takt_admit_status taktr_admit_verdict(const struct takt_admit_set *set, struct takt_admit_result *results);

#endif
