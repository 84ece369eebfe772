/* SPDX-License-Identifier: Apache-2.0 */
/* CAN controllers of `host`: simulated ones, and those of the machine. */
#include <stddef.h>

#include "library/can/emulated.h"
#include "library/can/host/interface.h"
#include "library/can/host/network.h"

struct takt_can_controller *takt_board_can(unsigned index, const struct takt_board_can_bus *bus)
{
    if (bus->interface == NULL && takt_can_network_has(index)) {
        return takt_can_network(index, bus);
    }
    return bus->interface != NULL ? takt_can_interface(index, bus) : takt_can_emulated(index, bus);
}

void takt_board_can_queued(unsigned index, const struct takt_can_frame *frame, uint64_t release_ns)
{
    if (takt_can_network_has(index)) {
        takt_can_network_queued(index, frame, release_ns);
    }
}
