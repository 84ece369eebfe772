/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CAN interfaces of the machine as controllers of `host`: what their driver needs of a run. Input raises the interrupt
 * of the bus, also for a frame that the system did not take and that is written again.
 */
#include "library/can/host/interface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/can/host/socketcan.h"
#include "library/can/host/udp_multicast.h"
#include "library/can/log.h"
#include "ports/host/host.h"
#include "takt/time.h"

enum { FRAME_BITS_MIN = 47, BURST_MAX = 256 }; /* of the shortest frame; frames that are received at one time */
#define AGAIN_NS TAKT_MS(1)                    /* after which a frame is written again */

struct outside {
    union { /* their first member */
        struct takt_can_socket socket;
        struct takt_socketcan socketcan;
        struct takt_udp_multicast multicast;
    } driver;
    const struct takt_can_controller_calls *calls;
    struct takt_board_can_bus config;
    unsigned index;
    struct takt_can_log log;
    struct takt_can_frame loaded;
    uint64_t burst_ns; /* when it received last, and how much at that time */
    unsigned burst;
};

static struct outside outsides[TAKT_CAN_BUSES];

static struct outside *of(struct takt_can_controller *controller)
{
    return (struct outside *)(void *)controller;
}

/* Input raises an interrupt; what was read already, and a frame that the system did not take, do not. */
static void look_again(const struct outside *outside)
{
    const struct takt_can_socket *socket = &outside->driver.socket;
    if (socket->events != 0 || (socket->loaded && !socket->written)) {
        uint64_t after_ns = socket->events != 0 ? 1 : AGAIN_NS;
        takt_host_interrupt_every(TAKT_CAN_FIRST_INTERRUPT + outside->index, takt_now() + after_ns, 0);
    }
}

static enum takt_status start(struct takt_can_controller *controller)
{
    struct outside *outside = of(controller);
    const struct takt_can_rates *rates = &outside->config.rates;
    enum takt_status status = outside->calls->start(controller);
    if (status == TAKT_REFUSED) {
        fprintf(stderr, "host: CAN interface %s cannot be used: %s: %s\n", outside->config.interface,
                outside->driver.socket.failed, strerror(outside->driver.socket.error));
        exit(2);
    }
    uint32_t rate = rates->data_bps > rates->nominal_bps ? rates->data_bps : rates->nominal_bps;
    takt_board_watch(outside->driver.socket.descriptor, TAKT_CAN_FIRST_INTERRUPT + outside->index,
                    FRAME_BITS_MIN * UINT64_C(1000000000) / rate);
    return status;
}

static void load(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame)
{
    struct outside *outside = of(controller);
    outside->loaded = *frame;
    outside->calls->load(controller, mailbox, frame);
    look_again(outside);
}

static bool next_event(struct takt_can_controller *controller, struct takt_can_controller_event *event)
{
    struct outside *outside = of(controller);
    bool there = outside->calls->next_event(controller, event);
    if (there && event->what == TAKT_CAN_MAILBOX_SENT) {
        takt_can_log_write(&outside->log, takt_now(), &outside->loaded);
    }
    look_again(outside);
    return there;
}

/* However many come, the system takes so many at one time: for the rest there is another interrupt. */
static bool receive(struct takt_can_controller *controller, struct takt_can_frame *frame)
{
    struct outside *outside = of(controller);
    uint64_t now_ns = takt_now();
    outside->burst = outside->burst_ns == now_ns ? outside->burst : 0;
    outside->burst_ns = now_ns;
    if (outside->burst == BURST_MAX || !outside->calls->receive(controller, frame)) {
        look_again(outside);
        return false;
    }
    outside->burst++;
    takt_can_log_write(&outside->log, now_ns, frame);
    return true;
}

struct takt_can_controller *takt_can_interface(unsigned index, const struct takt_board_can_bus *bus)
{
    static struct takt_can_controller_calls calls[TAKT_CAN_BUSES];
    struct outside *outside = &outsides[index];
    *outside = (struct outside){.config = *bus, .index = index, .log = {.index = index}};
    if (strncmp(bus->interface, TAKT_UDP_MULTICAST, strlen(TAKT_UDP_MULTICAST)) == 0) {
        takt_udp_multicast_init(&outside->driver.multicast, bus->interface, bus->fd);
    } else {
        takt_socketcan_init(&outside->driver.socketcan, bus->interface, bus->fd);
    }
    struct takt_can_controller *controller = &outside->driver.socket.controller;
    outside->calls = controller->calls;
    calls[index] = *outside->calls;
    calls[index].start = start;
    calls[index].load = load;
    calls[index].next_event = next_event;
    calls[index].receive = receive;
    controller->calls = &calls[index];
    return controller;
}
