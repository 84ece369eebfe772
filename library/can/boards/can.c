/* SPDX-License-Identifier: Apache-2.0 */
/* CAN controllers of emulated boards. */
#include "library/can/emulated.h"

struct takt_can_controller *takt_board_can(unsigned index, const struct takt_board_can_bus *bus)
{
    return takt_can_emulated(index, bus);
}
