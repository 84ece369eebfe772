/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/host/socket.h"

#include <string.h>
#include <unistd.h>

void takt_can_socket_clear(struct takt_can_socket *socket)
{
    socket->loaded = socket->written = false;
    socket->events = 0;
    socket->received_first = socket->received_count = 0;
}

void takt_can_socket_close(struct takt_can_socket *socket)
{
    if (socket->descriptor >= 0) {
        (void)close(socket->descriptor);
        socket->descriptor = -1;
    }
}

bool takt_can_socket_is_full(const struct takt_can_socket *socket)
{
    return socket->received_count == TAKT_CAN_SOCKET_RECEIVED;
}

void takt_can_socket_put(struct takt_can_socket *socket, const struct takt_can_frame *frame)
{
    if (!takt_can_frame_is_valid(frame) ||
        (socket->filter_count != UINT32_MAX &&
         takt_can_filters_match(socket->filters, socket->filter_count, frame) == socket->filter_count)) {
        return;
    }
    socket->received[(socket->received_first + socket->received_count++) % TAKT_CAN_SOCKET_RECEIVED] = *frame;
}

void takt_can_socket_sent(struct takt_can_socket *socket)
{
    socket->events |= 1u << TAKT_CAN_MAILBOX_SENT;
    socket->loaded = socket->written = false;
}

void takt_can_socket_abort(struct takt_can_controller *controller, uint8_t mailbox)
{
    (void)controller; /* the system takes nothing back */
    (void)mailbox;
}

void takt_can_socket_interrupt(struct takt_can_controller *controller, uint32_t mailboxes)
{
    (void)controller; /* every event makes the descriptor readable */
    (void)mailboxes;
}

bool takt_can_socket_next_event(struct takt_can_controller *controller, struct takt_can_controller_event *event)
{
    static const enum takt_can_happening order[] = {TAKT_CAN_MAILBOX_SENT, TAKT_CAN_WENT_OFF, TAKT_CAN_CAME_BACK};
    struct takt_can_socket *socket = (struct takt_can_socket *)(void *)controller; /* its first member */
    socket->poll(socket);
    *event = (struct takt_can_controller_event){.mailbox = 0};
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        if ((socket->events & 1u << order[i]) != 0) {
            socket->events &= ~(1u << order[i]);
            event->what = order[i];
            return true;
        }
    }
    return false;
}

bool takt_can_socket_receive(struct takt_can_controller *controller, struct takt_can_frame *frame)
{
    struct takt_can_socket *socket = (struct takt_can_socket *)(void *)controller;
    if (socket->received_count == 0) {
        socket->poll(socket);
    }
    if (socket->received_count == 0) {
        return false;
    }
    *frame = socket->received[socket->received_first];
    socket->received_first = (socket->received_first + 1) % TAKT_CAN_SOCKET_RECEIVED;
    socket->received_count--;
    return true;
}

enum takt_status takt_can_socket_filter(struct takt_can_controller *controller, const struct takt_can_filter *filters,
                                        uint32_t count)
{
    struct takt_can_socket *socket = (struct takt_can_socket *)(void *)controller;
    if (count > TAKT_CAN_SOCKET_FILTERS) {
        return TAKT_LIMIT;
    }
    if (count > 0) {
        memcpy(socket->filters, filters, count * sizeof *filters);
    }
    socket->filter_count = count;
    return TAKT_OK;
}
