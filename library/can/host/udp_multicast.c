/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/host/udp_multicast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "library/can/host/packed.h"

enum { READS_MAX = 64 }; /* of a call: what is left keeps the descriptor readable */
enum { DATAGRAM = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC };

static struct takt_udp_multicast *of(struct takt_can_controller *controller)
{
    return (struct takt_udp_multicast *)(void *)controller; /* the first member of its first member */
}

/* GROUP or GROUP:PORT behind TAKT_UDP_MULTICAST. */
static bool address_of(const char *interface, struct sockaddr_in *address)
{
    char group[INET_ADDRSTRLEN] = "";
    const char *text = interface + strlen(TAKT_UDP_MULTICAST), *colon = strchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    unsigned long port = colon != NULL ? strtoul(colon + 1, NULL, 10) : TAKT_UDP_MULTICAST_PORT;
    errno = EINVAL;
    if (length >= sizeof group || port == 0 || port > UINT16_MAX) {
        return false;
    }
    memcpy(group, text, length);
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return inet_pton(AF_INET, group, &address->sin_addr) == 1 && IN_MULTICAST(ntohl(address->sin_addr.s_addr));
}

static bool set(int descriptor, int level, int option, int value)
{
    return setsockopt(descriptor, level, option, &value, sizeof value) == 0;
}

/* Receives what anyone sends to the group; other programs receive it too. */
static bool open_receiver(struct takt_can_socket *own, const struct sockaddr_in *group)
{
    const struct ip_mreq membership = {.imr_multiaddr = group->sin_addr, .imr_interface.s_addr = htonl(INADDR_ANY)};
    own->failed = "socket";
    own->descriptor = socket(AF_INET, DATAGRAM, 0);
    if (own->descriptor < 0) {
        return false;
    }
    own->failed = "bind";
    if (!set(own->descriptor, SOL_SOCKET, SO_REUSEADDR, 1) || !set(own->descriptor, SOL_SOCKET, SO_REUSEPORT, 1) ||
        bind(own->descriptor, (const struct sockaddr *)(const void *)group, sizeof *group) != 0) {
        return false;
    }
    own->failed = "no route to the group (ip route add 239.0.0.0/8 dev lo)";
    return setsockopt(own->descriptor, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership) == 0;
}

static bool open_sender(struct takt_udp_multicast *multicast, const struct sockaddr_in *group)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    multicast->socket.failed = "socket";
    multicast->sender = socket(AF_INET, DATAGRAM, 0);
    if (multicast->sender < 0) {
        return false;
    }
    multicast->socket.failed = "connect";
    if (!set(multicast->sender, IPPROTO_IP, IP_MULTICAST_TTL, 0) ||
        !set(multicast->sender, IPPROTO_IP, IP_MULTICAST_LOOP, 1) ||
        connect(multicast->sender, (const struct sockaddr *)(const void *)group, sizeof *group) != 0 ||
        getsockname(multicast->sender, (struct sockaddr *)(void *)&address, &size) != 0) {
        return false;
    }
    multicast->own_address = address.sin_addr.s_addr;
    multicast->own_port = address.sin_port;
    return true;
}

static void end(struct takt_udp_multicast *multicast)
{
    takt_can_socket_close(&multicast->socket);
    if (multicast->sender >= 0) {
        (void)close(multicast->sender);
        multicast->sender = -1;
    }
}

static enum takt_status start(struct takt_can_controller *controller)
{
    struct takt_udp_multicast *multicast = of(controller);
    struct takt_can_socket *own = &multicast->socket;
    struct sockaddr_in group;
    if (own->descriptor >= 0) {
        return TAKT_STATE;
    }
    takt_can_socket_clear(own);
    own->failed = "no IPv4 multicast group";
    if (!address_of(own->interface, &group) || !open_receiver(own, &group) || !open_sender(multicast, &group)) {
        own->error = errno;
        end(multicast);
        return TAKT_REFUSED;
    }
    return TAKT_OK;
}

static void stop(struct takt_can_controller *controller)
{
    end(of(controller));
    takt_can_socket_clear(&of(controller)->socket);
}

/* Hands the frame over. If the system does not take it, the next call tries again. */
static void write_frame(struct takt_udp_multicast *multicast)
{
    uint8_t bytes[TAKT_CAN_PACKED_MAX];
    size_t count = takt_can_pack(&multicast->socket.frame, bytes);
    if (send(multicast->sender, bytes, count, 0) == (ssize_t)count) {
        takt_can_socket_sent(&multicast->socket);
    }
}

static void load(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame)
{
    struct takt_udp_multicast *multicast = of(controller);
    (void)mailbox; /* there is one */
    if (multicast->socket.descriptor < 0) {
        return;
    }
    multicast->socket.frame = *frame;
    multicast->socket.loaded = true;
    write_frame(multicast);
}

static void poll_socket(struct takt_can_socket *socket)
{
    struct takt_udp_multicast *multicast = (struct takt_udp_multicast *)(void *)socket;
    if (socket->descriptor >= 0 && socket->loaded) {
        write_frame(multicast);
    }
    for (unsigned i = 0; i < READS_MAX && socket->descriptor >= 0 && !takt_can_socket_is_full(socket); i++) {
        uint8_t bytes[TAKT_CAN_PACKED_MAX + 1]; /* no frame fills it */
        struct takt_can_frame frame;
        struct sockaddr_in from = {.sin_family = AF_INET};
        socklen_t size = sizeof from;
        ssize_t count = recvfrom(socket->descriptor, bytes, sizeof bytes, 0, (struct sockaddr *)(void *)&from, &size);
        if (count < 0 && (errno == EAGAIN || errno == EBADF)) {
            return;
        }
        bool own = from.sin_addr.s_addr == multicast->own_address && from.sin_port == multicast->own_port;
        if (count >= 0 && count <= TAKT_CAN_PACKED_MAX && !own && takt_can_unpack(bytes, (size_t)count, &frame) &&
            (socket->controller.fd || !frame.shape.fd)) {
            takt_can_socket_put(socket, &frame);
        }
    }
}

static void recover(struct takt_can_controller *controller)
{
    (void)controller; /* it is never bus-off */
}

static struct takt_can_errors errors(const struct takt_can_controller *controller)
{
    struct takt_can_errors none;
    (void)controller;
    takt_can_errors_init(&none);
    return none;
}

static const struct takt_can_controller_calls calls = {
    .start = start,
    .stop = stop,
    .load = load,
    .abort = takt_can_socket_abort,
    .interrupt = takt_can_socket_interrupt,
    .next_event = takt_can_socket_next_event,
    .receive = takt_can_socket_receive,
    .filter = takt_can_socket_filter,
    .recover = recover,
    .errors = errors,
};

void takt_udp_multicast_init(struct takt_udp_multicast *multicast, const char *interface, bool fd)
{
    *multicast = (struct takt_udp_multicast){.socket = {.controller = {.calls = &calls, .mailboxes = 1, .fd = fd},
                                                        .interface = interface,
                                                        .descriptor = -1,
                                                        .poll = poll_socket,
                                                        .filter_count = UINT32_MAX},
                                             .sender = -1};
}
