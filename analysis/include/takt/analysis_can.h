/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worst-case response times of the frames of a CAN bus with fixed identifiers.
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never.
 *
 * A frame is sent without preemption once it has won the arbitration; the lowest identifier wins. A response counts
 * from the nominal release, so it contains the release jitter, to the end of the frame with its intermission. The
 * bounds hold for any offsets and for deadlines beyond the periods: every instance of the busy period is examined.
 *
 * The bounds assume that:
 * - nominal releases of a frame lie at least period_ns apart, and its instance is queued at most jitter_ns later;
 * - instances of one frame are sent in order, and none replaces an earlier one that is not sent yet;
 * - each node offers the frame with the lowest identifier of those that it has queued, from the first bit of the
 *   intermission on, and can exchange it until then: a queue by priority with enough buffers, or one that aborts;
 * - no other node sends the same identifier, and no sender is error-passive: after its own frame it would wait for
 *   8 bits, in which a frame of lower priority may start.
 *
 * Errors on the bus are bounded as struct takt_analysis_can_errors says. Random errors have no bound.
 *
 * Source: Davis, Burns, Bril and Lukkien 2007, "Controller Area Network (CAN) schedulability analysis: refuted,
 * revisited and revised", Real-Time Systems 35, equations 6 to 13 (busy period, all instances, errors).
 */
#ifndef TAKT_ANALYSIS_CAN_H
#define TAKT_ANALYSIS_CAN_H

#include "takt/analysis.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** A frame with its identifier. All times in ns, each <= TAKT_ANALYSIS_TIME_MAX_NS. */
struct takt_analysis_can_frame {
    uint64_t send_ns; /**< longest transmission, with stuff bits and the 3 bits of intermission; >= bit_ns of the bus */
    uint64_t period_ns; /**< least distance of nominal releases; 0: not known, so it delays others only by blocking */
    uint64_t jitter_ns; /**< longest delay from the nominal release until it is queued */
};

/** The most errors that the bus may see: bursts of at most `count`, the first errors of two bursts at least distance_ns
 *  apart. At most k errors in any window: count = k, distance_ns = the window, burst_ns = 0. A least distance: count =
 *  1. */
struct takt_analysis_can_errors {
    uint32_t count;       /**< of a burst; 0: no errors */
    uint64_t distance_ns; /**< > 0 if there are errors */
    uint64_t burst_ns;    /**< longest time from the first error of a burst to its last */
    uint64_t cost_ns;     /**< longest error frame, with superposed flags and intermission: 31 bits of the nominal rate
                             with a suspended transmission, 23 without. The retransmission is added */
};

/** A bus. */
struct takt_analysis_can_bus {
    const struct takt_analysis_can_frame
        *frames; /**< by priority, lowest identifier first; last those without period */
    size_t frame_count;
    uint64_t bit_ns; /**< of the nominal rate, rounded up; > 0 */
    struct takt_analysis_can_errors errors;
    uint32_t iterations; /**< limit of the work per frame, in sums over all frames */
};

/** Work space, one per frame. Private. */
struct takt_analysis_can_work {
    uint64_t period_ns;
    uint64_t jitter_ns;
    uint64_t cost_ns;
    uint64_t below_ns;
};

/** Bound the response of each frame.
 *
 * responses_ns[i] is a bound if statuses[i] is OK, and undefined otherwise: UNBOUNDED if this frame, those before it
 * and the errors exceed the rate of the bus, or if it has no period; LIMIT if `iterations` ran out, as at a load of
 * exactly 1; OVERFLOW. Both arrays and `work` have frame_count entries. Bound: bus->iterations sums per frame, each of
 * as many steps as frames before it differ in period or jitter. Returns OK, or INVALID (then nothing is written).
 */
enum takt_analysis_status takt_analysis_can_responses(const struct takt_analysis_can_bus *bus,
                                                      struct takt_analysis_can_work *work, uint64_t *responses_ns,
                                                      enum takt_analysis_status *statuses);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
