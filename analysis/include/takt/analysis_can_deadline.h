/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a CAN bus whose identifiers carry their deadlines: are all begun in time?
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never.
 *
 * The identifier has a field with the region in which the deadline to start lies, counted from the start of the epoch,
 * and behind it the stream's place by deadline (deadline-monotonic): the earlier region wins, and within one region the
 * stream with the shorter relative deadline. Regions of a bit or less are earliest deadline first.
 *
 * The condition holds for any release offsets and for sporadic streams. It assumes that:
 * - nominal releases of a stream lie at least period_ns apart, a message is queued at most jitter_ns later, and its
 *   deadline counts from its nominal release;
 * - the region divides the epoch, all identifiers change at once when an epoch begins, and two messages never change
 *   their order (takt/can_mts.h);
 * - each node offers its message with the lowest identifier, as struct takt_analysis_can_bus says;
 * - there are no errors on the bus.
 *
 * Source: seed 000, 7.3.4 (the mixed traffic scheduler, MTS). Its condition in 7.3.6 looks at one release of the stream
 * after a synchronous one of the others, and misses happen which it does not see; here every release in the busy period
 * is examined, as Spuri 1996 ("Analysis of deadline scheduled real-time systems") does for processors, jitter included.
 * A message of a stream with the shorter relative deadline goes first if its deadline is at most one region later.
 *
 * The messages of a bus that have fixed identifiers are bounded by takt_analysis_can_responses (takt/analysis_can.h):
 * above all of them the tick, with its least distance as period, and then every stream, in any order. That holds
 * whatever the streams' order among themselves is, and also while a node sends their messages with the first low-speed
 * identifiers, since a level of that analysis depends on nothing but the set above it.
 */
#ifndef TAKT_ANALYSIS_CAN_DEADLINE_H
#define TAKT_ANALYSIS_CAN_DEADLINE_H

#include "takt/analysis.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** A stream of messages. All times in ns, each <= TAKT_ANALYSIS_TIME_MAX_NS. */
struct takt_analysis_can_stream {
    uint64_t send_ns;     /**< longest transmission, with stuff bits and intermission; >= bit_ns of the bus */
    uint64_t period_ns;   /**< least distance of releases; > 0 */
    uint64_t deadline_ns; /**< from release to the end of the frame; >= send_ns */
    uint64_t jitter_ns;   /**< longest delay from the nominal release until it is queued */
};

/** A bus. */
struct takt_analysis_can_deadlines {
    const struct takt_analysis_can_stream *streams; /**< those that win a tie within a region first */
    size_t stream_count;
    uint64_t bit_ns;          /**< of the nominal rate, rounded up; > 0 */
    uint64_t region_ns;       /**< > 0; 1: exact deadlines */
    uint64_t error_ns;        /**< most by which the clocks of two nodes differ; at most the least period */
    uint64_t blocking_ns;     /**< longest frame that has no such identifier and loses against all that have; 0: none */
    uint64_t above_ns;        /**< longest frame that wins against all, such as the tick of an epoch; 0: none */
    uint64_t above_period_ns; /**< least distance of two of those, nominally; > 0 if there are any */
    uint64_t above_jitter_ns; /**< longest delay of one of those */
    uint32_t iterations;      /**< limit of the work per stream, in sums over all streams */
};

/** Whether every message is begun by its deadline - send_ns, and so ends by its deadline.
 *
 * verdicts[i] is FEASIBLE: proved; INFEASIBLE: not proved, since at some release too much may go first; UNDECIDED:
 * `iterations` ran out, as at a load of exactly 1, or a busy period does not fit into 63 bits. The condition is
 * sufficient: at each release the region is taken to begin at the deadline, and the longest frame to have just begun,
 * though both may not be so at once. responses_ns[i] (NULL: not asked for) is the longest response, from the nominal
 * release to the end of the frame, if all verdicts are FEASIBLE, and else undefined: what is late loses its order.
 * Both arrays have stream_count entries. Bound: bus->iterations sums per stream. Returns OK, or INVALID (then nothing
 * is written).
 */
enum takt_analysis_status takt_analysis_can_deadlines(const struct takt_analysis_can_deadlines *bus,
                                                      enum takt_analysis_verdict *verdicts, uint64_t *responses_ns);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
