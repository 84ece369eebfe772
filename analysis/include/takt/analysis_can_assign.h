/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimal identifiers for the frames of a CAN bus: an order of arbitration in which every frame is within its deadline.
 *
 * Pure integer functions over arrays that the caller owns: no allocation, recursion, floating point or global state.
 * Context of every call: any. Blocks: never. The responses are those of takt/analysis_can.h, with its assumptions.
 *
 * From the lowest priority up, each slot gets a frame that is within its deadline there, with the frames that have no
 * slot yet above it. Which of several changes nothing for the others: a frame that moves from above another one to
 * below it delays that one by at most its own transmission, and did so at least once before. So a search that finds no
 * frame for a slot proves that none exists, as long as no slot was too little (below). Of frames that all fit, the
 * one with the least response / deadline makes the largest of these shares over all frames as small as possible.
 *
 * Places are identifiers. Where frames may not take each other's, as those of 11 and 29 bits or those that must keep
 * theirs, more frames may be able to go below such an identifier than there are slots there. Which of them do so then
 * matters, and is chosen by rule: an assignment that is found holds, but if none is found, there may still be one.
 *
 * Source: Davis, Burns, Bril and Lukkien 2007, "Controller Area Network (CAN) schedulability analysis: refuted,
 * revisited and revised", Real-Time Systems 35, section 7 (Audsley's optimal priority assignment on CAN); Davis and
 * Burns 2009, "Robust priority assignment for messages on Controller Area Network (CAN)", Real-Time Systems 41 (the
 * choice by margin).
 */
#ifndef TAKT_ANALYSIS_CAN_ASSIGN_H
#define TAKT_ANALYSIS_CAN_ASSIGN_H

#include "takt/analysis_can.h"

TAKT_C_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** No frame. */
#define TAKT_ANALYSIS_CAN_NONE UINT32_MAX

/** An identifier. */
struct takt_analysis_can_slot {
    uint32_t kind;   /**< of the frames that may get it; its holder may, too */
    uint32_t holder; /**< index of the frame that has it now; TAKT_ANALYSIS_CAN_NONE: none has it */
};

/** What an assignment must know of a frame. */
struct takt_analysis_can_need {
    uint64_t deadline_ns; /**< from the nominal release; > 0, <= TAKT_ANALYSIS_TIME_MAX_NS */
    uint32_t kind;        /**< equal to that of the slots that it may get */
};

/** Which of the frames that are within their deadlines gets a slot. */
enum takt_analysis_can_choice {
    TAKT_ANALYSIS_CAN_LEAST_SHARE,   /**< the one with the least response / deadline */
    TAKT_ANALYSIS_CAN_KEEP_HOLDERS,  /**< its holder, else one that cannot keep its own, lower one; else none */
    TAKT_ANALYSIS_CAN_KEEP_AND_SWAP, /**< as above, else, if it has a holder, the one of highest priority now */
    TAKT_ANALYSIS_CAN_KEEP_AND_FILL, /**< as above, else the one of highest priority now */
};

/** A response / deadline. Both <= 2^63. */
struct takt_analysis_can_share {
    uint64_t time_ns;
    uint64_t of_ns; /**< > 0 */
};

/** The question. */
struct takt_analysis_can_assignment {
    const struct takt_analysis_can_bus *bus;    /**< its frames in the order of their identifiers now */
    const struct takt_analysis_can_need *needs; /**< of each frame; those of frames without a period have no effect */
    const struct takt_analysis_can_slot *slots; /**< lowest identifier first */
    size_t slot_count;
    struct takt_analysis_can_share most; /**< of each response / deadline; 1 or less, so that deadlines hold */
    bool below;                          /**< each is less than `most` */
    enum takt_analysis_can_choice choice;
};

/** Work space, one per frame. Private. */
struct takt_analysis_can_assign_work {
    struct takt_analysis_can_share share;
    size_t stream;
    uint32_t level;
    bool placed;
    bool displaced;
    bool within;
};

/** Give each frame with a period a slot.
 *
 * occupants[i] gets the index of the frame at slots[i], or TAKT_ANALYSIS_CAN_NONE. The verdict is FEASIBLE: each frame
 * has a slot, and there its response, as takt_analysis_can_responses finds it, is within `most` of its deadline;
 * INFEASIBLE: no assignment has that; UNDECIDED: none was found, since `iterations` or the slots below a frame of
 * another kind were too few, or by a choice that may leave slots empty. If all frames and slots are of one kind,
 * LEAST_SHARE makes the largest share as small as any assignment can. `work` and `streams` have bus->frame_count
 * entries, `occupants` has slot_count. Bound: frame_count squared responses, and slot_count times frame_count steps.
 * Returns OK, or INVALID (then nothing is written).
 */
enum takt_analysis_status takt_analysis_can_assign(const struct takt_analysis_can_assignment *assignment,
                                                   struct takt_analysis_can_assign_work *work,
                                                   struct takt_analysis_can_work *streams, uint32_t *occupants,
                                                   enum takt_analysis_verdict *verdict);

#ifdef __cplusplus
}
#endif

TAKT_C_END

#endif
