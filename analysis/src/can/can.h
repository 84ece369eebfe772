/* SPDX-License-Identifier: Apache-2.0 */
/* What the analyses of a CAN bus share: a level, which is a frame and those of higher priority. */
#ifndef TAKT_ANALYSIS_CAN_PRIVATE_H
#define TAKT_ANALYSIS_CAN_PRIVATE_H

#include "../internal.h"
#include "takt/analysis_can.h"

#pragma GCC visibility push(hidden)

/** What delays a frame. */
struct takta_can_level {
    const struct takt_analysis_can_bus *bus;
    const struct takt_analysis_can_work *streams; /**< frames of higher priority; those of one period and jitter are one
                                                     stream with the sum of their transmissions as cost */
    size_t stream_count;
    uint64_t blocking_ns; /**< longest frame of lower priority */
    uint64_t longest_ns;  /**< longest retransmission after an error: of the frame or one of higher priority */
    uint32_t iterations;  /**< left */
};

/** True if every field keeps to its rule. */
bool takta_can_valid(const struct takt_analysis_can_bus *bus);

/** Count a frame among the streams work[0 .. *count). Returns the index of its stream. */
size_t takta_can_stream_add(struct takt_analysis_can_work *work, size_t *count,
                            const struct takt_analysis_can_frame *frame);

/** True if frames with this utilization, and errors that each make one of `level` be sent again, exceed the bus. */
bool takta_can_overloaded(const struct takta_can_level *level, struct takta_utilization frames);

/** Of a search that ended so. */
enum takt_analysis_status takta_can_status(enum takta_answer answer, uint64_t response_ns);

/** Longest response of a frame at this level, starting the search for its first transmission at least_ns: 0, or a time
 * that it cannot start before. *start_ns gets the latest start of its first instance. */
enum takta_answer takta_can_worst(struct takta_can_level *level, const struct takt_analysis_can_frame *frame,
                                  uint64_t least_ns, uint64_t *start_ns, uint64_t *worst_ns);

#pragma GCC visibility pop

#endif
