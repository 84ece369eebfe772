/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For libFuzzer: the driver of SocketCAN above calls that return anything: data of any length and kind, flags, control
 * data and errors. What it receives are valid frames, a frame is SENT once at most, and never
 * while the bus is off.
 */
#include <errno.h>
#include <linux/can.h>
#include <net/if.h>
#include <stdarg.h>

#include "base/test/fuzz.h"
#include "library/can/host/socketcan.h"
#include "library/can/test/wrapped.h"

enum { DESCRIPTOR = 1000 };

static bool is_open;

static int refused(void)
{
    static const int errors[] = {EAGAIN, ENOBUFS, ENETDOWN, ENODEV, ENXIO, EINTR, EINVAL, EPERM};
    errno = errors[byte() % 8];
    return -1;
}

int __wrap_socket(int domain, int type, int protocol)
{
    (void)domain, (void)type, (void)protocol;
    CHECK(!is_open);
    is_open = byte() % 8 != 7;
    return is_open ? DESCRIPTOR : refused();
}

int __wrap_setsockopt(int descriptor, int level, int option, const void *value, socklen_t size)
{
    const uint8_t *bytes = value;
    uint8_t sum = (uint8_t)(level + option);
    CHECK(descriptor == DESCRIPTOR && is_open);
    for (socklen_t i = 0; i < size; i++) { /* all can be read */
        sum = (uint8_t)(sum + bytes[i]);
    }
    return (byte() + (sum & 0)) % 16 == 15 ? refused() : 0;
}

int __wrap_ioctl(int descriptor, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    struct ifreq *asked = va_arg(arguments, struct ifreq *);
    va_end(arguments);
    CHECK(descriptor == DESCRIPTOR && is_open);
    asked->ifr_mtu = byte() % 2 == 0 ? CANFD_MTU : CAN_MTU;
    return byte() % 16 == 15 ? refused() : 0;
}

int __wrap_bind(int descriptor, const struct sockaddr *address, socklen_t size)
{
    CHECK(descriptor == DESCRIPTOR && is_open && address != NULL && size == sizeof(struct sockaddr_can));
    return byte() % 16 == 15 ? refused() : 0;
}

ssize_t __wrap_write(int descriptor, const void *data, size_t size)
{
    struct canfd_frame frame;
    CHECK(descriptor == DESCRIPTOR && is_open && (size == CAN_MTU || size == CANFD_MTU));
    memcpy(&frame, data, size);
    CHECK(frame.len <= (size == CAN_MTU ? CAN_MAX_DLEN : CANFD_MAX_DLEN));
    uint8_t how = byte();
    return how % 4 == 0 ? refused() : how % 4 == 1 ? (ssize_t)(byte() % size) : (ssize_t)size;
}

ssize_t __wrap_recvmsg(int descriptor, struct msghdr *message, int flags)
{
    CHECK(descriptor == DESCRIPTOR && is_open && flags == 0);
    uint8_t how = byte();
    if (left == 0 || how % 4 == 0) {
        errno = EAGAIN;
        return how % 32 == 4 ? refused() : -1;
    }
    size_t sizes[4] = {CAN_MTU, CANFD_MTU, CAN_MTU, byte() % (CANFD_MTU + 1)};
    size_t size = sizes[how / 4 % 4];
    uint8_t *data = message->msg_iov->iov_base;
    CHECK(message->msg_iov->iov_len == CANFD_MTU);
    for (size_t i = 0; i < size && left > 0; i++) {
        data[i] = byte();
    }
    message->msg_flags = (how & 0x40) != 0 ? MSG_CONFIRM | MSG_DONTROUTE : (how & 0x20) != 0 ? MSG_TRUNC : 0;
    if ((how & 0x80) != 0 && message->msg_controllen >= CMSG_SPACE(sizeof(uint32_t))) {
        struct cmsghdr *one = CMSG_FIRSTHDR(message);
        uint32_t drops = byte();
        one->cmsg_level = SOL_SOCKET;
        one->cmsg_type = byte() % 2 == 0 ? SO_RXQ_OVFL : byte();
        one->cmsg_len = CMSG_LEN(byte() % 2 == 0 ? sizeof drops : byte() % 4);
        memcpy(CMSG_DATA(one), &drops, sizeof drops);
        message->msg_controllen = CMSG_SPACE(sizeof drops);
    } else {
        message->msg_controllen = 0;
    }
    return (ssize_t)size;
}

int __wrap_close(int descriptor)
{
    CHECK(descriptor == DESCRIPTOR && is_open);
    is_open = false;
    return 0;
}

static struct takt_can_frame any_frame(void)
{
    struct takt_can_frame frame = {.shape = {.extended = byte() % 2 != 0, .fd = byte() % 3 == 0}};
    frame.shape.remote = !frame.shape.fd && byte() % 4 == 0;
    frame.shape.dlc = byte() % 16;
    frame.id = byte();
    for (unsigned i = 0; i < takt_can_bytes(&frame.shape); i++) {
        frame.data[i] = (uint8_t)i;
    }
    return frame;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct takt_socketcan driver;
    const struct takt_can_filter filter = {
        .kind = TAKT_CAN_FILTER_RANGE, .frames = TAKT_CAN_FILTER_DATA | TAKT_CAN_FILTER_FD, .first = 16, .second = 255};
    struct takt_can_controller *controller = &driver.socket.controller;
    struct takt_can_controller_event event;
    struct takt_can_frame frame;
    bool loaded = false, off = false, asked = false, runs = false;
    input = data;
    left = size;
    is_open = false;
    takt_socketcan_init(&driver, "can0", byte() % 2 == 0);
    while (left > 0) {
        switch (byte() % 8) {
        case 0:
            runs = runs || controller->calls->start(controller) == TAKT_OK;
            break;
        case 1:
            if (byte() % 4 == 0) {
                controller->calls->stop(controller);
                loaded = off = asked = runs = false;
            }
            break;
        case 2:
            (void)controller->calls->filter(controller, &filter, 1);
            break;
        case 3:
            controller->calls->recover(controller);
            asked = off;
            break;
        case 4:
        case 5:
            while (controller->calls->receive(controller, &frame) && left > 0) {
                CHECK(runs && takt_can_frame_is_valid(&frame));
            }
            break;
        default:
            if (!loaded && !off) {
                frame = any_frame();
                controller->calls->load(controller, 0, &frame);
                loaded = runs;
            }
        }
        while (controller->calls->next_event(controller, &event)) {
            CHECK(runs);
            if (event.what == TAKT_CAN_MAILBOX_SENT) {
                CHECK(loaded && !off);
                loaded = false;
            } else if (event.what == TAKT_CAN_WENT_OFF) {
                CHECK(!off);
                off = true;
                loaded = asked = false;
            } else {
                CHECK(event.what == TAKT_CAN_CAME_BACK && off && asked);
                off = false;
            }
        }
        CHECK(is_open == runs);
        CHECK(driver.socket.received_count <= TAKT_CAN_SOCKET_RECEIVED);
    }
    controller->calls->stop(controller);
    CHECK(!is_open);
    return 0;
}
