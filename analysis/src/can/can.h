/* SPDX-License-Identifier: Apache-2.0 */
/* What the analyses of a CAN bus share: a level, which is a frame and those of higher priority. */
#ifndef TAKT_ANALYSIS_CAN_PRIVATE_H
#define TAKT_ANALYSIS_CAN_PRIVATE_H

#include "../internal.h"
#include "takt/analysis_can.h"
#include "takt/analysis_can_deadline.h"

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
bool takta_can_deadlines_valid(const struct takt_analysis_can_deadlines *bus);

/** True if the streams and what wins against them need more than the bus. */
bool takta_can_deadlines_overload(const struct takt_analysis_can_deadlines *bus);

/** Count a frame with this jitter among the streams work[first .. *end). Returns the index of its stream. */
size_t takta_can_stream_add(struct takt_analysis_can_work *work, size_t first, size_t *end,
                            const struct takt_analysis_can_frame *frame, uint64_t jitter_ns);

/** What frames of higher priority take that are queued in the first window_ns > 0. */
uint64_t takta_can_interference(const struct takta_can_level *level, uint64_t window_ns);

/** Errors in the first window_ns > 0 of a busy period, with the retransmissions. */
uint64_t takta_can_errors(const struct takta_can_level *level, uint64_t window_ns);

/** The least time = own_ns + interference(time + ahead_ns) + errors(time + tail_ns), from *time_ns on, which must not
 * exceed it. `self`: its instances interfere too; or NULL. */
enum takta_answer takta_can_settle(struct takta_can_level *level, uint64_t own_ns, uint64_t ahead_ns, uint64_t tail_ns,
                                   const struct takt_analysis_can_frame *self, uint64_t *time_ns);

/** What is found of a frame. */
struct takta_can_found {
    uint64_t start_ns; /**< latest start of its first instance, from the begin of the busy period */
    uint64_t worst_ns; /**< longest response */
    uint64_t held_ns;  /**< longest from its latest queueing to the start of the last frame of lower priority that its
                            sender offers before it */
};

/** Longest response of a frame at this level, starting the search for its first transmission at least_ns: 0, or a time
 * that it cannot start before. */
enum takta_answer takta_can_worst(struct takta_can_level *level, const struct takt_analysis_can_frame *frame,
                                  uint64_t least_ns, struct takta_can_found *found);

/** The streams that delay a frame which its sender may hold back, at the level of the lowest one that may hold it. */
struct takta_can_parts {
    size_t between; /**< streams[0 .. between): of other senders, with priority below the frame and above the lowest */
    size_t above;   /**< streams[between .. above): of other senders, above the frame */
    size_t passing; /**< streams[above .. passing): of its sender, above the frame, which pass it in the queue */
    size_t end;     /**< streams[passing .. end): of its sender, which go before it only if queued before */
    uint64_t shortest_ns; /**< of its sender's frames that may hold it; 0: there is none */
    uint64_t longest_ns;  /**< of these */
};

/** Longest response of such a frame. */
enum takta_answer takta_can_held_worst(struct takta_can_level *level, const struct takta_can_parts *parts,
                                       const struct takt_analysis_can_frame *frame, struct takta_can_found *found);

/** True if frames with this utilization, and errors that each make one of `level` be sent again, exceed the bus. */
bool takta_can_overloaded(const struct takta_can_level *level, struct takta_utilization frames);

/** The status of a response that ended so. */
enum takt_analysis_status takta_can_status(enum takta_answer answer, uint64_t response_ns);

/** True if a sender does not offer by priority. */
bool takta_can_has_queues(const struct takt_analysis_can_bus *bus);

/** takt_analysis_can_responses where not all senders offer by priority; work[].below_ns is known. */
void takta_can_responses_by_sender(const struct takt_analysis_can_bus *bus, struct takt_analysis_can_work *work,
                                   uint64_t *responses_ns, enum takt_analysis_status *statuses);

#pragma GCC visibility pop

#endif
