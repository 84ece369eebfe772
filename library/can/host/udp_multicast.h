/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_UDP_MULTICAST_H
#define TAKT_LIBRARY_CAN_UDP_MULTICAST_H

#include "library/can/host/socket.h"

/*
 * The bus udp_multicast of python-can, among programs of this machine, behind takt/can_controller.h: each frame is a
 * datagram to an IPv4 group. There is no arbitration, no acknowledgement and no error: a frame is SENT when the system
 * has taken it. Datagrams do not leave the machine (a time to live of 0).
 *
 * Context of every call: as of takt_can_controller. Blocks: never.
 */

#define TAKT_UDP_MULTICAST "udp_multicast:" /* begins the name of such an interface: udp_multicast:239.74.163.2 */

enum { TAKT_UDP_MULTICAST_PORT = 43113 }; /* without :PORT behind the group; python-can's */

struct takt_udp_multicast {
    struct takt_can_socket socket; /* its controller is what others use; all other fields are private */
    int sender;                    /* the descriptor that it sends by */
    uint32_t own_address;          /* of that: what comes from there is its own */
    uint16_t own_port;
};

/* Makes a controller of an interface whose name begins with TAKT_UDP_MULTICAST, which lives as long; it is stopped. The
 * start is TAKT_REFUSED if the system refuses a call. */
void takt_udp_multicast_init(struct takt_udp_multicast *multicast, const char *interface, bool fd);

#endif
