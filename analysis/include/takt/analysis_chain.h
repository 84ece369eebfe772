/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of tasks and messages: how long until an output shows a cause, and how old what an output uses may be.
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never.
 *
 * Each step reads what the step before it wrote last, at any time of its job, and writes at any time of it. A step is
 * periodic ("sampled"), or its job is started by the one before it ("triggered"): such steps are one step here, whose
 * response is the sum of theirs.
 *
 * - The *reaction* is the time from a cause, which the first step may just have missed, to the completion of the first
 *   job of the last step that uses it (maximum reaction time).
 * - The *age* is the time from when the first step read its input to the completion of the last job of the last step
 *   that uses it (reduced maximum data age: without the time for which that output stays).
 *
 * Both hold for causes and reads from the time on at which each step has arrived once.
 *
 * Bounds on both are the sum over segments of the chain, each of steps that know each other's times or of steps that do
 * not (Guenzel and others 2021, the cutting theorem). Within a segment of one clock every job of the hyperperiod is
 * followed, forwards and backwards, with its earliest read and its latest write (Kloda, Bertout and Sorel, ETFA 2018);
 * elsewhere the steps are summed (Davare and others 2007, Duerr and others 2019). Jobs that execute less than their
 * worst case are covered. Sums need no order of priorities; `ahead` is the one use of it: as no job of the consumer
 * begins while one of the producer is released, the consumer waits for the release of the producer's job and not for
 * its completion, which is no more than the published max(R, T).
 */
#ifndef TAKT_ANALYSIS_CHAIN_H
#define TAKT_ANALYSIS_CHAIN_H

#include "takt/analysis.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** Most steps of a chain. */
#define TAKT_ANALYSIS_CHAIN_MAX 64

/** A step. All times in ns, each <= TAKT_ANALYSIS_TIME_MAX_NS. */
struct takt_analysis_chain_step {
    uint64_t period_ns;   /**< longest distance of two arrivals; 0: the cause itself starts it (the first step only) */
    uint64_t offset_ns;   /**< of its first arrival on its clock */
    uint64_t response_ns; /**< bound from an arrival to its last write, > 0 */
    uint64_t jitter_ns;   /**< longest delay from an arrival to the release; <= response_ns */
    uint32_t clock;       /**< steps with the same number > 0 arrive at offset_ns + k * period_ns of one time, k = 0, 1,
                             2 ...; 0: only the longest distance is known */
    bool ahead;           /**< no job of the next step begins while one of this step is released and not complete */
};

/** Bounds of a chain, in ns. */
struct takt_analysis_chain_bounds {
    uint64_t reaction_ns;
    uint64_t age_ns; /**< UINT64_MAX: there is none, as the cause starts the first of several steps */
};

/** Bound the reaction and the age of steps[0 .. count).
 *
 * `iterations`: jobs that are followed in each segment; where its hyperperiod has more, its steps are summed. More of
 * them never make a bound greater. Bound: 2 * iterations * count steps for each segment. Returns OK, INVALID (nothing
 * is written: no steps or too many, or a field against its rule) or OVERFLOW.
 */
enum takt_analysis_status takt_analysis_chain(const struct takt_analysis_chain_step *steps, size_t count,
                                              uint32_t iterations, struct takt_analysis_chain_bounds *bounds);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
