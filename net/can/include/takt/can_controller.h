/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_CONTROLLER_H
#define TAKT_CAN_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "base/status.h"
#include "takt/can_errors.h"
#include "takt/can_filter.h"
#include "takt/can_frame.h"

TAKT_C_BEGIN

/*
 * What a driver of a CAN controller provides. The transmit queue (takt/can_queue.h) sends through it.
 *
 * A controller has mailboxes, each of which sends one frame: of those that are loaded it offers the one that wins the
 * arbitration (takt_can_frame_compare), again until it was transmitted or aborted. What happened is kept until
 * `next_event` returns it; the interrupt only says that it is time to ask.
 *
 * net/can/test/queue/controller_cases.h is what every driver has to pass.
 *
 * Context of every call: any; those of one controller exclude each other, an interrupt handler of the driver that only
 * notes events excepted. Blocks: never. O(mailboxes), takt_can_controller_calls.filter O(filters).
 */

enum { TAKT_CAN_MAILBOXES_MAX = 16 };

enum takt_can_happening {
    TAKT_CAN_MAILBOX_SENT = 0,    /* its frame was transmitted: the mailbox is free */
    TAKT_CAN_MAILBOX_ABORTED = 1, /* its frame was not transmitted, and will not be: the mailbox is free */
    TAKT_CAN_WENT_OFF = 2,        /* bus-off: no mailbox is loaded any more, and none of them was ABORTED */
    TAKT_CAN_CAME_BACK = 3        /* it takes part again after bus-off */
};

struct takt_can_controller_event {
    enum takt_can_happening what;
    uint8_t mailbox; /* of SENT and ABORTED */
};

struct takt_can_controller;

struct takt_can_controller_calls {
    /* Takes part in the bus, with all mailboxes free, nothing received and no events. TAKT_STATE: it takes part. */
    enum takt_status (*start)(struct takt_can_controller *controller);

    /* Leaves the bus at once. Frames in mailboxes, received frames and events are lost. */
    void (*stop)(struct takt_can_controller *controller);

    /*
     * Loads a free mailbox with a valid frame, which is copied: one whose last event was returned, or that was not used
     * since the start. No other mailbox has a frame with this identifier. The frame takes part in the next arbitration.
     * While it is bus-off or stopped nothing is loaded.
     */
    void (*load)(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame);

    /*
     * Asks for the end of a loaded mailbox: an event SENT or ABORTED follows, at once unless the frame is on the bus.
     * Then it is SENT if that attempt succeeds, and ABORTED if it loses the arbitration or fails. A controller that
     * cannot abort sends the frame. If the frame has ended already, whose event was not returned yet, nothing changes.
     */
    void (*abort)(struct takt_can_controller *controller, uint8_t mailbox);

    /*
     * The mailboxes, a set, whose events ask for an interrupt; those of an earlier call do not any more. All other
     * events and received frames always ask for one.
     */
    void (*interrupt)(struct takt_can_controller *controller, uint32_t mailboxes);

    /* The next event; false: there is none. WENT_OFF comes after all that happened before it. */
    bool (*next_event)(struct takt_can_controller *controller, struct takt_can_controller_event *event);

    /* The next received frame, as it was on the bus; false: there is none. */
    bool (*receive)(struct takt_can_controller *controller, struct takt_can_frame *frame);

    /*
     * Which frames it receives: those that one of `count` valid filters accepts; all without a call. TAKT_LIMIT: it
     * cannot do so, and its filters are as they were.
     */
    enum takt_status (*filter)(struct takt_can_controller *controller, const struct takt_can_filter *filters,
                               uint32_t count);

    /* Begins to wait for the 128 sequences of 11 recessive bits after bus-off; else it does nothing. */
    void (*recover)(struct takt_can_controller *controller);

    /* The error counters, and by them its state. */
    struct takt_can_errors (*errors)(const struct takt_can_controller *controller);
};

/* The first member of what a driver has of a controller. Constant from the start on. */
struct takt_can_controller {
    const struct takt_can_controller_calls *calls;
    uint8_t mailboxes; /* for transmission, 1 .. TAKT_CAN_MAILBOXES_MAX */
    bool fd;           /* it sends and receives FD frames */
    bool aborts;       /* a frame that is not on the bus is aborted at once */
};

TAKT_C_END

#endif
