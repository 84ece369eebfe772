/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of SocketCAN above a stand-in for Linux's calls: with filters and events at random, and below the transmit
 * queue. */
#include <errno.h>

#include "library/can/test/socketcan_bench.h"
#include "takt/can_queue.h"

static uint64_t chance = 1;

static uint32_t below(uint32_t limit)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (uint32_t)(chance % limit);
}

static struct takt_can_frame random_frame(void)
{
    struct takt_can_frame frame = {.shape = {.extended = below(2) != 0, .fd = below(3) == 0}};
    frame.shape.remote = !frame.shape.fd && below(3) == 0;
    frame.shape.dlc = (uint8_t)below(9);
    frame.id = below(4) == 0 ? below(16) : below(frame.shape.extended ? 0x20000000 : 0x800);
    return frame;
}

static bool accepts(const struct takt_can_filter *filter, const struct takt_can_frame *frame)
{
    unsigned kind = frame->shape.fd ? TAKT_CAN_FILTER_FD : frame->shape.remote ? TAKT_CAN_FILTER_REMOTE
                                                                               : TAKT_CAN_FILTER_DATA;
    bool inside = filter->kind == TAKT_CAN_FILTER_MASK    ? ((frame->id ^ filter->first) & filter->second) == 0
                  : filter->kind == TAKT_CAN_FILTER_RANGE ? frame->id >= filter->first && frame->id <= filter->second
                                                          : frame->id == filter->first || frame->id == filter->second;
    return inside && (filter->frames & kind) != 0 && filter->extended == frame->shape.extended;
}

/* Frames that filters accept, and no others, are received; the system keeps most others away. */
static void test_filters(void)
{
    unsigned passed = 0, taken = 0;
    for (unsigned round = 0; round < 2000; round++) {
        struct takt_can_filter filters[4];
        struct takt_can_frame found, given;
        unsigned count = below(4);
        started();
        for (unsigned i = 0; i < count; i++) {
            struct takt_can_frame one = random_frame(), two = random_frame();
            uint32_t max = one.shape.extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
            uint32_t near = one.id + below(9) <= max ? one.id + below(3) : one.id;
            filters[i] = (struct takt_can_filter){.kind = (enum takt_can_filter_kind)below(3),
                                                  .frames = 1 + below(7),
                                                  .extended = one.shape.extended,
                                                  .first = one.id,
                                                  .second = near};
            filters[i].second = filters[i].kind == TAKT_CAN_FILTER_MASK ? max - below(8) : filters[i].second;
            filters[i].second = filters[i].kind == TAKT_CAN_FILTER_DUAL ? two.id & max : filters[i].second;
            CHECK(takt_can_filter_is_valid(&filters[i]));
        }
        linux_can.failing = round % 16 == 0 ? "filter" : NULL;
        enum takt_status status = driver.socket.controller.calls->filter(&driver.socket.controller, filters, count);
        CHECK_EQUAL(status, linux_can.failing == NULL ? TAKT_OK : TAKT_LIMIT);
        for (unsigned i = 0; i < 20; i++) {
            given = random_frame();
            if (below(2) == 0 && count > 0) { /* near one of them */
                const struct takt_can_filter *filter = &filters[below(count)];
                given.shape.extended = filter->extended;
                given.id = below(2) == 0 ? filter->first : filter->second;
            }
            bool expected = status != TAKT_OK;
            for (unsigned of = 0; of < count; of++) {
                expected = expected || accepts(&filters[of], &given);
            }
            unsigned before = linux_can.accepted;
            give(&given);
            passed += linux_can.accepted - before;
            taken += expected;
            CHECK_EQUAL(received(&found), expected);
            CHECK(!expected || takt_can_frame_equals(&found, &given));
        }
        linux_can.failing = NULL;
        load(0, given); /* its own comes back whatever the filters are */
        run();
        expect_event(TAKT_CAN_MAILBOX_SENT, 0);
    }
    CHECK(passed >= taken && 10 * passed < 17 * taken); /* it does not know FD from classic frames, nor ranges */
}

/* Of more identifiers than it keeps all frames pass, and the filters of others hold. */
static void test_many_identifiers(void)
{
    struct takt_can_frame found, given = frame_of(0x7F0, 1);
    started();
    CHECK_EQUAL(driver.socket.controller.calls->filter(&driver.socket.controller, NULL, 0), TAKT_OK);
    give(&given);
    CHECK_EQUAL(linux_can.accepted, 0);
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t id = 0; id < TAKT_SOCKETCAN_OWN + 10; id++) {
            load(0, frame_of(id, 0));
            run();
            expect_event(TAKT_CAN_MAILBOX_SENT, 0);
        }
        CHECK_EQUAL(linux_can.narrowed, 2 + TAKT_SOCKETCAN_OWN + 1);
    }
    give(&given);
    CHECK(!received(&found));
}

/* Whatever the system does, a frame is SENT or lost at bus-off, and was sent if it is SENT; and nothing stays stuck. */
static void test_anything(void)
{
    unsigned sent = 0, offs = 0;
    struct takt_can_frame frame = frame_of(0, 1), found;
    struct takt_can_controller_event event;
    bool loaded = false, off = false;
    started();
    linux_can.receive_max = 8;
    for (unsigned step = 0; step < 200000; step++) {
        if (!loaded && !off) {
            frame = frame_of(step % 0x800, 4);
            load(0, frame);
            loaded = true;
        }
        switch (below(9)) {
        case 0:
            (below(40) == 0 ? linux_can_break : linux_can_restart)();
            break;
        case 1:
            (below(10) == 0 ? linux_can_down : run)();
            break;
        case 2:
            linux_can.up = true;
            break;
        case 3:
            linux_can.failing = below(3) == 0 ? "write" : NULL;
            linux_can.failing_error = ENOBUFS;
            break;
        case 4:
            found = random_frame();
            give(&found);
            break;
        case 5:
            while (received(&found)) {
            }
            break;
        default:
            run();
        }
        while (driver.socket.controller.calls->next_event(&driver.socket.controller, &event)) {
            if (event.what == TAKT_CAN_MAILBOX_SENT) {
                CHECK(loaded && !off);
                loaded = false;
                sent++;
                do {
                    CHECK(seen(&found));
                } while (!takt_can_frame_equals(&found, &frame));
            } else if (event.what == TAKT_CAN_WENT_OFF) {
                CHECK(!off);
                off = true;
                loaded = false;
                offs++;
                driver.socket.controller.calls->recover(&driver.socket.controller);
            } else {
                CHECK(event.what == TAKT_CAN_CAME_BACK && off);
                off = false;
            }
        }
        linux_can.other.count = loaded ? linux_can.other.count : 0;
        linux_can.other.count = linux_can.other.count > 100 ? 0 : linux_can.other.count;
    }
    CHECK(sent > 50000 && offs > 100);
    driver.socket.controller.calls->stop(&driver.socket.controller);
}

/* The transmit queue above it: one frame is on its way, and of the others the best follows. */
static void test_queue(void)
{
    static struct takt_can_slot slots[4];
    static struct takt_can_stream_state states[4];
    struct takt_can_stream streams[4];
    struct takt_can_queue queue;
    started();
    for (unsigned i = 0; i < 4; i++) {
        streams[i] = (struct takt_can_stream){.depth = 1, .mailbox = TAKT_CAN_SHARED, .confirmed = true};
    }
    const struct takt_can_queue_config config = {.controller = &driver.socket.controller,
                                                 .streams = streams,
                                                 .states = states,
                                                 .stream_count = 4,
                                                 .slots = slots,
                                                 .slot_count = 4};
    CHECK(takt_can_queue_config_is_valid(&config));
    takt_can_queue_init(&queue, &config);
    for (unsigned i = 0; i < 4; i++) {
        const struct takt_can_frame frame = frame_of(0x400 - i, 1);
        CHECK_EQUAL(takt_can_queue_send(&queue, i, &frame, 0), TAKT_OK);
    }
    for (unsigned i = 0; i < 4; i++) {
        run();
        takt_can_queue_service(&queue);
    }
    expect_seen(frame_of(0x400, 1));
    for (unsigned i = 3; i > 0; i--) {
        expect_seen(frame_of(0x400 - i, 1));
    }
    expect_silence();
}

int main(void)
{
    takt_socketcan_init(&driver, "can7", true);
    bench = &socketcan;
    test_filters();
    test_many_identifiers();
    test_queue();
    test_anything();
    return 0;
}
