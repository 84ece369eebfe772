/* SPDX-License-Identifier: Apache-2.0 */
/* The mixed traffic scheduler: identifiers and plans by hand, and a node from tick to tick. */
#include "takt/can_mts.h"

#include "base/arith.h"
#include "base/test/check.h"

enum { US = 1000, MS = 1000000, START = 1000 * MS };

/* 1 Mbit/s, so a bit is 1 us. */
static const struct takt_can_mts_needs NEEDS = {.layout = {.deadline_bits = 5, .unique_bits = 5},
                                                .rates = {1000000, 1000000},
                                                .masters = 2,
                                                .clock_ppm = 100,
                                                .stamp_ns = 1 * US,
                                                .react_ns = 5 * US,
                                                .prepare_ns = 40 * US,
                                                .write_ns = 20 * US,
                                                .longest_ns = 135 * US,
                                                .deadline_ns = 2 * MS,
                                                .epoch_max_ns = 10 * MS};

static struct takt_can_mts_bus usual_bus(void)
{
    struct takt_can_mts_bus bus = {.layout = NEEDS.layout, .masters = 2, .regions = 16, .region_ns = 200 * US};

    CHECK(takt_can_mts_plan(&NEEDS, &bus.plan));
    CHECK(takt_can_mts_bus_is_valid(&bus));
    return bus;
}

static void test_plan(void)
{
    struct takt_can_mts_plan plan;

    CHECK(takt_can_mts_plan(&NEEDS, &plan));
    CHECK_EQUAL(plan.fields, 31);
    CHECK_EQUAL(plan.frames, 2); /* 40 us are less than the 47 of a frame without data */
    CHECK_EQUAL(plan.filler_dlc, 0);
    CHECK_EQUAL(plan.tick_ns, 55 * US);
    CHECK_EQUAL(plan.tick_max_ns, 65 * US); /* 34 + 8 bits with (41 / 4) stuff bits, and 13 */
    CHECK_EQUAL(plan.settle_ns, 19 * US);
    /* Drift: 100 ppm of 42 ms, 4200 ns. Late: 5 + 135 + 10 + 2 + 4.2 us, in 14 steps. */
    CHECK_EQUAL(plan.step_ns, 11158);
    CHECK_EQUAL(plan.error_ns, 2 * 11158 + 4000 + 4 * 4200);
    CHECK_EQUAL(plan.stagger_ns, 10 * US + 135 * US + 65 * US + plan.error_ns);
    CHECK_EQUAL(plan.rest_ns, 2 * plan.stagger_ns + 2 * 140 * US + 2 * MS + plan.error_ns);
}

static bool plans(struct takt_can_mts_needs needs)
{
    struct takt_can_mts_plan plan;

    return takt_can_mts_plan(&needs, &plan);
}

static void test_plan_limits(void)
{
    struct takt_can_mts_needs needs = NEEDS;
    struct takt_can_mts_plan plan;

    needs.write_ns = 23 * US; /* 19 + 5 + 23 are the 47 of the shortest frame */
    CHECK(plans(needs));
    needs.write_ns++;
    CHECK(!plans(needs));
    needs.shortest_ns = 55 * US; /* then fillers have a byte, too */
    needs.write_ns = 31 * US;
    CHECK(takt_can_mts_plan(&needs, &plan));
    CHECK_EQUAL(plan.filler_dlc, 1);
    needs.shortest_ns = 111 * US; /* but no tick has more */
    CHECK(plans(needs));
    needs.write_ns++;
    CHECK(!plans(needs));
    needs = NEEDS;
    needs.prepare_ns = 15 * 47 * US;
    CHECK(takt_can_mts_plan(&needs, &plan));
    CHECK_EQUAL(plan.frames, 16);
    needs.prepare_ns++;
    CHECK(!plans(needs));
    needs.prepare_ns = 0;
    CHECK(takt_can_mts_plan(&needs, &plan));
    CHECK_EQUAL(plan.frames, 2);
    needs = NEEDS;
    needs.longest_ns = 64 * US;
    CHECK(!plans(needs));
    needs = NEEDS;
    needs.masters = 0;
    CHECK(!plans(needs));
    needs.masters = TAKT_CAN_MTS_MASTERS_MAX + 1;
    CHECK(!plans(needs));
    needs = NEEDS;
    needs.clock_ppm = 1001;
    CHECK(!plans(needs));
    needs = NEEDS;
    needs.rates.nominal_bps = 999;
    CHECK(!plans(needs));
    needs = NEEDS;
    needs.deadline_ns = UINT64_C(1000000001);
    CHECK(!plans(needs));
    needs = NEEDS;
    needs.layout.deadline_bits = 6;
    CHECK(!plans(needs));
}

static void test_bus_limits(void)
{
    struct takt_can_mts_bus bus = usual_bus();

    bus.region_ns = takt_divide_up(bus.plan.rest_ns, 15);
    CHECK(takt_can_mts_bus_is_valid(&bus));
    bus.region_ns--;
    CHECK(!takt_can_mts_bus_is_valid(&bus));
    bus = usual_bus();
    bus.regions = 0;
    CHECK(!takt_can_mts_bus_is_valid(&bus));
    bus.regions = 31;
    CHECK(!takt_can_mts_bus_is_valid(&bus));
    bus = usual_bus();
    bus.region_ns = 625 * US; /* the longest epoch */
    CHECK(takt_can_mts_bus_is_valid(&bus));
    bus.region_ns++;
    CHECK(!takt_can_mts_bus_is_valid(&bus));
    bus = usual_bus();
    bus.regions = 4; /* shorter than two ticks of each rank need */
    CHECK(!takt_can_mts_bus_is_valid(&bus));
    bus = usual_bus();
    bus.masters = 0;
    CHECK(!takt_can_mts_bus_is_valid(&bus));
}

/* Every identifier means one thing, and what is made means what it was made of. */
static void check_meanings(const struct takt_can_mts_bus *bus, uint32_t step)
{
    const struct takt_can_mts_layout *layout = &bus->layout;
    uint32_t low = takt_can_mts_low_count(layout), other = takt_can_mts_other_count(layout, bus->masters);

    for (uint32_t number = 0; number < low; number += step) {
        struct takt_can_mts_meaning meaning = takt_can_mts_meaning(bus, takt_can_mts_low(layout, number));

        CHECK_EQUAL(meaning.kind, number >> layout->unique_bits == 0 ? TAKT_CAN_MTS_HIGH : TAKT_CAN_MTS_LOW);
        CHECK_EQUAL(meaning.number, number);
    }
    for (uint32_t number = 0; number < other; number += step) {
        struct takt_can_mts_meaning meaning = takt_can_mts_meaning(bus, takt_can_mts_other(layout, number));

        CHECK_EQUAL(meaning.kind, TAKT_CAN_MTS_OTHER);
        CHECK_EQUAL(meaning.number, number);
    }
    CHECK_EQUAL(takt_can_mts_meaning(bus, takt_can_mts_other(layout, other + 1)).kind, TAKT_CAN_MTS_FILLER);
    CHECK_EQUAL(takt_can_mts_meaning(bus, takt_can_mts_other(layout, other + 1)).number, 1);
    CHECK_EQUAL(takt_can_mts_meaning(bus, takt_can_mts_other(layout, other + 2)).kind, TAKT_CAN_MTS_OTHER);
    CHECK_EQUAL(takt_can_mts_meaning(bus, 3).kind, TAKT_CAN_MTS_TICK);
    CHECK_EQUAL(takt_can_mts_meaning(bus, 3).number, 3);
    CHECK_EQUAL(takt_can_mts_meaning(bus, UINT32_C(5) << layout->unique_bits | 7).kind, TAKT_CAN_MTS_HIGH);
    CHECK_EQUAL(takt_can_mts_meaning(bus, UINT32_C(5) << layout->unique_bits | 7).number, 7);
}

static void test_layout(void)
{
    struct takt_can_mts_bus bus = usual_bus();

    CHECK_EQUAL(takt_can_mts_low(&bus.layout, 33), 0x421);  /* 10 | 000100001 */
    CHECK_EQUAL(takt_can_mts_other(&bus.layout, 1), 0x601); /* 11 | 000000001 */
    CHECK_EQUAL(takt_can_mts_low_count(&bus.layout), 512);
    CHECK_EQUAL(takt_can_mts_other_count(&bus.layout, 2), 478); /* 480 in the seed, less two fillers */
    check_meanings(&bus, 1);
    bus.layout = (struct takt_can_mts_layout){.extended = true, .deadline_bits = 20, .unique_bits = 8};
    CHECK(takt_can_mts_layout_is_valid(&bus.layout));
    CHECK_EQUAL(takt_can_mts_low(&bus.layout, 1), 0x10000001);
    check_meanings(&bus, 99991);
    bus.layout.extended = false;
    CHECK(!takt_can_mts_layout_is_valid(&bus.layout));
}

/* The tick that ends at `end_ns` of rank 0, `late` steps after its time by the tick before. */
static void tick(struct takt_can_mts *mts, uint8_t counter, uint8_t late, uint64_t end_ns)
{
    takt_can_mts_tick(mts, 0, (uint8_t)(counter << 4 | late), end_ns);
}

static uint32_t high(const struct takt_can_mts *mts, uint64_t begin_ns)
{
    struct takt_can_mts_message message = {.begin_ns = begin_ns};

    return takt_can_mts_high(mts, 3, &message);
}

static uint32_t in_region(uint32_t field)
{
    return field << 5 | 3;
}

/* A node without rank in its epoch: it began at `start_ns`, and identifiers have changed. */
static struct takt_can_mts follower(const struct takt_can_mts_bus *bus, uint64_t start_ns)
{
    struct takt_can_mts mts;
    uint64_t epoch_ns = bus->regions * bus->region_ns;

    takt_can_mts_start(&mts, bus, TAKT_CAN_MTS_NO_RANK, start_ns - 2 * epoch_ns);
    tick(&mts, 15, 7, start_ns - epoch_ns + 55 * US);
    tick(&mts, 0, 0, start_ns + 55 * US);
    takt_can_mts_frame(&mts, start_ns + 155 * US);
    takt_can_mts_timer(&mts, start_ns + 174 * US);
    return mts;
}

static void test_restart(void)
{
    struct takt_can_mts_bus bus = usual_bus();
    struct takt_can_mts mts;
    struct takt_can_mts_message message = {.begin_ns = START + 900 * US};
    uint64_t epoch_ns = bus.regions * bus.region_ns;

    takt_can_mts_start(&mts, &bus, TAKT_CAN_MTS_NO_RANK, START - 2 * epoch_ns);
    CHECK_EQUAL(takt_can_mts_due(&mts), TAKT_SATURATED);
    CHECK_EQUAL(takt_can_mts_high(&mts, 3, &message), takt_can_mts_low(&bus.layout, 3));
    tick(&mts, 15, 15, START - epoch_ns + 55 * US);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_HEARD);
    CHECK_EQUAL(takt_can_mts_high(&mts, 3, &message), takt_can_mts_low(&bus.layout, 3));
    uint32_t version = mts.version;
    tick(&mts, 0, 2, START + 55 * US);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_IN_EPOCH);
    CHECK(mts.version != version);
    /* The tick before was two steps late, so the epoch began two steps before it seems: in its fifth region. Until
     * identifiers change the one before counts. */
    CHECK_EQUAL(high(&mts, message.begin_ns), in_region(5 + 16));
    CHECK_EQUAL(takt_can_mts_high(&mts, 3, &message), takt_can_mts_low(&bus.layout, 3)); /* it waited without one */
    CHECK_EQUAL(high(&mts, START - 2 * bus.plan.step_ns), in_region(1 + 16));
    CHECK_EQUAL(high(&mts, START - 2 * bus.plan.step_ns - 1), in_region(16));
    /* Without a first tick in time, with another counter, or one that does not say how late it was, there is none. */
    for (unsigned i = 0; i < 3; i++) {
        takt_can_mts_start(&mts, &bus, TAKT_CAN_MTS_NO_RANK, START - 2 * epoch_ns);
        tick(&mts, 15, 15, START - epoch_ns + 55 * US);
        tick(&mts, i == 0 ? 1 : 0, i == 1 ? 15 : 2, i == 2 ? START - epoch_ns / 2 - 1 : START + 55 * US);
        CHECK_EQUAL(mts.state, TAKT_CAN_MTS_HEARD);
    }
}

static void test_change(void)
{
    struct takt_can_mts_bus bus = usual_bus();
    struct takt_can_mts mts = follower(&bus, START);
    struct takt_can_mts_message old = {.begin_ns = START + 3700 * US};
    uint64_t next_ns = START + 3200 * US;
    uint32_t version;

    CHECK_EQUAL(takt_can_mts_high(&mts, 3, &old), in_region(19));
    tick(&mts, 1, 12, next_ns + 55 * US); /* corrects the clock by more than half a region: what is pending stays */
    version = mts.version;
    takt_can_mts_frame(&mts, next_ns + 200 * US);
    CHECK_EQUAL(takt_can_mts_high(&mts, 3, &old), in_region(19));
    CHECK_EQUAL(takt_can_mts_due(&mts), next_ns + 219 * US);
    takt_can_mts_timer(&mts, next_ns + 219 * US - 1);
    CHECK_EQUAL(mts.version, version);
    takt_can_mts_timer(&mts, next_ns + 219 * US);
    CHECK(mts.version != version);
    CHECK_EQUAL(takt_can_mts_high(&mts, 3, &old), in_region(3));
    /* Once more, as some nodes had not had it: the frame after it counts for all. */
    tick(&mts, 2, 0, 2 * next_ns - START + 55 * US);
    tick(&mts, 2, 0, 2 * next_ns - START + 145 * US);
    CHECK_EQUAL(mts.stamp_ns, 2 * next_ns - START + 90 * US);
    takt_can_mts_frame(&mts, 2 * next_ns - START + 250 * US);
    CHECK_EQUAL(takt_can_mts_due(&mts), 2 * next_ns - START + 269 * US);
    /* What is late, and what is too far ahead. */
    CHECK_EQUAL(high(&mts, START - 99 * MS), in_region(1));
    CHECK_EQUAL(high(&mts, START + 99 * MS), in_region(31));
}

static void test_frames(void)
{
    struct takt_can_mts_bus bus = usual_bus();
    struct takt_can_mts mts;

    bus.plan.frames = 4;
    mts = follower(&bus, START);
    takt_can_mts_frame(&mts, START + 300 * US);
    CHECK(mts.shown != mts.epoch);
    takt_can_mts_frame(&mts, START + 400 * US);
    takt_can_mts_timer(&mts, START + 419 * US);
    CHECK_EQUAL(mts.shown, mts.epoch);
}

static void test_lost(void)
{
    struct takt_can_mts_bus bus = usual_bus();
    struct takt_can_mts mts = follower(&bus, START);
    uint64_t due_ns = START + 3200 * US + 2 * bus.plan.stagger_ns;
    uint32_t version = mts.version;

    CHECK_EQUAL(takt_can_mts_due(&mts), due_ns);
    takt_can_mts_timer(&mts, due_ns - 1);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_IN_EPOCH);
    takt_can_mts_timer(&mts, due_ns);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_LISTENING);
    CHECK(mts.version != version);
    CHECK_EQUAL(high(&mts, START), takt_can_mts_low(&bus.layout, 3));
}

static void test_masters(void)
{
    struct takt_can_mts_bus bus = usual_bus();
    struct takt_can_mts mts;
    struct takt_can_mts_offers offers;
    uint64_t cold_ns, grid_ns;

    takt_can_mts_start(&mts, &bus, 1, START);
    cold_ns = takt_can_mts_due(&mts);
    CHECK_EQUAL(cold_ns, START + 2 * 3200 * US + 5 * bus.plan.stagger_ns);
    takt_can_mts_timer(&mts, cold_ns - 1);
    CHECK(!takt_can_mts_offers(&mts).tick);
    takt_can_mts_timer(&mts, cold_ns);
    CHECK_EQUAL(takt_can_mts_due(&mts), TAKT_SATURATED);
    offers = takt_can_mts_offers(&mts);
    CHECK(offers.tick && !offers.filler);
    CHECK_EQUAL(offers.tick_frame.id, 1);
    CHECK_EQUAL(offers.tick_frame.shape.dlc, 1);
    CHECK_EQUAL(offers.tick_frame.data[0], 0x1F);
    takt_can_mts_tick(&mts, 1, 0x1F, cold_ns + 500 * US);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_IN_EPOCH);
    offers = takt_can_mts_offers(&mts);
    CHECK(!offers.tick && offers.filler);
    CHECK_EQUAL(offers.filler_frame.id, 0x7DF); /* the last one that does not begin with six recessive bits */
    CHECK(takt_can_frame_is_valid(&offers.filler_frame));
    takt_can_mts_frame(&mts, cold_ns + 600 * US);
    CHECK(!takt_can_mts_offers(&mts).filler);
    takt_can_mts_timer(&mts, cold_ns + 619 * US);
    /* Its next one a stagger after that of a better master, whose tick takes its turn; 40 us late. */
    grid_ns = cold_ns + 445 * US - bus.plan.stagger_ns + 3200 * US;
    CHECK_EQUAL(takt_can_mts_due(&mts), grid_ns + bus.plan.stagger_ns);
    takt_can_mts_timer(&mts, grid_ns + bus.plan.stagger_ns);
    CHECK_EQUAL(takt_can_mts_offers(&mts).tick_frame.data[0], 0x20);
    takt_can_mts_tick(&mts, 1, 0x20, grid_ns + bus.plan.stagger_ns + 95 * US);
    CHECK_EQUAL(takt_can_mts_due(&mts), grid_ns + 3200 * US + bus.plan.stagger_ns);
    tick(&mts, 3, 3, grid_ns + 3200 * US + 55 * US);
    /* It follows: a step is 11.158 us. */
    grid_ns += 40 * US - 3 * bus.plan.step_ns + 2 * 3200 * US;
    takt_can_mts_timer(&mts, grid_ns + bus.plan.stagger_ns - 1);
    CHECK(!takt_can_mts_offers(&mts).tick);
    takt_can_mts_timer(&mts, grid_ns + bus.plan.stagger_ns);
    CHECK_EQUAL(takt_can_mts_offers(&mts).tick_frame.data[0] >> 4, 4);
    tick(&mts, 4, 0, grid_ns + bus.plan.stagger_ns + 100 * US); /* rank 0 after all */
    CHECK(!takt_can_mts_offers(&mts).tick);
}

/* A tick that nothing led to: of a master that began an epoch of its own. */
static void test_dissent(void)
{
    struct takt_can_mts_bus bus = usual_bus();
    struct takt_can_mts mts = follower(&bus, START);
    uint32_t version = mts.version;

    tick(&mts, 5, 0, START + 3200 * US + 55 * US);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_HEARD);
    CHECK(mts.version != version);
    mts = follower(&bus, START);
    tick(&mts, 1, 0, START + 1500 * US);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_HEARD);
    CHECK_EQUAL(takt_can_mts_due(&mts), START + 1445 * US + 3200 * US + 3 * bus.plan.stagger_ns);
    takt_can_mts_timer(&mts, takt_can_mts_due(&mts));
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_LISTENING);
}

/* Local times may wrap. */
static void test_wrap(void)
{
    struct takt_can_mts_bus bus = usual_bus();
    struct takt_can_mts mts = follower(&bus, UINT64_MAX - 1000 * US);

    CHECK_EQUAL(high(&mts, 500 * US), in_region(8));
    tick(&mts, 1, 0, UINT64_MAX - 1000 * US + 3255 * US);
    CHECK_EQUAL(mts.state, TAKT_CAN_MTS_IN_EPOCH);
    CHECK_EQUAL(mts.grid_ns, 2200 * US - 1);
}

int main(void)
{
    test_plan();
    test_plan_limits();
    test_bus_limits();
    test_layout();
    test_restart();
    test_change();
    test_frames();
    test_lost();
    test_masters();
    test_dissent();
    test_wrap();
    return 0;
}
