/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_ERRORS_H
#define TAKT_CAN_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Error counters of a node, and the state that follows from them (fault confinement, ISO 11898-1:2015, 12.1). A node
 * that sees many errors stops to destroy the frames of others (error-passive), and one whose own frames fail leaves the
 * bus (bus-off), until it has seen 128 times 11 recessive bits. Which event adds what is a matter of takt/can_node.h.
 *
 * Context of every call: any. Blocks: never. O(1).
 */

enum takt_can_state { TAKT_CAN_ACTIVE = 0, TAKT_CAN_PASSIVE = 1, TAKT_CAN_BUS_OFF = 2 };

enum {
    TAKT_CAN_WARNING = 96,             /* counters from which on drivers warn */
    TAKT_CAN_PASSIVE_FROM = 128,       /* a counter of that or more: error-passive */
    TAKT_CAN_BUS_OFF_FROM = 256,       /* the transmit counter alone */
    TAKT_CAN_RECOVERY_SEQUENCES = 128, /* after each of which a bus-off node has seen 11 recessive bits more */
    TAKT_CAN_RECOVERY_BITS = 11
};

struct takt_can_errors {
    uint16_t transmit;  /* private, as all fields: 0 .. 263; from 256 on the node is bus-off */
    uint16_t receive;   /* 0 .. 255, and no more */
    uint16_t sequences; /* of a bus-off node: of 11 recessive bits, so far */
    uint16_t recessive; /* recessive bits since the last dominant one or the last sequence */
};

/* What happened to a node, and what its counters do. */
enum takt_can_count {
    TAKT_CAN_COUNT_RECEIVED = 0,         /* receive - 1, from above 127: to 127 */
    TAKT_CAN_COUNT_TRANSMITTED = 1,      /* transmit - 1 */
    TAKT_CAN_COUNT_RECEIVER_ERROR = 2,   /* receive + 1 */
    TAKT_CAN_COUNT_RECEIVER_SEVERE = 3,  /* receive + 8 */
    TAKT_CAN_COUNT_TRANSMITTER_ERROR = 4 /* transmit + 8 */
};

/* Sets both counters to 0: error-active. */
void takt_can_errors_init(struct takt_can_errors *errors);

enum takt_can_state takt_can_errors_state(const struct takt_can_errors *errors);

/* Whether a counter has reached TAKT_CAN_WARNING. */
bool takt_can_errors_is_warning(const struct takt_can_errors *errors);

/* Counts an event of a node that is not bus-off. */
void takt_can_errors_count(struct takt_can_errors *errors, enum takt_can_count count);

/* Notes a bit of the bus while the node is bus-off. True: it has recovered, and both counters are 0. */
bool takt_can_errors_recover(struct takt_can_errors *errors, bool level);

TAKT_C_END

#endif
