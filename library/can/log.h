/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_LOG_H
#define TAKT_LIBRARY_CAN_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/can_errors.h"
#include "takt/can_frame.h"

/* The log of a bus in a run, as candump writes it: the first 100 000 frames and the first 100 000 error frames. */
struct takt_can_log {
    unsigned index; /* of the bus among those of the board */
    unsigned written;
    unsigned errors;
};

/* Notes a frame, at its end. */
void takt_can_log_write(struct takt_can_log *log, uint64_t now_ns, const struct takt_can_frame *frame);

/* What SocketCAN says of an error: classes of a frame's identifier, and states in its byte 1. */
enum {
    TAKT_CAN_LOG_BUS_ERROR = 0x80,
    TAKT_CAN_LOG_CONTROLLER = 0x4, /* its state is another */
    TAKT_CAN_LOG_BUS_OFF = 0x40,
    TAKT_CAN_LOG_COUNTERS = 0x200,
    TAKT_CAN_LOG_RECEIVER_PASSIVE = 0x10,
    TAKT_CAN_LOG_TRANSMITTER_PASSIVE = 0x20
};

/*
 * Notes an error frame of a node, at the end of the bit in which it saw the error. `wrong`: it is one, else only states
 * changed. `others`: the state of the other nodes, in byte 5; bytes 6 and 7 are the node's counters.
 */
void takt_can_log_error(struct takt_can_log *log, uint64_t now_ns, bool wrong, const struct takt_can_errors *errors,
                        enum takt_can_state others);

#endif
