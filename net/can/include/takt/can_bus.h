/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_BUS_H
#define TAKT_CAN_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_length.h"
#include "takt/can_node.h"

TAKT_C_BEGIN

/*
 * A simulated bus: nodes that share one wire, bit by bit, with faults. It is deterministic.
 *
 * Time is counted in nominal and data bits, as lengths are (takt_can_time_ns), which is exact outside of the part of a
 * frame at the data rate. All nodes have the same bit times. If only some of them notice an error in that part, the bit
 * times are nominal from there on to all, where on a real bus the others still sample at the data rate: they notice it
 * up to 6 nominal instead of 6 data bits later.
 *
 * Context of every call: any. Blocks: never.
 */

enum { TAKT_CAN_BUS_NODES_MAX = 64 };

/* Sets of nodes have bit i for the node i. */
struct takt_can_bus {
    struct takt_can_node *nodes; /* an array of the caller, initialized with takt_can_node_init */
    uint32_t count;              /* of nodes, 1 .. TAKT_CAN_BUS_NODES_MAX */
    uint64_t dead;               /* nodes that take no part: without power */
    uint64_t stuck;              /* nodes whose output is dominant all the time */
    uint64_t nominal_bits;       /* time since the start, in both units */
    uint64_t data_bits;
    bool level;                              /* of the last bit */
    unsigned events[TAKT_CAN_BUS_NODES_MAX]; /* of the last bit: sets of enum takt_can_event, by node */
};

/*
 * One bit time. `wrong`: nodes that read the other level than the bus has; all nodes that are there for a disturbance
 * of the wire. Returns the union of all events. O(nodes).
 */
unsigned takt_can_bus_step(struct takt_can_bus *bus, uint64_t wrong);

/* Faults that follow from a seed: the same ones for the same seed and rates. */
struct takt_can_faults {
    uint64_t state;         /* private: the seed at first */
    uint32_t wire_per_2_32; /* probability that all nodes read the other level, in 2^-32 a bit */
    uint32_t node_per_2_32; /* probability that one node does, for each node */
};

/* Draws the faults of the next bit, of `count` nodes: the argument `wrong` of takt_can_bus_step. O(count). */
uint64_t takt_can_faults_next(struct takt_can_faults *faults, uint32_t count);

/*
 * The same bus, that goes from one bit in which something happens to the next: of a frame that no
 * fault meets these are its start bit, bits in which a node loses the arbitration, the bit in which the receivers have
 * it, and its last one. Events and their times are those of takt_can_bus_step in each bit; in between the parsers of
 * the nodes are not up to date. Where nodes are not all idle, their error counters are high, or less than two of them
 * take part, it goes bit by bit.
 *
 * From the start bit of a frame to its end, no node may be started, stopped, or made to read a wrong level (`dead`,
 * `stuck`); what the nodes offer may change at any time.
 */

enum takt_can_jump_kind {
    TAKT_CAN_JUMP_NOTHING = 0, /* all are idle, and nothing is offered */
    TAKT_CAN_JUMP_OPEN = 1,    /* the next bit depends on what is offered until then */
    TAKT_CAN_JUMP_SURE = 2     /* it does not */
};

/* Of all frames, from the beginning of the start bit to the end of the bit in which receivers have it: at least. */
enum { TAKT_CAN_JUMP_RECEIVED_BITS = 43 };

/* All fields are private. */
struct takt_can_jump {
    struct takt_can_bus *bus;
    bool in_frame;
    uint32_t winner;
    struct takt_can_length length;
    uint64_t start;                        /* of its frame, in nominal bits */
    uint16_t lost[TAKT_CAN_BUS_NODES_MAX]; /* bits of the frame with that in which the node loses; 0: it does not */
    struct takt_can_frame frame;
};

/* What comes next. */
struct takt_can_jump_next {
    enum takt_can_jump_kind kind;
    bool single;                   /* it goes bit by bit */
    struct takt_can_length before; /* bits up to the beginning of the next bit in which something happens */
    struct takt_can_length free;   /* and up to the beginning of the first one that can be a start bit; 0 unless SURE */
};

/* `bus` lives as long. */
void takt_can_jump_init(struct takt_can_jump *jump, struct takt_can_bus *bus);

/* O(nodes). */
struct takt_can_jump_next takt_can_jump_next(const struct takt_can_jump *jump);

/* Passes `before`, and the bit in which something happens: its events are in the bus. Returns their union. O(nodes),
 * O(nodes * bits of an identifier) in a start bit. */
unsigned takt_can_jump_step(struct takt_can_jump *jump);

TAKT_C_END

#endif
