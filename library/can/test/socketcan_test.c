/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of SocketCAN above a stand-in for Linux's calls: under the cases of all drivers, and with calls that
 * fail. */
#include <errno.h>
#include <linux/can/error.h>
#include <sys/socket.h>

#include "library/can/test/socketcan_bench.h"

static void test_refused_calls(void)
{
    static const char *const calls[] = {"socket", "option", "filter", "bind"};
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        begin();
        linux_can.failing = calls[i];
        linux_can.failing_error = EPERM;
        CHECK_EQUAL(start(), TAKT_REFUSED);
        CHECK_EQUAL(driver.socket.error, EPERM);
        CHECK(driver.socket.failed != NULL);
        CHECK_EQUAL(linux_can.opens, linux_can.closes);
        CHECK(driver.socket.descriptor == -1);
        load(0, frame_of(0x100, 1)); /* nothing: it is stopped */
        CHECK((!driver.socket.loaded || driver.socket.written));
        linux_can.failing = NULL;
        CHECK_EQUAL(start(), TAKT_OK);
        CHECK_EQUAL(driver.socket.descriptor, LINUX_DESCRIPTOR);
    }
    begin();
    linux_can.name = "can8";
    CHECK_EQUAL(start(), TAKT_REFUSED);
    CHECK_EQUAL(driver.socket.error, ENODEV);
    begin();
    linux_can.fd = false;
    CHECK_EQUAL(start(), TAKT_REFUSED);
    CHECK_EQUAL(driver.socket.error, EPROTONOSUPPORT);
    CHECK(!linux_can.open);
    begin_with(false); /* classic frames alone */
    linux_can.fd = false;
    CHECK_EQUAL(start(), TAKT_OK);
    CHECK(!linux_can.takes_fd);
    driver.socket.controller.calls->stop(&driver.socket.controller);
    driver.socket.controller.calls->stop(&driver.socket.controller); /* twice */
    expect_no_event();
}

/* A frame that the system does not take is written later, once. */
static void test_no_room(void)
{
    static const int refusals[] = {ENOBUFS, EAGAIN, EINTR, EPERM};
    for (unsigned i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        started();
        linux_can.failing = "write";
        linux_can.failing_error = refusals[i];
        load(0, frame_of(0x123, 4));
        run();
        expect_no_event();
        expect_silence();
        CHECK(driver.socket.loaded && !driver.socket.written);
        linux_can.failing = NULL;
        linux_can.transmit_max = 0;
        expect_no_event();
        linux_can.transmit_max = 1;
        expect_no_event(); /* now it is written */
        CHECK((!driver.socket.loaded || driver.socket.written));
        expect_no_event();
        run();
        expect_event(TAKT_CAN_MAILBOX_SENT, 0);
        expect_seen(frame_of(0x123, 4));
        expect_silence();
    }
    started();
    linux_can.failing = "filter"; /* its confirmation could not come */
    linux_can.failing_error = ENOMEM;
    load(0, frame_of(0x124, 4));
    run();
    expect_silence();
    CHECK(driver.socket.loaded && !driver.socket.written);
    linux_can.failing = NULL;
    expect_no_event();
    run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
}

/* What an interface that goes down, or a driver that gives up, drops is written again. */
static void test_down(void)
{
    begin();
    linux_can.up = false; /* as it starts */
    CHECK_EQUAL(start(), TAKT_OK);
    load(0, frame_of(0x10, 1));
    expect_no_event();
    linux_can.up = true;
    expect_no_event();
    run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    load(0, frame_of(0x11, 1));
    linux_can_down();
    expect_no_event();
    expect_no_event();
    CHECK(driver.socket.loaded && !driver.socket.written);
    linux_can.up = true;
    expect_no_event();
    run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    load(0, frame_of(0x12, 1));
    linux_can.transmit.count = 0;
    linux_can_error(CAN_ERR_TX_TIMEOUT, 0, 0, 0);
    expect_no_event(); /* read */
    expect_no_event(); /* and written */
    run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    for (uint32_t id = 0x10; id <= 0x12; id++) {
        expect_seen(frame_of(id, 1));
    }
    expect_silence();
}

static void test_removed(void)
{
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        started();
        if (loaded != 0) {
            load(0, frame_of(0x10, 1));
        }
        linux_can_remove();
        expect_event(TAKT_CAN_WENT_OFF, 0);
        struct takt_can_errors found = errors();
        CHECK_EQUAL(takt_can_errors_state(&found), TAKT_CAN_BUS_OFF);
        driver.socket.controller.calls->recover(&driver.socket.controller);
        load(0, frame_of(0x11, 1));
        expect_no_event();
        CHECK((!driver.socket.loaded || driver.socket.written));
    }
    started();
    linux_can_remove();
    linux_can.error = 0; /* only the write says so */
    load(0, frame_of(0x10, 1));
    expect_event(TAKT_CAN_WENT_OFF, 0);
}

/* A frame of the time before bus-off that comes back after it is not the one that waits now. */
static void test_old_frame(void)
{
    struct canfd_frame old = {.can_id = 0x10, .len = 1};
    started();
    load(0, frame_of(0x10, 1));
    linux_can_break();
    expect_event(TAKT_CAN_WENT_OFF, 0);
    linux_can_arrive(&old, CAN_MTU, MSG_CONFIRM);
    linux_can_error(CAN_ERR_BUSOFF, 0, 0, 0); /* twice */
    linux_can_error(CAN_ERR_CNT, 0, 5, 6);
    expect_no_event();
    linux_can_restart(); /* before it is asked to recover */
    expect_no_event();
    driver.socket.controller.calls->recover(&driver.socket.controller);
    expect_event(TAKT_CAN_CAME_BACK, 0);
    load(0, frame_of(0x11, 1));
    linux_can_arrive(&old, CAN_MTU, MSG_CONFIRM);
    expect_no_event();
    run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    linux_can_error(CAN_ERR_RESTARTED, 0, 0, 0); /* of a bus-off that was not reported */
    expect_event(TAKT_CAN_WENT_OFF, 0);
    driver.socket.controller.calls->recover(&driver.socket.controller);
    expect_event(TAKT_CAN_CAME_BACK, 0);
}

/* Off again before anyone has seen that it was back: the recovery goes on. */
static void test_off_again(void)
{
    started();
    linux_can_break();
    expect_event(TAKT_CAN_WENT_OFF, 0);
    driver.socket.controller.calls->recover(&driver.socket.controller);
    linux_can_restart();
    linux_can_break();
    expect_no_event();
    linux_can_restart();
    expect_event(TAKT_CAN_CAME_BACK, 0);
    expect_no_event();
}

static void test_error_counters(void)
{
    started();
    linux_can_error(CAN_ERR_CNT | CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE, 130, 20);
    expect_no_event();
    CHECK_EQUAL(errors().transmit, 130);
    CHECK_EQUAL(errors().receive, 20);
    linux_can_error(CAN_ERR_CRTL, CAN_ERR_CRTL_ACTIVE, 99, 99); /* without counters */
    expect_no_event();
    CHECK_EQUAL(errors().transmit + errors().receive, 0);
    linux_can_error(CAN_ERR_CRTL, CAN_ERR_CRTL_RX_PASSIVE, 0, 0);
    linux_can_error(CAN_ERR_CRTL, CAN_ERR_CRTL_RX_OVERFLOW, 0, 0); /* says nothing of it */
    linux_can_error(CAN_ERR_BUSERROR, 0, 0, 0);                    /* was not asked for */
    CHECK_EQUAL(linux_can.received.count, 2);
    expect_no_event();
    struct takt_can_errors found = errors();
    CHECK_EQUAL(takt_can_errors_state(&found), TAKT_CAN_PASSIVE);
}

static void test_frames(void)
{
    struct takt_can_frame found, given = {.shape = {.fd = true, .brs = true, .dlc = 10}, .passive = true, .id = 5};
    given.shape.extended = true;
    memset(given.data, 0xA5, 16);
    started();
    for (unsigned kind = 0; kind < 3; kind++) { /* FD, a length code above 8, and a remote frame */
        give(&given);
        CHECK(received(&found));
        CHECK(takt_can_frame_equals(&found, &given));
        load(0, given);
        run();
        expect_event(TAKT_CAN_MAILBOX_SENT, 0);
        expect_seen(given);
        given = frame_of(0x7FF, 8);
        given.shape.dlc = kind == 0 ? 12 : 3;
        given.shape.remote = kind == 1;
    }
    struct canfd_frame raw = {.can_id = 0x100, .len = 9};
    linux_can_arrive(&raw, CAN_MTU, 0);      /* too long */
    linux_can_arrive(&raw, 3, 0);            /* short */
    linux_can_arrive(&raw, 0, 0);            /* nothing */
    linux_can_arrive(&raw, CANFD_MTU + 8, 0); /* longer than there is room */
    raw.len = 65;
    linux_can_arrive(&raw, CANFD_MTU, 0);
    raw = (struct canfd_frame){.can_id = CAN_RTR_FLAG | 0x100, .len = 8}; /* no FD frame */
    linux_can_arrive(&raw, CANFD_MTU, 0);
    CHECK_EQUAL(linux_can.received.count, 6);
    CHECK(!received(&found));
    raw = (struct canfd_frame){.can_id = 0x100, .len = 9}; /* of a program: it has 12 */
    memset(raw.data, 0x77, 64);
    linux_can_arrive(&raw, CANFD_MTU, 0);
    CHECK(received(&found));
    CHECK(found.shape.dlc == 9 && found.data[8] == 0x77 && found.data[9] == 0);
}

/* What nobody reads is dropped by the system, and counted; what was read is not. */
static void test_overrun(void)
{
    struct takt_can_frame found, given;
    started();
    linux_can.receive_max = 40;
    for (unsigned i = 0; i < TAKT_CAN_SOCKET_RECEIVED; i++) {
        given = frame_of(0x200 + i, 2);
        give(&given);
    }
    expect_no_event();
    for (unsigned i = 0; i < 50; i++) {
        given = frame_of(0x300 + i, 2);
        give(&given);
    }
    expect_no_event();
    for (unsigned i = 0; i < TAKT_CAN_SOCKET_RECEIVED; i++) {
        CHECK(received(&found));
        CHECK_EQUAL(found.id, 0x200 + i);
    }
    for (unsigned i = 0; i < 40; i++) {
        CHECK(received(&found));
        CHECK_EQUAL(found.id, 0x300 + i);
    }
    CHECK(!received(&found));
    load(0, frame_of(0x10, 1));
    linux_can.receive_max = 0; /* the confirmation is dropped */
    run();
    linux_can.receive_max = 40;
    expect_no_event(); /* not known yet */
    give(&given);
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    CHECK_EQUAL(driver.overrun, 11);
    load(0, frame_of(0x11, 1));
    give(&given); /* says nothing new */
    expect_no_event();
    run();
    expect_event(TAKT_CAN_MAILBOX_SENT, 0);
}

int main(void)
{
    takt_socketcan_init(&driver, "can7", true);
    controller_cases(&socketcan);
    test_refused_calls();
    test_no_room();
    test_down();
    test_removed();
    test_old_frame();
    test_off_again();
    test_error_counters();
    test_frames();
    test_overrun();
    return 0;
}
