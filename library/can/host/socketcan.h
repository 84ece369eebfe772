/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_SOCKETCAN_H
#define TAKT_LIBRARY_CAN_SOCKETCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "library/can/host/socket.h"

/*
 * CAN interfaces of Linux behind takt/can_controller.h: a raw socket of SocketCAN (Linux, Documentation/networking/
 * can.rst).
 *
 * Behind the socket Linux has a queue, first in, first out, from which nothing can be taken back. So this controller
 * has one mailbox, whose next frame is written when the last one was transmitted: a frame waits for at most one of its
 * node with a higher identifier, as with `--controller 1` of `takt can check`. `abort` does nothing, the frame that was
 * written before `stop` may still be sent, and every event makes the descriptor readable, as an interrupt would.
 *
 * A frame is SENT when it comes back to the socket that wrote it. If the system says that it dropped frames of the
 * socket, all are read, and the confirmation is not among them, it counts as SENT too. A frame that the system does not
 * take (no room, interface down), or drops as the interface goes down, is written again by the next call.
 *
 * The bit rate, and that the interface is up, are the system's matter (`ip link`), and so is the restart after bus-off
 * (`restart-ms`). An interface that is removed is bus-off for ever.
 *
 * Context of every call: as of takt_can_controller. Blocks: never.
 */

enum { TAKT_SOCKETCAN_OWN = 64 };

struct takt_socketcan {
    struct takt_can_socket socket; /* its controller is what others use */
    uint32_t overrun;              /* frames of this socket that the system dropped; all other fields are private */
    bool off;
    bool restarted; /* the interface takes part again */
    bool recovers;
    struct takt_can_errors errors;
    uint32_t own[TAKT_SOCKETCAN_OWN]; /* identifiers of Linux that it sent: they have to pass the filters of the socket */
    uint32_t own_count;               /* above TAKT_SOCKETCAN_OWN: all pass */
};

/*
 * Makes a controller of the interface with this name ("can0"), which lives as long; it is stopped. `fd`: frames of CAN
 * FD too, for which the interface must be set up. The start is TAKT_REFUSED if the system refuses a call.
 */
void takt_socketcan_init(struct takt_socketcan *socketcan, const char *interface, bool fd);

#endif
