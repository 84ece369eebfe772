/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/host/socketcan.h"

#include <errno.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READS_MAX = 64 }; /* of a call: what is left keeps the descriptor readable */
enum { ERRORS = CAN_ERR_TX_TIMEOUT | CAN_ERR_CRTL | CAN_ERR_BUSOFF | CAN_ERR_RESTARTED | CAN_ERR_CNT };
enum { COUNTS_TRANSMIT = 6, COUNTS_RECEIVE = 7, CONTROLLER_STATE = 1 }; /* bytes of an error frame */
enum { WENT_OFF = 1 << TAKT_CAN_WENT_OFF, CAME_BACK = 1 << TAKT_CAN_CAME_BACK };
enum { PASSIVE = CAN_ERR_CRTL_RX_PASSIVE | CAN_ERR_CRTL_TX_PASSIVE };

static struct takt_socketcan *of(struct takt_can_controller *controller)
{
    return (struct takt_socketcan *)(void *)controller; /* its first member */
}

static void clear(struct takt_socketcan *socketcan)
{
    takt_can_socket_clear(&socketcan->socket);
    socketcan->off = socketcan->restarted = socketcan->recovers = false;
    socketcan->own_count = 0;
    takt_can_errors_init(&socketcan->errors);
}

/* Identifiers that one filter accepts, and perhaps others: what is received is looked at once more. */
static struct can_filter in_system(const struct takt_can_filter *filter)
{
    uint32_t mask = filter->extended ? CAN_EFF_MASK : CAN_SFF_MASK;
    if (filter->kind == TAKT_CAN_FILTER_MASK) {
        mask &= filter->second;
    } else { /* the bits above the first one in which the two differ */
        for (uint32_t differ = filter->first ^ filter->second; differ != 0; differ >>= 1) {
            mask &= mask << 1;
        }
    }
    struct can_filter found = {.can_id = filter->first & mask, .can_mask = mask | CAN_EFF_FLAG};
    found.can_id |= filter->extended ? CAN_EFF_FLAG : 0;
    if ((filter->frames & TAKT_CAN_FILTER_REMOTE) == 0 || filter->frames == TAKT_CAN_FILTER_REMOTE) {
        found.can_mask |= CAN_RTR_FLAG;
        found.can_id |= filter->frames == TAKT_CAN_FILTER_REMOTE ? CAN_RTR_FLAG : 0;
    }
    return found;
}

/* Tells the system which frames the socket is for: the wanted ones and its own. */
static bool narrow(const struct takt_socketcan *socketcan, const struct takt_can_filter *filters, uint32_t count)
{
    struct can_filter list[TAKT_CAN_SOCKET_FILTERS + TAKT_SOCKETCAN_OWN] = {{.can_mask = 0}};
    uint32_t length = 0;
    if (count == UINT32_MAX || socketcan->own_count > TAKT_SOCKETCAN_OWN) {
        length = 1; /* all */
    } else {
        for (uint32_t i = 0; i < count; i++) {
            list[length++] = in_system(&filters[i]);
        }
        for (uint32_t i = 0; i < socketcan->own_count; i++) {
            list[length++] = (struct can_filter){.can_id = socketcan->own[i],
                                                 .can_mask = CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG};
        }
    }
    return setsockopt(socketcan->socket.descriptor, SOL_CAN_RAW, CAN_RAW_FILTER, list,
                      (socklen_t)(length * sizeof list[0])) == 0;
}

static bool set(const struct takt_socketcan *socketcan, int level, int option, int value)
{
    return setsockopt(socketcan->socket.descriptor, level, option, &value, sizeof value) == 0;
}

static bool connect_interface(struct takt_socketcan *socketcan)
{
    struct sockaddr_can address = {.can_family = AF_CAN};
    struct ifreq request = {.ifr_ifindex = 0};
    socketcan->socket.failed = "socket";
    socketcan->socket.descriptor = socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
    if (socketcan->socket.descriptor < 0) {
        return false;
    }
    socketcan->socket.failed = "setsockopt"; /* own frames come back when they were transmitted, errors come as frames */
    if (!set(socketcan, SOL_CAN_RAW, CAN_RAW_LOOPBACK, 1) || !set(socketcan, SOL_CAN_RAW, CAN_RAW_RECV_OWN_MSGS, 1) ||
        !set(socketcan, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, ERRORS) || !set(socketcan, SOL_SOCKET, SO_RXQ_OVFL, 1) ||
        (socketcan->socket.controller.fd && !set(socketcan, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, 1)) ||
        !narrow(socketcan, socketcan->socket.filters, socketcan->socket.filter_count)) {
        return false;
    }
    socketcan->socket.failed = "ioctl";
    strncpy(request.ifr_name, socketcan->socket.interface, IFNAMSIZ - 1);
    if (ioctl(socketcan->socket.descriptor, SIOCGIFINDEX, &request) != 0) {
        return false;
    }
    address.can_ifindex = request.ifr_ifindex;
    if (socketcan->socket.controller.fd) {
        if (ioctl(socketcan->socket.descriptor, SIOCGIFMTU, &request) != 0) {
            return false;
        }
        socketcan->socket.failed = "no CAN FD (ip link set NAME mtu 72; fd on)";
        errno = EPROTONOSUPPORT;
        if (request.ifr_mtu < (int)CANFD_MTU) {
            return false;
        }
    }
    socketcan->socket.failed = "bind";
    return bind(socketcan->socket.descriptor, (const struct sockaddr *)(const void *)&address, sizeof address) == 0;
}

static enum takt_status start(struct takt_can_controller *controller)
{
    struct takt_socketcan *socketcan = of(controller);
    if (socketcan->socket.descriptor >= 0) {
        return TAKT_STATE;
    }
    clear(socketcan);
    if (!connect_interface(socketcan)) {
        socketcan->socket.error = errno;
        takt_can_socket_close(&socketcan->socket);
        return TAKT_REFUSED;
    }
    return TAKT_OK;
}

static void stop(struct takt_can_controller *controller)
{
    takt_can_socket_close(&of(controller)->socket);
    clear(of(controller));
}

static void go_off(struct takt_socketcan *socketcan)
{
    if (!socketcan->off) {
        socketcan->off = true;
        socketcan->recovers = (socketcan->socket.events & CAME_BACK) != 0; /* nobody has seen it: it goes on */
        socketcan->socket.events |= socketcan->recovers ? 0 : WENT_OFF;
        socketcan->socket.events &= ~CAME_BACK;
        socketcan->socket.loaded = socketcan->socket.written = socketcan->restarted = false;
        socketcan->errors.transmit = TAKT_CAN_BUS_OFF_FROM;
    }
}

/* What read or write said. */
static void note_failure(struct takt_socketcan *socketcan, int error)
{
    if (error == ENODEV || error == ENXIO) { /* it was removed */
        go_off(socketcan);
    } else if (error == ENETDOWN) { /* what it had to send is lost */
        socketcan->socket.written = false;
    }
}

static uint32_t id_of(const struct takt_can_frame *frame)
{
    return frame->id | (frame->shape.extended ? CAN_EFF_FLAG : 0) | (frame->shape.remote ? CAN_RTR_FLAG : 0);
}

/* Lets the confirmation of an identifier through. */
static bool let_through(struct takt_socketcan *socketcan, uint32_t id)
{
    for (uint32_t i = 0; i < socketcan->own_count; i++) {
        if (i == TAKT_SOCKETCAN_OWN || socketcan->own[i] == id) {
            return true;
        }
    }
    if (socketcan->own_count < TAKT_SOCKETCAN_OWN) {
        socketcan->own[socketcan->own_count] = id;
    }
    socketcan->own_count++;
    if (narrow(socketcan, socketcan->socket.filters, socketcan->socket.filter_count)) {
        return true;
    }
    socketcan->own_count--;
    return false;
}

static void write_frame(struct takt_socketcan *socketcan)
{
    const struct takt_can_frame *frame = &socketcan->socket.frame;
    struct canfd_frame raw = {.can_id = id_of(frame), .len = (uint8_t)takt_can_bytes(&frame->shape)};
    size_t size = frame->shape.fd ? CANFD_MTU : CAN_MTU;
    memcpy(raw.data, frame->data, raw.len);
    if (frame->shape.fd) {
        raw.flags = (uint8_t)((frame->shape.brs ? CANFD_BRS : 0) | (frame->passive ? CANFD_ESI : 0));
    } else if (frame->shape.dlc > CAN_MAX_DLEN) {
        raw.len = CAN_MAX_DLEN;
        raw.__res1 = frame->shape.dlc; /* can_frame.len8_dlc */
    } else {
        raw.len = frame->shape.dlc; /* of a remote frame too */
    }
    if (!let_through(socketcan, raw.can_id)) {
        return;
    }
    ssize_t written = write(socketcan->socket.descriptor, &raw, size);
    socketcan->socket.written = written == (ssize_t)size;
    if (written < 0) {
        note_failure(socketcan, errno);
    }
}

static void load(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame)
{
    struct takt_socketcan *socketcan = of(controller);
    (void)mailbox; /* there is one */
    if (socketcan->socket.descriptor < 0 || socketcan->off) {
        return;
    }
    socketcan->socket.frame = *frame;
    socketcan->socket.loaded = true;
    write_frame(socketcan);
}

static void come_back(struct takt_socketcan *socketcan)
{
    if (socketcan->off && socketcan->restarted && socketcan->recovers) {
        socketcan->off = socketcan->recovers = false;
        socketcan->socket.events |= CAME_BACK;
        takt_can_errors_init(&socketcan->errors);
    }
}

static void note_counters(struct takt_socketcan *socketcan, const struct canfd_frame *raw)
{
    if (socketcan->off) {
        return;
    }
    if ((raw->can_id & CAN_ERR_CNT) != 0) {
        socketcan->errors.transmit = raw->data[COUNTS_TRANSMIT];
        socketcan->errors.receive = raw->data[COUNTS_RECEIVE];
    } else if ((raw->can_id & CAN_ERR_CRTL) != 0) { /* of a driver that does not count */
        uint8_t state = raw->data[CONTROLLER_STATE];
        if ((state & (PASSIVE | CAN_ERR_CRTL_ACTIVE)) != 0) {
            takt_can_errors_init(&socketcan->errors);
            socketcan->errors.transmit = (state & CAN_ERR_CRTL_TX_PASSIVE) != 0 ? TAKT_CAN_PASSIVE_FROM : 0;
            socketcan->errors.receive = (state & CAN_ERR_CRTL_RX_PASSIVE) != 0 ? TAKT_CAN_PASSIVE_FROM : 0;
        }
    }
}

static void note_error(struct takt_socketcan *socketcan, const struct canfd_frame *raw)
{
    if ((raw->can_id & CAN_ERR_BUSOFF) != 0) {
        go_off(socketcan);
        socketcan->restarted = false;
    }
    note_counters(socketcan, raw);
    if ((raw->can_id & CAN_ERR_TX_TIMEOUT) != 0) { /* it was dropped */
        socketcan->socket.written = false;
    }
    if ((raw->can_id & CAN_ERR_RESTARTED) != 0) {
        go_off(socketcan); /* which it was, if that frame did not come */
        socketcan->restarted = true;
        come_back(socketcan);
    }
}

static void put(struct takt_socketcan *socketcan, const struct canfd_frame *raw, bool fd)
{
    bool extended = (raw->can_id & CAN_EFF_FLAG) != 0;
    struct takt_can_frame frame = {.id = raw->can_id & (extended ? CAN_EFF_MASK : CAN_SFF_MASK)};
    if (raw->len > (fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN)) {
        return;
    }
    frame.shape.extended = extended;
    frame.shape.remote = (raw->can_id & CAN_RTR_FLAG) != 0;
    frame.shape.fd = fd;
    frame.shape.brs = fd && (raw->flags & CANFD_BRS) != 0;
    frame.passive = fd && (raw->flags & CANFD_ESI) != 0;
    frame.shape.dlc = takt_can_dlc(raw->len, fd);
    if (!fd && raw->len == CAN_MAX_DLEN && raw->__res1 > CAN_MAX_DLEN && raw->__res1 <= TAKT_CAN_DLC_MAX) {
        frame.shape.dlc = raw->__res1;
    }
    if (takt_can_shape_is_valid(&frame.shape)) {
        unsigned bytes = takt_can_bytes(&frame.shape);
        memcpy(frame.data, raw->data, raw->len < bytes ? raw->len : bytes);
        takt_can_socket_put(&socketcan->socket, &frame);
    }
}

static void take(struct takt_socketcan *socketcan, const struct canfd_frame *raw, size_t size, int flags)
{
    if ((size != CAN_MTU && size != CANFD_MTU) || (flags & MSG_TRUNC) != 0) {
        return;
    }
    if ((raw->can_id & CAN_ERR_FLAG) != 0) {
        note_error(socketcan, raw);
    } else if ((flags & MSG_CONFIRM) == 0) { /* of another node or program */
        put(socketcan, raw, size == CANFD_MTU);
    } else if (socketcan->socket.written && raw->can_id == id_of(&socketcan->socket.frame)) { /* not one from before bus-off */
        takt_can_socket_sent(&socketcan->socket);
    }
}

/* Frames that the system dropped so far, as it says with one that was received after them. */
static uint32_t dropped(struct msghdr *message, uint32_t before)
{
    for (struct cmsghdr *one = CMSG_FIRSTHDR(message); one != NULL; one = CMSG_NXTHDR(message, one)) {
        if (one->cmsg_level == SOL_SOCKET && one->cmsg_type == SO_RXQ_OVFL &&
            one->cmsg_len >= CMSG_LEN(sizeof before)) {
            memcpy(&before, CMSG_DATA(one), sizeof before);
        }
    }
    return before;
}

static void poll_socket(struct takt_can_socket *socket)
{
    struct takt_socketcan *socketcan = (struct takt_socketcan *)(void *)socket;
    if (socketcan->socket.descriptor >= 0 && socketcan->socket.loaded && !socketcan->socket.written) {
        write_frame(socketcan);
    }
    uint32_t overrun = socketcan->overrun;
    for (unsigned i = 0; i < READS_MAX && socketcan->socket.descriptor >= 0; i++) {
        if (takt_can_socket_is_full(socket)) {
            return; /* the rest waits in the system */
        }
        struct canfd_frame raw = {.can_id = 0};
        union {
            struct cmsghdr header;
            uint8_t bytes[CMSG_SPACE(sizeof(uint32_t))];
        } more;
        struct iovec memory = {&raw, sizeof raw};
        struct msghdr message = {
            .msg_iov = &memory, .msg_iovlen = 1, .msg_control = &more, .msg_controllen = sizeof more};
        ssize_t size = recvmsg(socketcan->socket.descriptor, &message, 0);
        if (size >= 0) {
            socketcan->overrun = dropped(&message, socketcan->overrun);
            take(socketcan, &raw, (size_t)size, message.msg_flags);
        } else if (errno == EAGAIN) {
            if (socketcan->overrun != overrun && socketcan->socket.written) {
                takt_can_socket_sent(&socketcan->socket); /* its confirmation is among those that were dropped */
            }
            return;
        } else {
            note_failure(socketcan, errno);
        }
    }
}

static enum takt_status filter(struct takt_can_controller *controller, const struct takt_can_filter *filters,
                               uint32_t count)
{
    struct takt_socketcan *socketcan = of(controller);
    if (count > TAKT_CAN_SOCKET_FILTERS || (socketcan->socket.descriptor >= 0 && !narrow(socketcan, filters, count))) {
        return TAKT_LIMIT;
    }
    return takt_can_socket_filter(controller, filters, count);
}

static void recover(struct takt_can_controller *controller)
{
    struct takt_socketcan *socketcan = of(controller);
    socketcan->recovers = socketcan->off;
    come_back(socketcan);
}

static struct takt_can_errors errors(const struct takt_can_controller *controller)
{
    return ((const struct takt_socketcan *)(const void *)controller)->errors;
}

static const struct takt_can_controller_calls calls = {
    .start = start,
    .stop = stop,
    .load = load,
    .abort = takt_can_socket_abort,
    .interrupt = takt_can_socket_interrupt,
    .next_event = takt_can_socket_next_event,
    .receive = takt_can_socket_receive,
    .filter = filter,
    .recover = recover,
    .errors = errors,
};

void takt_socketcan_init(struct takt_socketcan *socketcan, const char *interface, bool fd)
{
    *socketcan = (struct takt_socketcan){
        .socket = {.controller = {.calls = &calls, .mailboxes = 1, .fd = fd},
                   .interface = interface,
                   .descriptor = -1,
                   .poll = poll_socket,
                   .filter_count = UINT32_MAX}};
}
