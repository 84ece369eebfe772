/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schedulability conditions for CAN as seed 000 prints them. They overlook misses: for `takt reproduce can` alone,
 * to draw the seed's figures. What proves is in takt/analysis_can.h and takt/analysis_can_deadline.h.
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never.
 *
 * All ask whether a message is begun by deadline - send, with all streams released at once behind a frame of
 * blocking_ns, the longest of the bus of any sender. The frame above all, which stands for what an epoch costs, is
 * released with them. What is wrong:
 *
 * - Only the first release of a stream is examined. Under deadlines in the identifier a later one may be the late one.
 * - A message that is released within the first bit of an arbitration takes part in it; these leave it out.
 * - Two messages whose deadlines to start are equal do not delay each other under MTS.
 * - The seed's frames have no stuff bits. That is the caller's choice of send_ns.
 *
 * The sum of send / period is examined by none; the seed has it before the condition of MTS.
 *
 * Source: seed 000, 7.3.6; for earliest deadline first, of which it says only where its check is from: Zheng and Shin
 * 1994, "On the ability of establishing real-time channels in point-to-point packet-switched networks", IEEE
 * Transactions on Communications 42 (theorem 1). This one proves, as long as frames have the lengths given: it is
 * sufficient.
 */
#ifndef TAKT_ANALYSIS_CAN_PRINTED_H
#define TAKT_ANALYSIS_CAN_PRINTED_H

#include "takt/analysis_can_deadline.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** The printed condition of deadline-monotonic identifiers: streams by priority, region_ns has no effect.
 *
 * verdicts[i] is FEASIBLE: the condition holds; INFEASIBLE: it does not; UNDECIDED: `iterations` ran out. `verdicts`
 * has stream_count entries. Bound: bus->iterations sums per stream. Returns OK, or INVALID as
 * takt_analysis_can_deadlines (then nothing is written).
 */
enum takt_analysis_status takt_analysis_can_printed_fixed(const struct takt_analysis_can_deadlines *bus,
                                                          enum takt_analysis_verdict *verdicts);

/** The printed condition of the high-speed streams of MTS, in the order of their deadlines. Else as
 *  takt_analysis_can_printed_fixed. */
enum takt_analysis_status takt_analysis_can_printed_mixed(const struct takt_analysis_can_deadlines *bus,
                                                          enum takt_analysis_verdict *verdicts);

/** The check of earliest deadline first, of all streams together: up to every deadline in the longest busy period,
 *  what is due by then, and blocking_ns, fits. region_ns has no effect. Bound: bus->iterations sums. Returns as
 *  takt_analysis_can_printed_fixed; the verdict is INFEASIBLE at a sum of send / period above 1, too. */
enum takt_analysis_status takt_analysis_can_printed_earliest(const struct takt_analysis_can_deadlines *bus,
                                                             enum takt_analysis_verdict *verdict);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
