/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_CLOCK_H
#define TAKT_CAN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_bus.h"
#include "takt/can_node.h"

TAKT_C_BEGIN

/*
 * A simulated bus whose nodes have clocks of their own: each counts the quanta of its bit times, samples at the end of
 * its first phase segment, and is synchronized by edges from recessive to dominant (ISO 11898-1:2015, 11.3). Where all
 * clocks are equal and begin together, each node sees in each bit what it sees in takt/can_bus.h.
 *
 * Hard synchronization: while a node waits for a frame, from the second bit of intermission on. All other edges
 * resynchronize, by at most the jump width: one between two sample points, after a recessive sample. An edge is seen at
 * the end of the quantum that it is in.
 *
 * The wire takes no time: the propagation segment is slack, and a node that sends dominant sees its own edge first. All
 * bits are at the nominal rate: frames must not have the bit BRS, and FD frames are resynchronized where ISO asks for a
 * hard synchronization at the reserved bit.
 *
 * Time is in fs, from 0 to 18446 s. Context of every call: any. Blocks: never.
 */

/* Of a bit time, in quanta, behind its first one (the synchronization segment). */
struct takt_can_timing {
    uint8_t propagation; /* each 1 .. 128 */
    uint8_t phase1;      /* the sample point is at its end */
    uint8_t phase2;
    uint8_t jump; /* SJW: at most the shorter phase segment */
};

/* Of a node. The first three fields are the caller's. */
struct takt_can_clock {
    struct takt_can_timing timing;
    uint64_t quantum_fs; /* of its own oscillator, 1 .. 10^12 */
    uint64_t next_fs;    /* when its first bit begins; then: when its quantum ends */
    uint16_t at;         /* private: the number of the quantum in its bit, */
    uint16_t sample_at;  /* at the beginning of which it samples, */
    uint16_t end;        /* and how many the bit has */
    bool sampled;        /* private: whether the sample of this bit was taken; */
    bool recessive;      /* the last sample, */
    bool seen;           /* and the level at the end of the last quantum */
    bool synchronized;   /* private: since the last sample point */
    bool starts;         /* private: a bit begins now */
};

struct takt_can_clocks {
    struct takt_can_node *nodes;   /* arrays of the caller: initialized with takt_can_node_init, */
    struct takt_can_clock *clocks; /* and with timing, quantum and beginning */
    uint32_t count;                /* of both, 1 .. TAKT_CAN_BUS_NODES_MAX */
    uint64_t now_fs;
    bool level;
    unsigned events[TAKT_CAN_BUS_NODES_MAX]; /* of nodes that sampled in the last step: sets of enum takt_can_event */
};

bool takt_can_timing_is_valid(const struct takt_can_timing *timing);

/* Quanta of a bit. */
uint32_t takt_can_timing_quanta(const struct takt_can_timing *timing);

/*
 * By how many ppm a clock may differ from the nominal rate, rounded down: the lesser of SJW / (20 NBT), so that ten
 * bits between two edges (five, a stuff bit and five) are made up for by one jump, and min(PS1, PS2) / (2 (13 NBT -
 * PS2)), so that an error flag is not taken for an overload flag 13 bits after the last edge (Hartwich and Bassemir,
 * "The configuration of the CAN bit timing", 6th International CAN Conference, 1999). The phase segments count one
 * quantum less than there, by which a node may be ahead of an edge that is in its synchronization segment.
 */
uint32_t takt_can_timing_tolerance_ppm(const struct takt_can_timing *timing);

/* Starts a bus with valid timings at time 0. */
void takt_can_clocks_start(struct takt_can_clocks *bus);

/*
 * Goes on to the next end of a quantum of any node. Returns the set of nodes that sampled then, for which `events` says
 * what that brought. O(nodes).
 */
uint64_t takt_can_clocks_step(struct takt_can_clocks *bus);

TAKT_C_END

#endif
