/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_TEST_SOCKETCAN_BENCH_H
#define TAKT_LIBRARY_CAN_TEST_SOCKETCAN_BENCH_H

/* The driver of SocketCAN above a stand-in for Linux's calls, and what tests of it do. */
#include "library/can/host/socketcan.h"
#include "library/can/test/linux_can.h"
#include "net/can/test/queue/controller_cases.h"

static struct takt_socketcan driver;

static inline void begin_with(bool fd)
{
    if (linux_can.open) {
        driver.socket.controller.calls->stop(&driver.socket.controller);
    }
    linux_can_init("can7");
    takt_socketcan_init(&driver, "can7", fd);
}

static inline void begin(void)
{
    begin_with(true);
}

static inline void run(void)
{
    while (linux_can_send()) {
    }
}

static inline struct takt_can_frame frame_in(const struct linux_frame *from)
{
    bool extended = (from->raw.can_id & CAN_EFF_FLAG) != 0, fd = from->size == CANFD_MTU;
    struct takt_can_frame frame = {.id = from->raw.can_id & (extended ? CAN_EFF_MASK : CAN_SFF_MASK)};
    frame.shape.extended = extended;
    frame.shape.remote = (from->raw.can_id & CAN_RTR_FLAG) != 0;
    frame.shape.fd = fd;
    frame.shape.brs = fd && (from->raw.flags & CANFD_BRS) != 0;
    frame.passive = fd && (from->raw.flags & CANFD_ESI) != 0;
    while (frame.shape.remote ? frame.shape.dlc < from->raw.len : takt_can_bytes(&frame.shape) < from->raw.len) {
        frame.shape.dlc++;
    }
    if (!fd && from->raw.__res1 != 0) {
        frame.shape.dlc = from->raw.__res1;
    }
    memcpy(frame.data, from->raw.data, from->raw.len);
    return frame;
}

static inline bool seen(struct takt_can_frame *frame)
{
    struct linux_frame found;
    if (!linux_can_take(&linux_can.other, &found)) {
        return false;
    }
    *frame = frame_in(&found);
    return true;
}

static inline void give(const struct takt_can_frame *frame)
{
    struct canfd_frame raw = {.can_id = frame->id, .len = (uint8_t)takt_can_bytes(&frame->shape)};
    raw.can_id |= (frame->shape.extended ? CAN_EFF_FLAG : 0) | (frame->shape.remote ? CAN_RTR_FLAG : 0);
    memcpy(raw.data, frame->data, raw.len);
    raw.len = frame->shape.remote ? frame->shape.dlc : raw.len;
    if (!frame->shape.fd && frame->shape.dlc > 8) {
        raw.len = 8;
        raw.__res1 = frame->shape.dlc;
    } else if (frame->shape.fd) {
        raw.flags = (uint8_t)((frame->shape.brs ? CANFD_BRS : 0) | (frame->passive ? CANFD_ESI : 0));
    }
    linux_can_arrive(&raw, frame->shape.fd ? CANFD_MTU : CAN_MTU, 0);
}

/* What was written cannot be held back, nor taken back while it is on the bus, and each event makes the socket
 * readable. */
static const struct controller_bench socketcan = {
    .controller = &driver.socket.controller,
    .begin = begin,
    .run = run,
    .break_off = linux_can_break,
    .pass_recovery = linux_can_restart,
    .seen = seen,
    .give = give,
};

static inline enum takt_status start(void)
{
    return driver.socket.controller.calls->start(&driver.socket.controller);
}

static inline bool received(struct takt_can_frame *frame)
{
    return driver.socket.controller.calls->receive(&driver.socket.controller, frame);
}

static inline struct takt_can_errors errors(void)
{
    return driver.socket.controller.calls->errors(&driver.socket.controller);
}

#endif
