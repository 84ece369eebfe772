/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far apart the clocks of two nodes are that a master synchronizes (takt/clock.h), and the times of its protocol.
 *
 * Pure integer functions over structures that the caller owns: no allocation, recursion, floating point or global
 * state. Context of every call: any. Blocks: never.
 *
 * Assumed of every node, at all times:
 * - its counter runs at a rate of 1 +- drift_ppm, which may change at any time;
 * - it stamps the end of a tick up to stamp_ns late: in a receiver and in the sender, each by its own delay;
 * - it misses at most `lost` ticks (or their follow-ups) of each master in a row;
 * - masters change at most once in settle_ns; several that die together are one change.
 *
 * Derivation. Of a tick that both stamped, the receiver knows the master's time up to stamp_ns; since then the two
 * counters go apart by at most 2 drift. A node comes closer to that time at slew_ppm, which is faster than they go
 * apart, so it is never further away than it was or than that time is wrong. That gives `node_ns` after the longest
 * time without a tick that was heard. While the master changes, nodes count by the old one for up to the longest time
 * to the follow-up of the new one (B'); the new one is itself as far off, and a node that heard it may be to the other
 * side of it already: 2 B' + node_ns. One follow-up per tick: Gergeleit and Streich, "Implementing a distributed
 * high-resolution real-time clock using the CAN-bus", 1st International CAN Conference, 1994. The derivation is ours.
 */
#ifndef TAKT_ANALYSIS_CLOCK_H
#define TAKT_ANALYSIS_CLOCK_H

#include "takt/analysis.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_ANALYSIS_CLOCK_DRIFT_MAX 500            /**< ppm */
#define TAKT_ANALYSIS_CLOCK_SLEW_MAX 100000          /**< ppm */
#define TAKT_ANALYSIS_CLOCK_LOST_MAX 16              /**< ticks in a row */
#define TAKT_ANALYSIS_CLOCK_MASTERS_MAX 8            /**< as in takt/clock.h */
#define TAKT_ANALYSIS_CLOCK_WINDOW 16                /**< intervals, as in takt/clock.h */
#define TAKT_ANALYSIS_CLOCK_INTERVAL_MAX 10000000000 /**< ns: 10 s */

/** What a service of clocks is declared with. */
struct takt_analysis_clock {
    uint64_t interval_ns;  /**< between two ticks, by the master's counter; 1 .. INTERVAL_MAX */
    uint64_t tick_ns;      /**< longest time from when a tick is due to its end on the bus */
    uint64_t follow_up_ns; /**< longest time from that end until a receiver has processed the follow-up; with tick_ns
                                at most interval_ns */
    uint64_t stamp_ns;     /**< a time stamp of that end is at most this late; at most interval_ns */
    uint32_t drift_ppm;    /**< of each counter, from true time; 0 .. DRIFT_MAX */
    uint32_t slew_ppm;     /**< by which a clock is made faster or slower, 1 .. SLEW_MAX */
    uint32_t lost;         /**< ticks in a row that a node may miss; 0 .. LOST_MAX */
    uint32_t masters;      /**< 1 .. MASTERS_MAX */
};

/** Bounds and times. In ns, in true time but for those that are said to be of a node's own counter. */
struct takt_analysis_clock_bounds {
    uint64_t node_ns;      /**< a node from its master, where the master has not changed for settle_ns */
    uint64_t steady_ns;    /**< any two nodes, likewise */
    uint64_t precision_ns; /**< any two nodes that are not unsynchronized, whenever the master changes */
    uint64_t faulty_ns;    /**< any two others, while a master is faulty and for at most two windows is followed */
    uint64_t silence_ns;   /**< own: after this time without a tick a master is dead */
    uint64_t stagger_ns;   /**< own: each further rank waits longer by this */
    uint64_t holdover_ns;  /**< own: after this time without a tick a node is unsynchronized; it also is how long a
                                master listens before it begins a time of its own */
    uint64_t settle_ns;    /**< own: from a change of the master until steady_ns holds */
    uint64_t accept_ns;    /**< a follow-up is never further from the time of a node that is synchronized */
    uint64_t takeover_ns;  /**< from the last tick of a master that dies to the end of the follow-up after it */
    uint64_t detect_ns;    /**< a jump of a master that is longer is rejected by all other nodes at once */
};

/**
 * Bounds and times of a service. INVALID: a value is out of range, or slewing by slew_ppm is not faster than two
 * counters go apart (slew > 2 drift / (1 - drift)). O(1).
 */
enum takt_analysis_status takt_analysis_clock(const struct takt_analysis_clock *clock,
                                              struct takt_analysis_clock_bounds *bounds);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
