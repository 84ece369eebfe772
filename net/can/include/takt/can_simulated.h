/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_SIMULATED_H
#define TAKT_CAN_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_bus.h"
#include "takt/can_controller.h"

TAKT_C_BEGIN

/*
 * Controllers of nodes of a simulated bus (takt/can_bus.h), behind the interface of all controllers. A controller
 * decides up to the start bit which mailbox it offers, and takes no time.
 *
 * Context of every call: any. Blocks: never. O(mailboxes).
 */

enum takt_can_simulated_kind {
    /* 16 buffers, some of which send and the others receive, each with a mask filter of its own; a frame that finds all
       of its buffers full overwrites the first. Classic frames (Motorola TouCAN: seed 000, 7.4.1) */
    TAKT_CAN_TOUCAN = 0,
    /* 3 mailboxes that send, 16 filters of any kind, and a FIFO that receives 3 frames and loses further ones. FD, too
       (as the controllers of usual microcontrollers) */
    TAKT_CAN_THREE = 1
};

enum { TAKT_CAN_TOUCAN_BUFFERS = 16, TAKT_CAN_SIMULATED_FILTERS = 16 };

/* A controller. `controller` is what others use; `overrun` may be read. */
struct takt_can_simulated {
    struct takt_can_controller controller;
    struct takt_can_bus *bus; /* private, as all fields below but `overrun` */
    uint32_t node;
    enum takt_can_simulated_kind kind;
    uint32_t overrun; /* received frames that were lost */
    struct takt_can_frame frames[TAKT_CAN_MAILBOXES_MAX];
    uint32_t loaded; /* sets of mailboxes */
    uint32_t sent;
    uint32_t aborted;
    uint32_t aborting;
    uint32_t interrupts;
    uint8_t offered; /* the mailbox that it offers, and that on the bus; TAKT_CAN_MAILBOXES_MAX: none */
    uint8_t on_bus;
    bool running;
    bool off;
    bool recovers;
    bool went_off; /* events */
    bool came_back;
    bool raised; /* an interrupt */
    struct takt_can_filter filters[TAKT_CAN_SIMULATED_FILTERS];
    uint32_t filter_count; /* UINT32_MAX: it receives all */
    struct takt_can_frame received[TAKT_CAN_TOUCAN_BUFFERS];
    uint64_t arrivals[TAKT_CAN_TOUCAN_BUFFERS]; /* the number of each received frame; 0: the buffer is empty */
    uint64_t arrived;
};

/* A controller and its place on a bus. */
struct takt_can_simulated_config {
    enum takt_can_simulated_kind kind;
    uint8_t transmit;         /* of TOUCAN: buffers that send, 1 .. 16; else not read */
    struct takt_can_bus *bus; /* which lives as long as the controller */
    uint32_t node;            /* its index there */
};

/* Makes a controller that is stopped: its node is dead. */
void takt_can_simulated_init(struct takt_can_simulated *simulated, const struct takt_can_simulated_config *config);

/* Notes what the last bit brought to its node: after each takt_can_bus_step. O(mailboxes + filters). */
void takt_can_simulated_note(struct takt_can_simulated *simulated);

/* Whether there was an interrupt since the last call. */
bool takt_can_simulated_interrupt(struct takt_can_simulated *simulated);

/* Whether something waits that nobody has asked for: an event or a received frame. O(buffers). */
bool takt_can_simulated_waits(const struct takt_can_simulated *simulated);

TAKT_C_END

#endif
