/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_HOST_NETWORK_H
#define TAKT_LIBRARY_CAN_HOST_NETWORK_H

#include "takt/board_can.h"

/*
 * Nodes of a network that run together, each in a process of its own, in one virtual time (takt run of a network).
 * Options: network=PATH, a file of struct takt_network_file that takt makes; network_node=I of that node; network_bus0=B,
 * network_bus1=B: the number in the network of those of its buses that other nodes are on, too.
 */

enum { TAKT_NETWORK_NODES_MAX = 64 };

/* The beginning of the file; the rest is the nodes' own. Python writes it (takt.observe.network). */
struct takt_network_file {
    uint32_t nodes;
    uint8_t gone[TAKT_NETWORK_NODES_MAX]; /* 1: its process has ended, however it did */
};

/* Whether the bus with that index of the board is one of the network. */
bool takt_can_network_has(unsigned index);

/* The controller of the bus with that index, as takt_board_can. */
struct takt_can_controller *takt_can_network(unsigned index, const struct takt_board_can_bus *bus);

/* As takt_board_can_queued: it is reported to the other nodes of the bus. */
void takt_can_network_queued(unsigned index, const struct takt_can_frame *frame, uint64_t release_ns);

#endif
