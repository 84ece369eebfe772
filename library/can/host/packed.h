/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_PACKED_H
#define TAKT_LIBRARY_CAN_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "takt/can_frame.h"

/*
 * Frames as python-can's bus udp_multicast has them in a datagram: a map of MessagePack (msgpack.org, specification) with
 * the fields of its class Message (can/interfaces/udp_multicast/utils.py of python-can 4.6).
 *
 * Context of every call: any. Blocks: never. O(bytes).
 */

enum { TAKT_CAN_PACKED_MAX = 300 }; /* bytes; one with 64 bytes of data has 243 */

/* Writes a valid frame, and returns how many bytes it has. */
size_t takt_can_pack(const struct takt_can_frame *frame, uint8_t bytes[TAKT_CAN_PACKED_MAX]);

/*
 * Reads a frame. False: it is none, or an error frame; then `frame` is undefined. Fields may have any order; fields of
 * other names are left out, if they have no map or array in them. Data between two lengths of FD is filled with 0.
 */
bool takt_can_unpack(const uint8_t *bytes, size_t count, struct takt_can_frame *frame);

#endif
