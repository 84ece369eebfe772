/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_bus.h"

#include <stdbool.h>

#include "net/can/src/random.h"

static bool has(uint64_t set, uint32_t node)
{
    return (set >> node & 1) != 0;
}

/* Whether a bit of the nodes that take part in a frame is at the data rate: all of them are in that part of it. */
static bool is_fast(const struct takt_can_bus *bus)
{
    bool fast = false;
    for (uint32_t i = 0; i < bus->count; i++) {
        const struct takt_can_node *node = &bus->nodes[i];
        if (has(bus->dead, i)) {
            continue;
        }
        if (takt_can_node_is_fast(node)) {
            fast = true;
        } else if (node->phase >= TAKT_CAN_IN_FRAME && node->phase <= TAKT_CAN_IN_DELIMITER) {
            return false;
        }
    }
    return fast;
}

unsigned takt_can_bus_step(struct takt_can_bus *bus, uint64_t wrong)
{
    bool level = true;
    unsigned all = 0;
    if (is_fast(bus)) {
        bus->data_bits++;
    } else {
        bus->nominal_bits++;
    }
    for (uint32_t i = 0; i < bus->count; i++) {
        if (!has(bus->dead, i)) {
            level &= takt_can_node_drive(&bus->nodes[i]) && !has(bus->stuck, i);
        }
    }
    bus->level = level;
    for (uint32_t i = 0; i < bus->count; i++) {
        bus->events[i] = has(bus->dead, i) ? 0 : takt_can_node_sample(&bus->nodes[i], level != has(wrong, i));
        all |= bus->events[i];
    }
    return all;
}

uint64_t takt_can_faults_next(struct takt_can_faults *faults, uint32_t count)
{
    uint64_t wrong = 0;
    if ((uint32_t)taktc_random(&faults->state) < faults->wire_per_2_32) {
        wrong = UINT64_MAX;
    }
    for (uint32_t i = 0; i < count && faults->node_per_2_32 > 0; i++) {
        if ((uint32_t)taktc_random(&faults->state) < faults->node_per_2_32) {
            wrong ^= UINT64_C(1) << i;
        }
    }
    return wrong;
}
