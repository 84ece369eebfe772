/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For libFuzzer: a node of the mixed traffic scheduler on a bus that sends any frames at any times. Whatever comes, the
 * identifiers of its messages are its own, change only with `version`, and never change their order; it waits for no
 * time that has passed; on a silent bus it gives up; and once a master sends its ticks again, it counts as that master.
 */
#include "base/arith.h"
#include "base/test/fuzz.h"
#include "takt/can_mts.h"

enum { US = 1000, MS = 1000000, PENDING = 4, UNIQUE = 7, TIMERS_MAX = 8, STEPS = 120 };

static struct takt_can_mts mts;
static struct takt_can_mts_bus bus;
static uint64_t now;

/* Messages that are pending, with the identifiers that they have. */
static struct takt_can_mts_message pending[PENDING];
static uint32_t ids[PENDING], version;

static uint64_t epoch_ns(void)
{
    return bus.regions * bus.region_ns;
}

static uint32_t field(uint32_t id)
{
    return id >> bus.layout.unique_bits;
}

static bool carries_deadline(uint32_t id)
{
    return id < UINT32_C(1) << 10;
}

/* Identifiers as they are now, beside those of before: two with deadlines change their order only in a new epoch of
 * the node, with a new generation. */
static void check_messages(void)
{
    uint32_t next[PENDING];
    bool counts[PENDING];
    for (unsigned i = 0; i < PENDING; i++) {
        struct takt_can_mts_meaning meaning;
        bool numbered = pending[i].generation == mts.generation;
        next[i] = takt_can_mts_high(&mts, UNIQUE + i, &pending[i]);
        counts[i] = numbered && carries_deadline(next[i]) && carries_deadline(ids[i]);
        meaning = takt_can_mts_meaning(&bus, next[i]);
        CHECK(meaning.kind == TAKT_CAN_MTS_HIGH && meaning.number == UNIQUE + i);
        CHECK(mts.version != version || next[i] == ids[i]);
        CHECK(carries_deadline(ids[i]) || !carries_deadline(next[i]));
        for (unsigned j = 0; j < i; j++) {
            CHECK(!counts[i] || !counts[j] || field(ids[i]) >= field(ids[j]) || field(next[i]) <= field(next[j]));
            CHECK(!counts[i] || !counts[j] || field(ids[i]) <= field(ids[j]) || field(next[i]) >= field(next[j]));
        }
    }
    memcpy(ids, next, sizeof ids);
    version = mts.version;
}

static void check_offers(void)
{
    struct takt_can_mts_offers offers = takt_can_mts_offers(&mts);
    CHECK(mts.rank != TAKT_CAN_MTS_NO_RANK || (!offers.tick && !offers.filler));
    if (offers.tick) {
        CHECK(takt_can_frame_is_valid(&offers.tick_frame));
        CHECK_EQUAL(takt_can_mts_meaning(&bus, offers.tick_frame.id).kind, TAKT_CAN_MTS_TICK);
        CHECK_EQUAL(takt_can_mts_meaning(&bus, offers.tick_frame.id).number, mts.rank);
    }
    if (offers.filler) {
        CHECK(takt_can_frame_is_valid(&offers.filler_frame));
        CHECK_EQUAL(takt_can_mts_meaning(&bus, offers.filler_frame.id).kind, TAKT_CAN_MTS_FILLER);
        CHECK_EQUAL(takt_can_mts_meaning(&bus, offers.filler_frame.id).number, mts.rank);
    }
}

static void check_node(void)
{
    check_messages();
    check_offers();
}

/* Goes on to `until`, and calls the timer when it is due: what is due changes with each call. */
static void pass(uint64_t until)
{
    unsigned calls = 0;
    for (;;) {
        uint64_t due = takt_can_mts_due(&mts);
        if (due == TAKT_SATURATED || (int64_t)(due - until) > 0) {
            break;
        }
        calls = (int64_t)(due - now) > 0 ? 0 : calls + 1;
        CHECK(calls < TIMERS_MAX);
        now = (int64_t)(due - now) > 0 ? due : now;
        takt_can_mts_timer(&mts, now);
        check_node();
    }
    now = until;
}

/* A frame ends, as a driver would hand it over. */
static void end_frame(uint32_t id, uint8_t data)
{
    struct takt_can_mts_meaning meaning = takt_can_mts_meaning(&bus, id);
    if (meaning.kind == TAKT_CAN_MTS_TICK) {
        takt_can_mts_tick(&mts, (uint8_t)meaning.number, data, now);
    } else {
        takt_can_mts_frame(&mts, now);
    }
    check_node();
}

static void happen(void)
{
    uint8_t what = byte();
    uint64_t after = number(1 + what / 64 % 3) * (what & 8 ? 1 : US);
    struct takt_can_mts_offers offers = takt_can_mts_offers(&mts);
    pass(what % 8 < 3 ? now + epoch_ns() - 500 * US + after % MS : now + after % (2 * epoch_ns()));
    switch (what % 8) {
    case 0: /* a tick that may be the next one */
    case 1:
    case 2:
        end_frame(byte() % 4, (uint8_t)((mts.counter + 1 + (what & 16 ? byte() : 0)) << 4 | byte() % 16));
        break;
    case 3: /* any tick */
        end_frame(byte() % 32, byte());
        break;
    case 4: /* its own frames */
        if (offers.tick || offers.filler) {
            end_frame(offers.tick ? offers.tick_frame.id : offers.filler_frame.id, offers.tick_frame.data[0]);
        }
        break;
    case 5:
        takt_can_mts_start(&mts, &bus, mts.rank, now);
        memset(pending, 0, sizeof pending);
        version = mts.version + 1; /* all are new */
        check_node();
        break;
    case 6: { /* a message is queued, another one was sent */
        unsigned which = byte() % PENDING;
        pending[which] = (struct takt_can_mts_message){.begin_ns = now + number(2) * US - 10 * MS};
        ids[which] = takt_can_mts_high(&mts, UNIQUE + which, &pending[which]);
        break;
    }
    default:
        end_frame(0x400 | (uint32_t)number(2) % 0x3F0, 0);
    }
}

/* Longer than any node keeps an epoch without ticks. */
static void be_silent(void)
{
    pass(now + 4 * epoch_ns() + 16 * bus.plan.stagger_ns);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_LISTENING);
    CHECK_EQUAL(takt_can_mts_offers(&mts).tick, mts.rank != TAKT_CAN_MTS_NO_RANK);
}

/* Rank 0 sends ticks on time, `steps` late by what they say. Ten frames follow each. */
static void be_good(void)
{
    uint8_t counter = byte();
    uint64_t begin = now + epoch_ns();
    struct takt_can_mts_message message = {.begin_ns = 0};
    for (unsigned i = 0; i < 5; i++, begin += epoch_ns()) {
        uint8_t late = i == 0 ? 0 : 3;
        pass(begin + bus.plan.tick_ns + 3 * bus.plan.step_ns);
        end_frame(0, (uint8_t)(counter++ << 4 | late));
        for (unsigned k = 0; k < 10; k++) {
            pass(now + 100 * US);
            end_frame(0x500, 0);
        }
    }
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_IN_EPOCH);
    /* The last epoch began at `begin`, less one epoch: the middle of its third region. */
    message.begin_ns = begin - epoch_ns() + 5 * bus.region_ns / 2;
    CHECK_EQUAL(field(takt_can_mts_high(&mts, UNIQUE, &message)), 3);
}

static void begin(void)
{
    struct takt_can_mts_needs needs = {.layout = {.deadline_bits = 5, .unique_bits = 5},
                                       .rates = {1000000, 1000000},
                                       .masters = 3,
                                       .clock_ppm = byte(),
                                       .stamp_ns = 1 * US,
                                       .react_ns = 5 * US,
                                       .prepare_ns = byte() * US,
                                       .write_ns = 20 * US,
                                       .longest_ns = 135 * US,
                                       .deadline_ns = 2 * MS,
                                       .epoch_max_ns = 10 * MS};
    uint8_t rank = byte() % 4;
    bus = (struct takt_can_mts_bus){.layout = needs.layout, .masters = 3, .regions = 16, .region_ns = 400 * US};
    CHECK(takt_can_mts_plan(&needs, &bus.plan));
    CHECK(takt_can_mts_bus_is_valid(&bus));
    now = byte() % 2 == 0 ? 1000 * MS : UINT64_MAX - number(1) * MS / 4; /* local times may wrap */
    takt_can_mts_start(&mts, &bus, rank == 3 ? TAKT_CAN_MTS_NO_RANK : rank, now);
    memset(pending, 0, sizeof pending);
    version = mts.version + 1;
    check_node();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t end;
    input = data;
    left = size;
    end = byte();
    begin();
    for (unsigned i = 0; i < STEPS && left > 0; i++) {
        happen();
    }
    if (end % 2 == 0) {
        be_silent();
    }
    /* A master that is of the lowest rank itself would answer: it has the other's tick only as its own. */
    if (mts.rank != 0) {
        be_good();
    }
    return 0;
}
