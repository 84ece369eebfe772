/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/test/linux_can.h"

#include <errno.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <stdarg.h>
#include <string.h>

#include "base/test/check.h"
#include "library/can/test/wrapped.h"

enum { INDEX = 7 };

struct linux_can linux_can;

static bool put(struct linux_queue *queue, const struct linux_frame *frame, unsigned limit)
{
    if (queue->count == limit || queue->count == LINUX_QUEUE_MAX) {
        return false;
    }
    queue->frames[(queue->first + queue->count++) % LINUX_QUEUE_MAX] = *frame;
    return true;
}

bool linux_can_take(struct linux_queue *queue, struct linux_frame *frame)
{
    if (queue->count == 0) {
        return false;
    }
    *frame = queue->frames[queue->first];
    queue->first = (queue->first + 1) % LINUX_QUEUE_MAX;
    queue->count--;
    return true;
}

void linux_can_init(const char *name)
{
    memset(&linux_can, 0, sizeof linux_can);
    linux_can.name = name;
    linux_can.up = linux_can.fd = true;
    linux_can.transmit_max = 10;
    linux_can.receive_max = LINUX_QUEUE_MAX;
}

static bool fails(const char *call)
{
    errno = linux_can.failing_error;
    return linux_can.failing != NULL && strcmp(linux_can.failing, call) == 0;
}

static int refuse(int error)
{
    errno = error;
    return -1;
}

int __wrap_socket(int domain, int type, int protocol)
{
    CHECK(domain == PF_CAN && protocol == CAN_RAW);
    CHECK((type & SOCK_RAW) == SOCK_RAW && (type & SOCK_NONBLOCK) != 0 && (type & SOCK_CLOEXEC) != 0);
    CHECK(!linux_can.open);
    if (fails("socket")) {
        return -1;
    }
    linux_can.opens++;
    linux_can.open = linux_can.loopback = true;
    linux_can.bound = linux_can.own = linux_can.takes_fd = linux_can.tells_drops = false;
    linux_can.errors = linux_can.drops = 0;
    linux_can.error = 0;
    linux_can.filter_count = 1;
    linux_can.filters[0] = (struct can_filter){.can_mask = 0};
    linux_can.received.count = 0;
    return LINUX_DESCRIPTOR;
}

static int set_filters(const void *value, socklen_t size)
{
    if (size % sizeof(struct can_filter) != 0 || size > sizeof linux_can.filters) {
        return refuse(EINVAL);
    }
    linux_can.narrowed++;
    linux_can.filter_count = size / sizeof(struct can_filter);
    memcpy(linux_can.filters, value, size);
    return 0;
}

int __wrap_setsockopt(int descriptor, int level, int option, const void *value, socklen_t size)
{
    CHECK(descriptor == LINUX_DESCRIPTOR && linux_can.open);
    if (level == SOL_CAN_RAW && option == CAN_RAW_FILTER) {
        return fails("filter") ? -1 : set_filters(value, size);
    }
    CHECK(size == sizeof(int));
    bool on = *(const int *)value != 0;
    if (level == SOL_SOCKET && option == SO_RXQ_OVFL) {
        linux_can.tells_drops = on;
        return 0;
    }
    CHECK(level == SOL_CAN_RAW);
    if (option == CAN_RAW_ERR_FILTER) {
        linux_can.errors = *(const unsigned *)value & CAN_ERR_MASK;
    } else if (option == CAN_RAW_LOOPBACK) {
        linux_can.loopback = on;
    } else if (option == CAN_RAW_RECV_OWN_MSGS) {
        linux_can.own = on;
    } else if (option == CAN_RAW_FD_FRAMES) {
        linux_can.takes_fd = on;
    } else {
        return refuse(ENOPROTOOPT);
    }
    return fails("option") ? -1 : 0;
}

int __wrap_ioctl(int descriptor, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    struct ifreq *asked = va_arg(arguments, struct ifreq *);
    va_end(arguments);
    CHECK(descriptor == LINUX_DESCRIPTOR && linux_can.open);
    if (linux_can.name == NULL || strcmp(asked->ifr_name, linux_can.name) != 0) {
        return refuse(ENODEV);
    }
    if (request == SIOCGIFINDEX) {
        asked->ifr_ifindex = INDEX;
    } else {
        CHECK(request == SIOCGIFMTU);
        asked->ifr_mtu = linux_can.fd ? CANFD_MTU : CAN_MTU;
    }
    return 0;
}

int __wrap_bind(int descriptor, const struct sockaddr *address, socklen_t size)
{
    const struct sockaddr_can *can = (const struct sockaddr_can *)(const void *)address;
    CHECK(descriptor == LINUX_DESCRIPTOR && size == sizeof *can);
    CHECK(can->can_family == AF_CAN && can->can_ifindex == INDEX);
    if (fails("bind")) {
        return -1;
    }
    linux_can.bound = true;
    linux_can.error = linux_can.up ? 0 : ENETDOWN;
    return 0;
}

/* Whether one of the filters is for a frame. */
static bool wanted(const struct canfd_frame *raw)
{
    if ((raw->can_id & CAN_ERR_FLAG) != 0) {
        return (raw->can_id & linux_can.errors) != 0;
    }
    for (unsigned i = 0; i < linux_can.filter_count; i++) {
        const struct can_filter *filter = &linux_can.filters[i];
        if ((raw->can_id & filter->can_mask) == (filter->can_id & filter->can_mask)) {
            return true;
        }
    }
    return false;
}

void linux_can_arrive(const struct canfd_frame *raw, size_t size, int flags)
{
    struct linux_frame frame = {.raw = *raw, .size = size, .flags = flags, .drops = linux_can.drops};
    if (!linux_can.bound || (size == CANFD_MTU && !linux_can.takes_fd) || !wanted(raw)) {
        return;
    }
    linux_can.accepted++;
    linux_can.drops += !put(&linux_can.received, &frame, linux_can.receive_max);
}

void linux_can_error(canid_t kinds, unsigned char state, unsigned char transmit, unsigned char receive)
{
    struct canfd_frame raw = {.can_id = CAN_ERR_FLAG | kinds, .len = CAN_ERR_DLC};
    raw.data[1] = state;
    raw.data[6] = transmit;
    raw.data[7] = receive;
    linux_can_arrive(&raw, CAN_MTU, 0);
}

ssize_t __wrap_write(int descriptor, const void *data, size_t size)
{
    struct linux_frame frame = {.size = size};
    CHECK(descriptor == LINUX_DESCRIPTOR && linux_can.open);
    if (fails("write")) {
        return -1;
    }
    if (!linux_can.bound) {
        return refuse(ENXIO);
    }
    if (size != CAN_MTU && !(size == CANFD_MTU && linux_can.takes_fd && linux_can.fd)) {
        return refuse(EINVAL);
    }
    memcpy(&frame.raw, data, size);
    if (frame.raw.len > (size == CAN_MTU ? CAN_MAX_DLEN : CANFD_MAX_DLEN)) {
        return refuse(EINVAL);
    }
    if (!linux_can.up) {
        return refuse(ENETDOWN);
    }
    return put(&linux_can.transmit, &frame, linux_can.transmit_max) ? (ssize_t)size : refuse(ENOBUFS);
}

bool linux_can_send(void)
{
    struct linux_frame frame;
    if (!linux_can.up || linux_can.bus_off || !linux_can_take(&linux_can.transmit, &frame)) {
        return false;
    }
    CHECK(put(&linux_can.other, &frame, LINUX_QUEUE_MAX));
    if (linux_can.loopback && linux_can.own && linux_can.open) {
        linux_can_arrive(&frame.raw, frame.size, MSG_DONTROUTE | MSG_CONFIRM);
    }
    return true;
}

ssize_t __wrap_recvmsg(int descriptor, struct msghdr *message, int flags)
{
    struct linux_frame frame;
    CHECK(descriptor == LINUX_DESCRIPTOR && linux_can.open && flags == 0);
    if (linux_can.error != 0) {
        errno = linux_can.error;
        linux_can.error = 0;
        return -1;
    }
    if (!linux_can_take(&linux_can.received, &frame)) {
        return refuse(EAGAIN);
    }
    size_t size = frame.size < message->msg_iov->iov_len ? frame.size : message->msg_iov->iov_len;
    memcpy(message->msg_iov->iov_base, &frame.raw, size);
    message->msg_flags = frame.flags | (size < frame.size ? MSG_TRUNC : 0);
    size_t room = message->msg_controllen;
    message->msg_controllen = 0;
    if (linux_can.tells_drops && frame.drops != 0) {
        CHECK(room >= CMSG_SPACE(sizeof(uint32_t)));
        message->msg_controllen = room;
        struct cmsghdr *one = CMSG_FIRSTHDR(message);
        *one = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET, .cmsg_type = SO_RXQ_OVFL, .cmsg_len = CMSG_LEN(sizeof(uint32_t))};
        memcpy(CMSG_DATA(one), &frame.drops, sizeof(uint32_t));
        message->msg_controllen = CMSG_SPACE(sizeof(uint32_t));
    }
    return (ssize_t)size;
}

int __wrap_close(int descriptor)
{
    CHECK(descriptor == LINUX_DESCRIPTOR && linux_can.open);
    linux_can.open = linux_can.bound = false;
    linux_can.closes++;
    return 0;
}

void linux_can_break(void)
{
    linux_can.transmit.count = 0;
    linux_can.bus_off = true;
    linux_can_error(CAN_ERR_BUSOFF, 0, 0, 0);
}

void linux_can_restart(void)
{
    if (linux_can.bus_off) {
        linux_can.bus_off = false;
        linux_can_error(CAN_ERR_RESTARTED, 0, 0, 0);
    }
}

void linux_can_down(void)
{
    linux_can.transmit.count = 0;
    linux_can.up = false;
    linux_can.error = linux_can.bound ? ENETDOWN : 0;
}

void linux_can_remove(void)
{
    linux_can_down();
    linux_can.name = NULL;
    linux_can.error = linux_can.bound ? ENODEV : 0;
    linux_can.bound = false;
}
