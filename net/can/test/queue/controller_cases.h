/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_TEST_CONTROLLER_CASES_H
#define TAKT_CAN_TEST_CONTROLLER_CASES_H

/*
 * The cases that every driver of a CAN controller has to pass (takt/can_controller.h). A bench has the controller on a
 * bus with another node. What a bench cannot do is NULL, and the cases that need it are left out: it has to say why.
 */
#include "base/test/check.h"
#include "takt/can_controller.h"

struct controller_bench {
    struct takt_can_controller *controller;
    void (*begin)(void);         /* a new bus: the controller is stopped, nothing was sent */
    void (*run)(void);           /* until nothing more is to be sent and the bus is idle */
    void (*hold)(void);          /* keeps the controller's frames from the bus; `run` ends that */
    void (*into_frame)(void);    /* until a frame of the controller is on the bus, after its arbitration */
    void (*disturb)(void);       /* an error while its frame is on the bus: that attempt fails */
    void (*break_off)(void);     /* until it is bus-off: a frame of it waits */
    void (*pass_recovery)(void); /* as long as the recovery from bus-off takes at most */
    bool (*seen)(struct takt_can_frame *frame);       /* the next frame that the other node received */
    void (*give)(const struct takt_can_frame *frame); /* the other node sends it */
    bool (*interrupted)(void);                        /* since the last call */
};

static const struct controller_bench *bench;

static inline struct takt_can_frame frame_of(uint32_t id, uint8_t dlc)
{
    struct takt_can_frame frame = {.shape = {.dlc = dlc}, .id = id};
    for (unsigned i = 0; i < dlc && i < 8; i++) {
        frame.data[i] = (uint8_t)(id + 16 * i);
    }
    return frame;
}

static inline void load(uint8_t mailbox, struct takt_can_frame frame)
{
    bench->controller->calls->load(bench->controller, mailbox, &frame);
    memset(&frame, 0xEE, sizeof frame); /* it was copied */
}

static inline void expect_event(enum takt_can_happening what, unsigned mailbox)
{
    struct takt_can_controller_event event;
    CHECK(bench->controller->calls->next_event(bench->controller, &event));
    CHECK_EQUAL(event.what, what);
    if (what == TAKT_CAN_MAILBOX_SENT || what == TAKT_CAN_MAILBOX_ABORTED) {
        CHECK_EQUAL(event.mailbox, mailbox);
    }
}

static inline void expect_no_event(void)
{
    struct takt_can_controller_event event;
    CHECK(!bench->controller->calls->next_event(bench->controller, &event));
}

static inline void expect_seen(struct takt_can_frame frame)
{
    struct takt_can_frame found;
    CHECK(bench->seen(&found));
    CHECK(takt_can_frame_equals(&found, &frame));
}

static inline void expect_silence(void)
{
    struct takt_can_frame found;
    CHECK(!bench->seen(&found));
}

static inline void started(void)
{
    bench->begin();
    CHECK_EQUAL(bench->controller->calls->start(bench->controller), TAKT_OK);
    bench->run(); /* until it takes part */
}

static inline void case_start_and_stop(void)
{
    struct takt_can_controller *controller = bench->controller;
    CHECK(controller->mailboxes >= 1 && controller->mailboxes <= TAKT_CAN_MAILBOXES_MAX);
    started();
    CHECK_EQUAL(controller->calls->start(controller), TAKT_STATE);
    expect_no_event();
    if (bench->hold != NULL) {
        bench->hold();
        load(0, frame_of(0x123, 2));
        controller->calls->stop(controller);
        bench->run();
        expect_no_event();
        expect_silence();
        CHECK_EQUAL(controller->calls->start(controller), TAKT_OK);
    }
    bench->run();
    expect_no_event();
    expect_silence();
    load(0, frame_of(0x124, 2)); /* the mailbox is free after it */
    bench->run();
    expect_seen(frame_of(0x124, 2));
    controller->calls->stop(controller);
    expect_no_event();
    load(0, frame_of(0x125, 1));
    bench->run();
    expect_silence();
}

/* One after the other: each mailbox, each kind of frame. */
static inline void case_send(void)
{
    started();
    for (uint8_t mailbox = 0; mailbox < bench->controller->mailboxes; mailbox++) {
        struct takt_can_frame frame = frame_of(0x700u - mailbox, mailbox % 9);
        frame.shape.extended = mailbox % 3 == 1;
        frame.shape.remote = mailbox % 3 == 2;
        load(mailbox, frame);
        bench->run();
        expect_event(TAKT_CAN_MAILBOX_SENT, mailbox);
        expect_no_event();
        expect_seen(frame);
    }
    if (bench->controller->fd) {
        struct takt_can_frame frame = {.shape = {.fd = true, .brs = true, .dlc = 15}, .id = 0x55};
        for (unsigned i = 0; i < TAKT_CAN_DATA_MAX; i++) {
            frame.data[i] = (uint8_t)(7 * i);
        }
        load(0, frame);
        bench->run();
        expect_event(TAKT_CAN_MAILBOX_SENT, 0);
        expect_seen(frame);
    }
    expect_silence();
}

/* Whatever the mailboxes, the frames go by their identifiers; one that is loaded later, too. */
static inline void case_order(void)
{
    unsigned count = bench->controller->mailboxes;
    if (count < 2 || bench->hold == NULL) {
        return;
    }
    struct takt_can_frame frames[TAKT_CAN_MAILBOXES_MAX];
    bool up = false;
    do { /* the lowest identifier in the last, or the first mailbox */
        started();
        bench->hold();
        for (unsigned i = 0; i < count; i++) {
            frames[i] = frame_of(0x400 + i, 3);
        }
        frames[1] = (struct takt_can_frame){.shape = {.extended = true}, .id = 0x400u << 18}; /* behind 0x400 itself */
        for (unsigned i = 0; i < count; i++) {
            load((uint8_t)(up ? i : count - 1 - i), frames[i]);
        }
        bench->run();
        for (unsigned i = 0; i < count; i++) {
            expect_seen(frames[i]);
        }
        for (unsigned i = 0; i < count; i++) {
            expect_event(TAKT_CAN_MAILBOX_SENT, i); /* those of one time in any order: here by mailbox */
        }
        expect_no_event();
        expect_silence();
        up = !up;
    } while (up);
}

static inline void case_abort(void)
{
    if (!bench->controller->aborts) {
        return;
    }
    struct takt_can_controller *controller = bench->controller;
    uint8_t last = controller->mailboxes - 1;
    started();
    bench->hold();
    load(last, frame_of(0x20, 1));
    expect_no_event();
    controller->calls->abort(controller, last);
    expect_event(TAKT_CAN_MAILBOX_ABORTED, last);
    expect_no_event();
    load(last, frame_of(0x30, 1)); /* into the free mailbox */
    bench->run();
    controller->calls->abort(controller, last); /* too late */
    expect_event(TAKT_CAN_MAILBOX_SENT, last);
    expect_seen(frame_of(0x30, 1));
    expect_silence();
}

/* A frame on the bus is transmitted although it should be aborted, once, unless that attempt fails. */
static inline void case_abort_on_bus(void)
{
    struct takt_can_controller *controller = bench->controller;
    if (bench->into_frame == NULL || !controller->aborts) {
        return;
    }
    started();
    load(0, frame_of(0x21, 8));
    bench->into_frame();
    controller->calls->abort(controller, 0);
    expect_no_event();
    bench->run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    expect_no_event();
    expect_seen(frame_of(0x21, 8));
    load(0, frame_of(0x22, 8));
    bench->into_frame();
    bench->disturb();
    expect_no_event(); /* without an abort it is sent again */
    bench->run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    expect_seen(frame_of(0x22, 8));
    load(0, frame_of(0x23, 8));
    bench->into_frame();
    controller->calls->abort(controller, 0);
    bench->disturb();
    expect_event(TAKT_CAN_MAILBOX_ABORTED, 0);
    expect_no_event();
    bench->run();
    expect_silence();
}

/* An abort while the arbitration goes on, which another node wins. */
static inline void case_abort_and_lose(void)
{
    struct takt_can_controller *controller = bench->controller;
    if (bench->hold == NULL || !controller->aborts || controller->mailboxes < 2) {
        return;
    }
    struct takt_can_frame better = frame_of(0x001, 4);
    started();
    bench->hold();
    bench->give(&better); /* both begin when the bus is free */
    load(0, frame_of(0x7F0, 4));
    load(1, frame_of(0x7F1, 4));
    bench->run();
    expect_seen(frame_of(0x7F0, 4));
    expect_seen(frame_of(0x7F1, 4));
    struct takt_can_frame found;
    CHECK(controller->calls->receive(controller, &found));
    while (found.id != better.id) {
        CHECK(controller->calls->receive(controller, &found));
    }
}

static inline void case_interrupt(void)
{
    struct takt_can_controller *controller = bench->controller;
    if (bench->interrupted == NULL) {
        return;
    }
    started();
    load(0, frame_of(0x44, 1));
    bench->run();
    CHECK(!bench->interrupted()); /* of no mailbox at first */
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    controller->calls->interrupt(controller, 1);
    load(0, frame_of(0x45, 1));
    bench->run();
    CHECK(bench->interrupted());
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    CHECK(!bench->interrupted());
    controller->calls->interrupt(controller, 0);
    load(0, frame_of(0x46, 1));
    bench->run();
    CHECK(!bench->interrupted());
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    struct takt_can_frame given = frame_of(0x60, 2), found;
    bench->give(&given);
    bench->run();
    CHECK(bench->interrupted());
    CHECK(controller->calls->receive(controller, &found));
    CHECK(takt_can_frame_equals(&found, &given));
    if (controller->aborts && bench->hold != NULL) {
        bench->hold();
        controller->calls->interrupt(controller, 1);
        load(0, frame_of(0x47, 1));
        controller->calls->abort(controller, 0);
        CHECK(bench->interrupted());
        bench->run();
    }
}

static inline void case_receive(void)
{
    struct takt_can_controller *controller = bench->controller;
    const struct takt_can_filter wanted = {
        .kind = TAKT_CAN_FILTER_MASK, .frames = TAKT_CAN_FILTER_DATA, .first = 0x120, .second = 0x7F0};
    struct takt_can_filter many[100];
    struct takt_can_frame found, own = frame_of(0x121, 3);
    started();
    for (unsigned i = 0; i < 100; i++) {
        many[i] = (struct takt_can_filter){
            .kind = TAKT_CAN_FILTER_DUAL, .frames = TAKT_CAN_FILTER_DATA, .first = 3 * i, .second = 3 * i + 1};
    }
    for (unsigned i = 0; i < 3; i++) { /* all, at first; in their order */
        struct takt_can_frame given = frame_of(0x300 - i, (uint8_t)i);
        given.shape.remote = i == 1;
        bench->give(&given);
        bench->run();
    }
    for (unsigned i = 0; i < 3; i++) {
        CHECK(controller->calls->receive(controller, &found));
        CHECK_EQUAL(found.id, 0x300 - i);
        CHECK_EQUAL(found.shape.remote, i == 1);
        CHECK_EQUAL(found.shape.dlc, i);
    }
    CHECK(!controller->calls->receive(controller, &found));
    CHECK_EQUAL(controller->calls->filter(controller, &wanted, 1), TAKT_OK);
    CHECK_EQUAL(controller->calls->filter(controller, many, 100), TAKT_LIMIT);
    for (uint32_t id = 0x11F; id <= 0x130; id += 0x11) { /* outside, inside, outside */
        struct takt_can_frame given = frame_of(id == 0x130 ? 0x12F : id, 4);
        bench->give(&given);
        bench->run();
    }
    load(0, own); /* it does not receive its own, as the filter would have it */
    bench->run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    CHECK(controller->calls->receive(controller, &found));
    CHECK_EQUAL(found.id, 0x12F);
    CHECK(!controller->calls->receive(controller, &found));
}

static inline void case_bus_off(void)
{
    struct takt_can_controller *controller = bench->controller;
    if (bench->break_off == NULL) {
        return;
    }
    started();
    load(0, frame_of(0x10, 1));
    bench->run(); /* what happened before comes first */
    if (controller->mailboxes > 1) {
        load(controller->mailboxes - 1, frame_of(0x11, 1));
        bench->break_off();
        expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    } else {
        expect_event(TAKT_CAN_MAILBOX_SENT, 0);
        load(0, frame_of(0x11, 1));
        bench->break_off();
    }
    expect_seen(frame_of(0x10, 1));
    expect_event(TAKT_CAN_WENT_OFF, 0);
    expect_no_event();
    struct takt_can_errors errors = controller->calls->errors(controller);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_BUS_OFF);
    load(0, frame_of(0x12, 1));
    bench->pass_recovery();
    expect_no_event(); /* it was not asked to recover */
    controller->calls->recover(controller);
    bench->pass_recovery();
    expect_event(TAKT_CAN_CAME_BACK, 0);
    expect_no_event();
    bench->run();
    expect_silence(); /* neither 0x11 nor 0x12 */
    errors = controller->calls->errors(controller);
    CHECK_EQUAL(takt_can_errors_state(&errors), TAKT_CAN_ACTIVE);
    load(0, frame_of(0x13, 1));
    bench->run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    expect_seen(frame_of(0x13, 1));
    controller->calls->recover(controller);
    expect_no_event();
}

static inline void controller_cases(const struct controller_bench *of)
{
    bench = of;
    case_start_and_stop();
    case_send();
    case_order();
    case_abort();
    case_abort_on_bus();
    case_abort_and_lose();
    case_interrupt();
    case_receive();
    case_bus_off();
}

#endif
