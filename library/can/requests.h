/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_LIBRARY_CAN_REQUESTS_H
#define TAKT_LIBRARY_CAN_REQUESTS_H

#include "takt/can_simulated.h"

/* A simulated controller as a system has it: its calls are requests to who simulates its bus. */

enum takt_can_requested {
    TAKT_CAN_REQUEST_START,
    TAKT_CAN_REQUEST_STOP,
    TAKT_CAN_REQUEST_LOAD,
    TAKT_CAN_REQUEST_ABORT,
    TAKT_CAN_REQUEST_INTERRUPT,
    TAKT_CAN_REQUEST_NEXT_EVENT,
    TAKT_CAN_REQUEST_RECEIVE,
    TAKT_CAN_REQUEST_FILTER,
    TAKT_CAN_REQUEST_RECOVER
};

struct takt_can_requests;

/* A call of the system, and its result. */
struct takt_can_request {
    struct takt_can_requests *of;
    enum takt_can_requested what;
    uint8_t mailbox;
    uint32_t set; /* of mailboxes, or the number of filters */
    const struct takt_can_frame *frame;
    const struct takt_can_filter *filters;
    struct takt_can_controller_event *event;
    struct takt_can_frame *received;
    enum takt_status status;
    bool found;
};

/* `controller` is what the system sees. */
struct takt_can_requests {
    struct takt_can_controller controller;
    struct takt_can_simulated *simulated;
    void (*simulate)(void *request, uint64_t now_ns); /* makes a request at that time (takt_board_can_apart) */
};

/* `simulated` was initialized, and lives as long. */
void takt_can_requests_init(struct takt_can_requests *requests, struct takt_can_simulated *simulated,
                            void (*simulate)(void *request, uint64_t now_ns));

/* Calls the simulated controller. */
void takt_can_request_make(struct takt_can_request *request);

/* Of one that was made: whether the system knows now all that the controller would interrupt it for. */
bool takt_can_request_answered(const struct takt_can_request *request);

#endif
