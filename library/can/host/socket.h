/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_SOCKET_H
#define TAKT_LIBRARY_CAN_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/can_controller.h"

/*
 * What controllers above a socket have in common (socketcan.h, udp_multicast.h): one mailbox, whose frame is written at
 * once and never taken back; received frames and filters; events, which are found by reading the socket.
 *
 * Context of every call: as of takt_can_controller. Blocks: never.
 */

enum { TAKT_CAN_SOCKET_FILTERS = 32, TAKT_CAN_SOCKET_RECEIVED = 32 };

struct takt_can_socket {
    struct takt_can_controller controller; /* what others use */
    const char *interface;                 /* its name, which lives as long */
    int descriptor;                        /* to wait for until it can be read; -1: it is stopped */
    int error;                             /* errno of the last start that was refused, and the call that failed */
    const char *failed;
    void (*poll)(struct takt_can_socket *socket); /* writes what waits and reads what there is, unless it is full */
    struct takt_can_frame frame;
    bool loaded;
    bool written;
    uint32_t events; /* that were not returned yet: a set of bits 1 << enum takt_can_happening */
    struct takt_can_filter filters[TAKT_CAN_SOCKET_FILTERS];
    uint32_t filter_count; /* UINT32_MAX: it receives all */
    struct takt_can_frame received[TAKT_CAN_SOCKET_RECEIVED];
    uint32_t received_first;
    uint32_t received_count;
};

/* Empty and stopped, for a driver that sets the other fields. */
void takt_can_socket_clear(struct takt_can_socket *socket);

/* Closes the descriptor, if there is one. */
void takt_can_socket_close(struct takt_can_socket *socket);

/* Whether it has no room for another received frame: what comes then waits in the system. */
bool takt_can_socket_is_full(const struct takt_can_socket *socket);

/* Takes a frame that has come, if it is valid and the filters accept it. There is room. */
void takt_can_socket_put(struct takt_can_socket *socket, const struct takt_can_frame *frame);

/* Its frame was transmitted. */
void takt_can_socket_sent(struct takt_can_socket *socket);

/* Of takt_can_controller_calls. */
void takt_can_socket_abort(struct takt_can_controller *controller, uint8_t mailbox);
void takt_can_socket_interrupt(struct takt_can_controller *controller, uint32_t mailboxes);
bool takt_can_socket_next_event(struct takt_can_controller *controller, struct takt_can_controller_event *event);
bool takt_can_socket_receive(struct takt_can_controller *controller, struct takt_can_frame *frame);
enum takt_status takt_can_socket_filter(struct takt_can_controller *controller, const struct takt_can_filter *filters,
                                        uint32_t count);

#endif
