/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_EMULATED_H
#define TAKT_LIBRARY_CAN_EMULATED_H

#include "takt/board_can.h"

/* The simulated controller of a bus: takt_board_can of boards without others. */
struct takt_can_controller *takt_can_emulated(unsigned index, const struct takt_board_can_bus *bus);

#endif
