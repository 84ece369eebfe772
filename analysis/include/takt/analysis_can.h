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
 * - each node takes part in every arbitration while it has frames queued, with the frame that enum
 *   takt_analysis_can_queue says; a buffer that becomes free is filled within the intermission;
 * - no other node sends the same identifier, and no sender is error-passive: after its own frame it would wait for
 *   8 bits, in which a frame of lower priority may start.
 *
 * Errors on the bus are bounded as struct takt_analysis_can_errors says. Random errors have no bound.
 *
 * Sources: Davis, Burns, Bril and Lukkien 2007, "Controller Area Network (CAN) schedulability analysis: refuted,
 * revisited and revised", Real-Time Systems 35, equations 6 to 13 (busy period, all instances, errors). Queues by order
 * of arrival: Davis, Kollmann, Pollex and Slomka 2011, ECRTS (priority of the group, buffering time as jitter); Davis
 * and Navet 2012, WFCS (deadlines beyond periods; no frame waits for longer than the busy period of the whole bus).
 * Buffers that cannot be aborted: Khan, Davis and Navet 2011, ETFA. What is derived beyond them:
 *
 * In a busy period of level m some frame of priority >= m is offered from its begin t on, so only those win; and the
 * frame that is being sent at t, if any, is of lower priority. A frame k of priority >= m that its sender then holds
 * back (behind a frame of lower priority that is offered instead) is sent in this busy period only if that frame is the
 * one that is being sent at t, since another cannot be sent in it. So at most one sender, the one that blocks, has held
 * frames back, and none of them for longer than until the start of the blocking frame: their time until then counts as
 * jitter, that of other senders does not. The bound is the largest over the senders that may block.
 *
 * - FIFO: from the queueing of a frame m at time a of a busy period on, its sender offers frames of the priority of the
 *   lowest of its frames, l, or higher. Before m go those of its sender queued up to a. Frames of others between m and
 * l win only until the start of the last frame before m that is lower than m: so long m is held back. Every a at which
 *   what is before m grows is examined.
 * - BUFFERS: m may find n frames of lower priority in the buffers, and waits until the first of them has been sent.
 * That is at lowest its sender's n-th from below, l: one of these or of higher priority is offered as long as one is
 *   queued. From a to the start of that frame none other of its sender goes; then it offers m or what is above it, and
 *   frames of others between m and l do not win. The same search, but frames of its sender above m pass it.
 * - Both: where no lower frame of its sender begins while m waits, m is bounded as by priority, those above it of a
 * FIFO sender as far as they are queued up to a.
 *
 * The delays of FIFO and BUFFERS depend on each other, and are the least fixed point over all senders.
 *
 * With the offsets of frames that share a clock: Palencia and Gonzalez Harbour 1998, RTSS, sections 3 and 4, where a
 * transaction is what shares a clock, for the sums of Davis and others 2007; Yomsi, Bertrand, Navet and Davis 2012,
 * WFCS, have the same for frames of one sender. A busy period of level m is longest if it begins when, on each clock,
 * some frame of the level is queued as late as its jitter allows. All of these times on the clock of m are tried, each
 * with all instances of m. The other clocks have no relation to it: in each window each counts with the most that it
 * can queue in a window of this length.
 */
#ifndef TAKT_ANALYSIS_CAN_H
#define TAKT_ANALYSIS_CAN_H

#include "takt/analysis.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** Which of its queued frames a sender offers. */
enum takt_analysis_can_queue {
    TAKT_ANALYSIS_CAN_PRIORITY,  /**< that of the highest priority: a buffer for each frame, or one that is exchanged
                                    until  the arbitration */
    TAKT_ANALYSIS_CAN_FIFO,      /**< that queued first; of those queued at one time any */
    TAKT_ANALYSIS_CAN_BUFFERS,   /**< that of the highest priority in its buffers, which are not aborted. A free buffer
                                      gets that of the highest priority in the queue, of each frame one instance */
    TAKT_ANALYSIS_CAN_ABORTABLE, /**< the same, but a frame that finds them full replaces the lowest of lower priority,
                                      which is offered until then, at most abort_ns later */
};

/** A node that sends. */
struct takt_analysis_can_sender {
    enum takt_analysis_can_queue queue;
    uint32_t buffers;  /**< of BUFFERS and ABORTABLE: > 0 */
    uint64_t abort_ns; /**< of ABORTABLE; <= TAKT_ANALYSIS_TIME_MAX_NS */
};

/** A frame with its identifier. All times in ns, each <= TAKT_ANALYSIS_TIME_MAX_NS. */
struct takt_analysis_can_frame {
    uint64_t send_ns; /**< longest transmission, with stuff bits and the 3 bits of intermission; >= bit_ns of the bus */
    uint64_t period_ns; /**< least distance of nominal releases; 0: not known, so it delays others only by blocking */
    uint64_t jitter_ns; /**< longest delay from the nominal release until it is queued */
    uint32_t sender;    /**< index of its sender; without a period it has a queue of its own, by priority */
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
    const struct takt_analysis_can_sender *senders;
    size_t sender_count; /**< 0: every frame is sent by priority */
};

/** Work space, one per frame. Private. */
struct takt_analysis_can_work {
    uint64_t period_ns;
    uint64_t jitter_ns;
    uint64_t cost_ns;
    uint64_t below_ns;
    uint64_t queued_ns;
    uint64_t held_ns;
    uint32_t iterations;
    uint32_t below_count;
};

/** Bound the response of each frame.
 *
 * responses_ns[i] is a bound if statuses[i] is OK, and undefined otherwise: UNBOUNDED if this frame, those before it
 * and the errors exceed the rate of the bus, or if it has no period; LIMIT if `iterations` ran out, as at a load of
 * exactly 1; OVERFLOW. With FIFO or BUFFERS a frame has no bound, either, if one that its sender offers instead has
 * none. Both arrays and `work` have frame_count entries. Bound: bus->iterations sums per frame, each of as many steps
 * as frames before it differ in period or jitter. Returns OK, or INVALID (then nothing is written).
 */
enum takt_analysis_status takt_analysis_can_responses(const struct takt_analysis_can_bus *bus,
                                                      struct takt_analysis_can_work *work, uint64_t *responses_ns,
                                                      enum takt_analysis_status *statuses);

/** A time at which a frame is queued on the clock of its group, within one cycle of the group. Private. */
struct takt_analysis_can_release {
    uint64_t time_ns;
    size_t frame;
};

/** The most that a group queues in a window longer than after_ns. Private. */
struct takt_analysis_can_step {
    uint64_t after_ns;
    uint64_t sum_ns;
};

/** Of a frame, and of the group whose first frame it is. Private. */
struct takt_analysis_can_group {
    uint64_t cycle_ns;
    size_t first;
    size_t count;
    size_t end;
    size_t steps;
    size_t step_count;
    size_t at;
    bool fixed;
    bool plain;
};

/** Work space. What does not fit into it, or takes more than bus->iterations, counts without offsets. */
struct takt_analysis_can_offsets {
    struct takt_analysis_can_work *frames;      /**< frame_count */
    struct takt_analysis_can_group *groups;     /**< frame_count */
    struct takt_analysis_can_release *releases; /**< of each group those of one cycle: the least common multiple of its
                                                   periods */
    size_t release_count;
    struct takt_analysis_can_step *steps; /**< of each group those of one busy period; all groups have as many */
    size_t step_count;
};

/** As takt_analysis_can_responses, where frames of a group are released by one clock: nominally at phases[i].offset_ns
 * + n * period_ns each, from a time that is not known; periods may differ within a group. A release may be left out.
 * phases[i].group is the index of the group's first frame; a frame alone in its group need not be periodic.
 *
 * Never more than takt_analysis_can_responses, with the same statuses; which is the answer for senders that do not
 * offer by priority, and where work space or iterations do not suffice. Bound: that of takt_analysis_can_responses, and
 * bus->iterations sums and steps per frame, twice. `phases` has frame_count entries, each offset <=
 * TAKT_ANALYSIS_TIME_MAX_NS. Returns OK, or INVALID (then nothing is written).
 */
enum takt_analysis_status takt_analysis_can_responses_with_offsets(const struct takt_analysis_can_bus *bus,
                                                                   const struct takt_analysis_phase *phases,
                                                                   const struct takt_analysis_can_offsets *work,
                                                                   uint64_t *responses_ns,
                                                                   enum takt_analysis_status *statuses);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
