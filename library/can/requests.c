/* SPDX-License-Identifier: Apache-2.0 */
#include "library/can/requests.h"

#include "takt/board.h"

void takt_can_request_make(struct takt_can_request *request)
{
    struct takt_can_controller *own = &request->of->simulated->controller;
    switch (request->what) {
    case TAKT_CAN_REQUEST_START:
        request->status = own->calls->start(own);
        break;
    case TAKT_CAN_REQUEST_STOP:
        own->calls->stop(own);
        break;
    case TAKT_CAN_REQUEST_LOAD:
        own->calls->load(own, request->mailbox, request->frame);
        break;
    case TAKT_CAN_REQUEST_ABORT:
        own->calls->abort(own, request->mailbox);
        break;
    case TAKT_CAN_REQUEST_INTERRUPT:
        own->calls->interrupt(own, request->set);
        break;
    case TAKT_CAN_REQUEST_NEXT_EVENT:
        request->found = own->calls->next_event(own, request->event);
        if (!request->found) { /* it was asked for all that it would interrupt for */
            (void)takt_can_simulated_interrupt(request->of->simulated);
        }
        break;
    case TAKT_CAN_REQUEST_RECEIVE:
        request->found = own->calls->receive(own, request->received);
        break;
    case TAKT_CAN_REQUEST_FILTER:
        request->status = own->calls->filter(own, request->filters, request->set);
        break;
    case TAKT_CAN_REQUEST_RECOVER:
        own->calls->recover(own);
        break;
    }
}

bool takt_can_request_answered(const struct takt_can_request *request)
{
    bool asks = request->what == TAKT_CAN_REQUEST_NEXT_EVENT || request->what == TAKT_CAN_REQUEST_RECEIVE;
    return asks && !request->found && !takt_can_simulated_waits(request->of->simulated);
}

static struct takt_can_requests *of(struct takt_can_controller *controller)
{
    return (struct takt_can_requests *)(void *)controller; /* its first member */
}

static enum takt_status start(struct takt_can_controller *controller)
{
    struct takt_can_request request = {.of = of(controller), .what = TAKT_CAN_REQUEST_START};
    takt_board_can_apart(request.of->simulate, &request);
    return request.status;
}

static void stop(struct takt_can_controller *controller)
{
    struct takt_can_request request = {.of = of(controller), .what = TAKT_CAN_REQUEST_STOP};
    takt_board_can_apart(request.of->simulate, &request);
}

static void load(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame)
{
    struct takt_can_request request = {
        .of = of(controller), .what = TAKT_CAN_REQUEST_LOAD, .mailbox = mailbox, .frame = frame};
    takt_board_can_apart(request.of->simulate, &request);
}

static void abort_frame(struct takt_can_controller *controller, uint8_t mailbox)
{
    struct takt_can_request request = {.of = of(controller), .what = TAKT_CAN_REQUEST_ABORT, .mailbox = mailbox};
    takt_board_can_apart(request.of->simulate, &request);
}

static void interrupt(struct takt_can_controller *controller, uint32_t mailboxes)
{
    struct takt_can_request request = {.of = of(controller), .what = TAKT_CAN_REQUEST_INTERRUPT, .set = mailboxes};
    takt_board_can_apart(request.of->simulate, &request);
}

static bool next_event(struct takt_can_controller *controller, struct takt_can_controller_event *event)
{
    struct takt_can_request request = {.of = of(controller), .what = TAKT_CAN_REQUEST_NEXT_EVENT, .event = event};
    takt_board_can_apart(request.of->simulate, &request);
    return request.found;
}

static bool receive(struct takt_can_controller *controller, struct takt_can_frame *frame)
{
    struct takt_can_request request = {.of = of(controller), .what = TAKT_CAN_REQUEST_RECEIVE, .received = frame};
    takt_board_can_apart(request.of->simulate, &request);
    return request.found;
}

static enum takt_status filter(struct takt_can_controller *controller, const struct takt_can_filter *filters,
                               uint32_t count)
{
    struct takt_can_request request = {
        .of = of(controller), .what = TAKT_CAN_REQUEST_FILTER, .filters = filters, .set = count};
    takt_board_can_apart(request.of->simulate, &request);
    return request.status;
}

static void recover(struct takt_can_controller *controller)
{
    struct takt_can_request request = {.of = of(controller), .what = TAKT_CAN_REQUEST_RECOVER};
    takt_board_can_apart(request.of->simulate, &request);
}

static struct takt_can_errors errors(const struct takt_can_controller *controller)
{
    const struct takt_can_simulated *own = ((const struct takt_can_requests *)(const void *)controller)->simulated;
    return own->controller.calls->errors(&own->controller);
}

static const struct takt_can_controller_calls calls = {
    .start = start,
    .stop = stop,
    .load = load,
    .abort = abort_frame,
    .interrupt = interrupt,
    .next_event = next_event,
    .receive = receive,
    .filter = filter,
    .recover = recover,
    .errors = errors,
};

void takt_can_requests_init(struct takt_can_requests *requests, struct takt_can_simulated *simulated,
                            void (*simulate)(void *request, uint64_t now_ns))
{
    requests->controller = simulated->controller;
    requests->controller.calls = &calls;
    requests->simulated = simulated;
    requests->simulate = simulate;
}
