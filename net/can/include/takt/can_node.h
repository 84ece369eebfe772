/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_NODE_H
#define TAKT_CAN_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_errors.h"
#include "takt/can_parser.h"

TAKT_C_BEGIN

/*
 * A node of a bus, bit by bit: arbitration, acknowledgement, error and overload frames, intermission, suspended
 * transmission and recovery from bus-off (ISO 11898-1:2015). In each bit time every node first says what it sends
 * (takt_can_node_drive), then learns what the bus has at its sample point (takt_can_node_sample): dominant as soon as
 * one node sends dominant. All nodes see the same bit times; takt/can_clock.h has clocks that differ.
 *
 * Overload frames are reactive alone: no node delays others by one of its own accord. A recessive reserved bit of an FD
 * frame is a form error: the exception for later protocols is not there. A receiver counts a frame as received when it
 * becomes valid, at the last but one bit of its end.
 *
 * Context of every call: any. Blocks: never. O(1), O(64) when a frame begins.
 */

enum takt_can_phase {
    TAKT_CAN_INTEGRATING = 0, /* waits for 11 recessive bits */
    TAKT_CAN_IDLE = 1,
    TAKT_CAN_IN_FRAME = 2,
    TAKT_CAN_IN_FLAG = 3,      /* of an error or overload frame */
    TAKT_CAN_AFTER_FLAG = 4,   /* until the bus is recessive */
    TAKT_CAN_IN_DELIMITER = 5, /* of an error or overload frame */
    TAKT_CAN_IN_INTERMISSION = 6,
    TAKT_CAN_SUSPENDED = 7, /* an error-passive transmitter, for 8 bits */
    TAKT_CAN_OFF = 8        /* bus-off */
};

enum takt_can_error {
    TAKT_CAN_ERROR_BIT = 0, /* the bus has not the level that the node sends */
    TAKT_CAN_ERROR_STUFF = 1,
    TAKT_CAN_ERROR_FORM = 2,
    TAKT_CAN_ERROR_CRC = 3,
    TAKT_CAN_ERROR_ACK = 4, /* no node acknowledged the frame */
    TAKT_CAN_ERRORS = 5
};

/* What a bit brought to a node: a set of these. */
enum takt_can_event {
    TAKT_CAN_STARTED = 1,     /* it begins to send a frame */
    TAKT_CAN_LOST = 2,        /* it lost the arbitration, and receives */
    TAKT_CAN_TRANSMITTED = 4, /* the frame was sent and acknowledged: it is pending no more */
    TAKT_CAN_RECEIVED = 8,    /* `parser.frame` is a frame of another node */
    TAKT_CAN_FAILED = 16,     /* it saw an error, `error`; a frame of its own stays pending */
    TAKT_CAN_OVERLOADED = 32, /* it begins an overload frame */
    TAKT_CAN_CHANGED = 64     /* its state is another: takt_can_errors_state */
};

/* Fields may be read; only the calls below write them. */
struct takt_can_node {
    struct takt_can_errors errors;
    struct takt_can_parser parser;
    struct takt_can_frame sent;           /* copy of the frame that it sends or sent last */
    const struct takt_can_frame *pending; /* what it sends next; NULL: nothing */
    const struct takt_can_frame *sending; /* `pending` of when it began; NULL: it does not send */
    enum takt_can_phase phase;
    enum takt_can_error error; /* the last one */
    uint16_t count;            /* of bits, of the phase */
    bool transmitter;          /* of the frame, or of the last one: it sent it and did not lose the arbitration */
    bool driven;               /* what it sends in this bit time */
    bool passive;              /* of a flag: recessive */
    bool overload;             /* of flag and delimiter: of an overload frame */
    bool last;                 /* of a passive flag: level of the last bit */
    bool unacknowledged; /* of a passive flag: the missing acknowledgement does not count while no bit is dominant */
};

/* Starts a node that waits for 11 recessive bits. */
void takt_can_node_init(struct takt_can_node *node);

/*
 * Sets what the node sends next, when it may: a valid frame, which lives until it was transmitted or exchanged, or NULL
 * for nothing. A frame that is being sent (`sending`) goes on; if it fails, what is pending then follows.
 */
void takt_can_node_offer(struct takt_can_node *node, const struct takt_can_frame *frame);

/* What the node sends in the next bit time: false is dominant. */
bool takt_can_node_drive(struct takt_can_node *node);

/* Notes the level of the bus in this bit time, after takt_can_node_drive. Returns a set of enum takt_can_event. */
unsigned takt_can_node_sample(struct takt_can_node *node, bool level);

/* Whether the next bit of the node is at the data bit rate. */
bool takt_can_node_is_fast(const struct takt_can_node *node);

TAKT_C_END

#endif
