/* SPDX-License-Identifier: Apache-2.0 */
/* CAN controllers of emulated boards. */
#include "library/can/emulated.h"

struct takt_can_controller *takt_board_can(unsigned index, const struct takt_board_can_bus *bus)
{
    return takt_can_emulated(index, bus);
}

void takt_board_can_queued(unsigned index, const struct takt_can_frame *frame, uint64_t release_ns)
{
    (void)index;
    (void)frame;
    (void)release_ns;
}
