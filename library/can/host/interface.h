/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_INTERFACE_H
#define TAKT_LIBRARY_CAN_INTERFACE_H

#include "takt/board_can.h"

/* Buses of `host`, and the numbers of their interrupts (boards/host/board.toml). */
enum { TAKT_CAN_BUSES = 2, TAKT_CAN_FIRST_INTERRUPT = 61 };

/*
 * The controller of a bus with an interface of this machine, whose frames are those of other programs and machines. The
 * run passes in real time. If the interface cannot be opened, the start ends the run. Context: init.
 */
struct takt_can_controller *takt_can_interface(unsigned index, const struct takt_board_can_bus *bus);

#endif
