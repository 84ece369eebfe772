/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_FAULTS_H
#define TAKT_LIBRARY_CAN_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/can_bus.h"

/*
 * Faults that options of a run inject on a simulated bus, canN_OPTION=NUMBER with the index N of the bus: `flips`, the
 * mean distance of disturbed bits in 2^-8 bits; `babbleK`, the number of another node's message that is sent without a
 * pause; `deadK` and `deadK_ns`, a node that leaves the bus then, or CAN_ALL_NODES. K counts from 0.
 */
enum { CAN_FAULTS_MAX = 8, CAN_ALL_NODES = 0xFFFF };

struct can_death {
    uint64_t time_ns;
    uint16_t node;
};

struct can_faults {
    uint64_t random;
    uint64_t mean;     /* in 2^-8 bits; 0: no bit is disturbed */
    uint64_t bit;      /* the next one that is, since the start; UINT64_MAX: none */
    uint64_t nodes;    /* that read it wrong */
    uint32_t babblers; /* messages */
    uint32_t death_count;
    uint32_t babble[CAN_FAULTS_MAX];
    struct can_death deaths[CAN_FAULTS_MAX]; /* by time */
    bool pending;                            /* no error has followed from the last fault yet */
};

/* Reads the options of the bus with that index. True: something is injected. */
bool can_faults_init(struct can_faults *faults, unsigned index, uint64_t seed);

/* Nodes that read the other level in the bit, and draws the next one. */
uint64_t can_faults_wrong(struct can_faults *faults, uint64_t bit);

bool can_faults_babbles(const struct can_faults *faults, uint32_t message);

/* What a bit of the bus brought, if it is worth a line in the log. */
enum can_finding { CAN_NOTHING = 0, CAN_ERROR = 1, CAN_WORSE = 2 };

/* Whether error or overload frames are on the bus. */
bool can_faults_is_flagged(const struct takt_can_bus *bus);

/*
 * A set of findings. CAN_ERROR: the first error that some node saw of a fault, not those by which other nodes answer
 * it; CAN_WORSE: a node became error-passive or bus-off. `flagged`: before the bit.
 */
unsigned can_faults_note(struct can_faults *faults, const struct takt_can_bus *bus, bool flagged);

#endif
