/* SPDX-License-Identifier: Apache-2.0 */
/* A CAN bus frame by frame, the oracle of the analysis, with which it shares no code: it plays what nodes do, and
 * measures. Times are plain integers, the unit does not matter.
 */
#ifndef TAKT_TEST_CAN_SIMULATOR_H
#define TAKT_TEST_CAN_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#define CAN_FRAMES 16
#define CAN_PENDING 512 /* instances of a frame; what comes beyond is not sent */

/** How instances come: each nominal release is a period after the last, its queueing within the jitter. */
enum can_pattern {
    CAN_CRITICAL, /**< all queued at 0, the first with its whole jitter behind it, the next as early as may be */
    CAN_RANDOM,   /**< a random offset; jitters at random */
};

struct can_sender {
    long send, period, jitter; /**< period 0: one instance only */
    int node;
};

/** The identifier is the index: 0 wins. */
struct can_bus {
    struct can_sender frames[CAN_FRAMES];
    int frame_count;
    long bit;
    long error_cost, error_distance, error_burst;
    int error_count; /**< of a burst; 0: none */
};

/** One run. */
struct can_run {
    enum can_pattern pattern;
    int focus;     /**< its instances are to be late: those before it may join an arbitration that has begun */
    int blocker;   /**< a frame that starts one unit before 0; -1: none */
    bool shorter;  /**< transmissions of random length, at least half of the longest */
    long end;      /**< no arbitration begins later */
    uint64_t seed; /**< of what is random */
};

/** responses[i]: the longest from nominal release to the end of the transmission; 0: none. */
void can_simulate(const struct can_bus *bus, const struct can_run *run, long *responses);

/** The next random number of a seed; and one between two numbers, both included. */
uint64_t can_random(uint64_t *seed);
long can_between(uint64_t *seed, long low, long high);

#endif
