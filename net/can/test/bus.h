/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_TEST_BUS_H
#define TAKT_CAN_TEST_BUS_H

/* A bus of a few nodes for tests: what happened, and when. */
#include "base/test/check.h"
#include "takt/can_bus.h"

enum { NODES = 4 };

static struct takt_can_node nodes[NODES];
static struct takt_can_bus bus;
static uint64_t bit; /* the number of the next bit since `begin` */

/* `count` nodes that are ready: the first bit that they may send in is bit 0. */
static inline void begin(uint32_t count)
{
    bus = (struct takt_can_bus){.nodes = nodes, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        takt_can_node_init(&nodes[i]);
    }
    for (unsigned i = 0; i < 11; i++) {
        CHECK_EQUAL(takt_can_bus_step(&bus, 0), 0);
    }
    bus.nominal_bits = 0;
    bit = 0;
}

static inline unsigned step(uint64_t wrong)
{
    bit++;
    return takt_can_bus_step(&bus, wrong);
}

/* Steps to the first bit with one of these events of the node, and returns the number of that bit. */
static inline uint64_t until(uint32_t node, unsigned events)
{
    for (unsigned i = 0; i < 4000; i++) {
        (void)step(0);
        if ((bus.events[node] & events) != 0) {
            return bit - 1;
        }
    }
    CHECK(!"the event");
    return 0;
}

/* Steps until the next bit of the node is of that field of a frame, and no stuff bit; `left` of its bits remain. */
static inline void until_field(uint32_t node, enum takt_can_field field, unsigned left)
{
    for (unsigned i = 0; i < 4000; i++) {
        const struct takt_can_parser *parser = &nodes[node].parser;
        bool there = nodes[node].phase == TAKT_CAN_IN_FRAME && parser->field == field && parser->left == left;
        if (there && !takt_can_parser_is_stuff(parser)) {
            return;
        }
        (void)step(0);
    }
    CHECK(!"the field");
}

static inline void check_counters(uint32_t node, unsigned transmit, unsigned receive)
{
    CHECK_EQUAL(nodes[node].errors.transmit, transmit);
    CHECK_EQUAL(nodes[node].errors.receive, receive);
}

#endif
