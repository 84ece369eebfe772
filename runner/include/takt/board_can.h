/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BOARD_CAN_H
#define TAKT_BOARD_CAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_controller.h"
#include "takt/can_length.h"

TAKT_C_BEGIN

/* What a board with `can_interrupts` in board.toml offers: its CAN controllers. */

/* A message of another node, which an emulated board plays. */
struct takt_board_can_message {
    struct takt_can_shape shape;
    uint32_t id;
    uint64_t period_ns; /* > 0 */
    uint64_t jitter_ns; /* it is queued up to this later than its nominal release */
    uint16_t node;      /* number of its sender */
    /* Writes what its sender does into data of any bits; NULL: nothing. `number`: of frames that were sent before. */
    void (*fill)(uint8_t *data, uint32_t number);
};

/* What the board knows of it. Private but for reading `origin_ns`. */
struct takt_board_can_played {
    uint64_t origin_ns;  /* release of the frame that was sent last: the nominal one, of a message that is played */
    uint64_t nominal_ns; /* of the next release */
    uint64_t release_ns; /* jitter included */
    uint64_t period_ns;  /* by the clock of its sender */
    uint32_t waiting;
    uint32_t sent;
};

/* A bus. Constant. */
struct takt_board_can_bus {
    struct takt_can_rates rates;
    uint8_t mailboxes; /* for transmission; 0: as many as the controller has */
    bool fd;
    uint16_t drift_ppm;    /* by how much the clocks of other nodes are wrong at most */
    const char *interface; /* of the machine, on `host`: in real time; NULL: the board's own controller */
    const struct takt_board_can_message *others; /* what other nodes send, where the board plays them */
    uint32_t other_count;
    struct takt_board_can_played *played; /* memory: twice as many */
};

/*
 * The controller of the bus with that index, stopped; it raises the interrupt of that index of board.toml. On emulated
 * boards other nodes queue by priority, with offsets, jitter and clocks that follow from the option seed, and options
 * inject faults (library/can/faults.h). NULL: the board has none for such a bus. Context: init. Blocks: never.
 */
struct takt_can_controller *takt_board_can(unsigned index, const struct takt_board_can_bus *bus);

/*
 * Says of a frame that was queued for the bus with that index when it was released, and at its origin if it is a copy:
 * in a run of a network the node that forwards it then has that as its `origin_ns`. Of one identifier frames are sent
 * as they were queued. Elsewhere it does nothing. Context: any, with the kernel locked. Blocks: never.
 */
void takt_board_can_queued(unsigned index, const struct takt_can_frame *frame, uint64_t release_ns);

TAKT_C_END

#endif
