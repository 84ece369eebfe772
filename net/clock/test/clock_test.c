/* SPDX-License-Identifier: Apache-2.0 */
/* A node from tick to tick, with times that were worked out by hand. */
#include "base/arith.h"
#include "base/test/check.h"
#include "takt/analysis_clock.h"
#include "takt/clock.h"

enum { US = 1000, MS = 1000000, SILENCE = 25 * MS, STAGGER = 30 * MS, HOLDOVER = 200 * MS, SETTLE = 500 * MS };

static const struct takt_clock_config three = {.interval_ns = 10 * MS,
                                               .follow_up_ns = MS,
                                               .silence_ns = SILENCE,
                                               .stagger_ns = STAGGER,
                                               .holdover_ns = HOLDOVER,
                                               .settle_ns = SETTLE,
                                               .accept_ns = 300 * US,
                                               .stamp_ns = US,
                                               .drift_ppm = 100,
                                               .slew_ppm = 500,
                                               .masters = 3};
static struct takt_clock clock;
static uint64_t now;
static uint8_t next; /* sequence */

static void start(const struct takt_clock_config *config, uint8_t rank, uint64_t time_ns)
{
    now = 1000 * MS;
    CHECK(takt_clock_config_is_valid(config));
    takt_clock_start(&clock, config, rank, (struct takt_clock_point){now, time_ns});
}

static void pass(uint64_t by_ns)
{
    now += by_ns;
    takt_clock_timer(&clock, now);
}

static void check(enum takt_clock_state state, uint64_t time_ns)
{
    struct takt_clock_reading reading = takt_clock_read(&clock, now);
    CHECK_EQUAL(reading.state, state);
    CHECK_EQUAL(reading.time_ns, time_ns);
}

/* A tick that ends now, at this common time, and its follow-up a quarter of a ms later. `says`: what its first bytes
 * have beside the sequence. */
static void hear_as(uint8_t rank, uint64_t time_ns, uint8_t tick_says, uint8_t says)
{
    uint8_t tick = next | tick_says, bytes[8] = {(uint8_t)(next | says)};
    for (unsigned i = 1; i < 8; i++) {
        bytes[i] = (uint8_t)(time_ns >> 8 * (i - 1));
    }
    takt_clock_tick(&clock, rank, &tick, 1, now);
    pass(250 * US);
    takt_clock_follow_up(&clock, rank, bytes, 8, now);
    next = (next + 1) & 15;
}

static void hear(uint8_t rank, uint64_t time_ns)
{
    hear_as(rank, time_ns, 0, 0);
}

/* A follower that hears the master 0 since 5 s of common time, and whose counter showed the same - 4 s. */
static uint64_t follow(const struct takt_clock_config *config, uint8_t rank)
{
    start(config, rank, 0);
    hear(0, UINT64_C(5000) * MS);
    check(TAKT_CLOCK_UNSYNCHRONIZED, 0); /* it listens first */
    pass(SILENCE);
    hear(0, now + UINT64_C(4000) * MS);
    check(TAKT_CLOCK_SYNCHRONIZED, now + UINT64_C(4000) * MS);
    CHECK_EQUAL(takt_clock_master(&clock), 0);
    return UINT64_C(4000) * MS;
}

static void test_time_is_slewed(void)
{
    uint64_t ahead = follow(&three, TAKT_CLOCK_NO_RANK);
    CHECK_EQUAL(takt_clock_due(&clock), now - 250 * US + HOLDOVER + 1);
    pass(10 * MS);
    hear(0, now + ahead + 2 * US); /* it should be 2 us later than it is: at 500 ppm in 4 ms */
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead);
    now += 1 * MS;
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead + 500);
    now += 1999;
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead + 500); /* rounded down */
    now += 1;
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead + 501);
    now += 5 * MS;
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead + 2 * US);
    ahead += 2 * US;
    hear(0, now + ahead - 2 * US); /* and now it should be earlier: more slowly */
    now += 2 * MS;
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead - US);
    now += 4 * MS;
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead - 2 * US);
}

static void test_what_does_not_fit_is_ignored(void)
{
    uint64_t ahead = follow(&three, TAKT_CLOCK_NO_RANK);
    uint64_t last = now - 250 * US;
    uint8_t tick = next, long_tick[2] = {next}, bytes[8] = {(uint8_t)(next + 1)}, wrong = 32 + next;
    pass(10 * MS);
    takt_clock_tick(&clock, 0, &tick, 1, now);
    takt_clock_follow_up(&clock, 0, bytes, 8, now); /* another sequence */
    bytes[0] = next;
    takt_clock_follow_up(&clock, 1, bytes, 8, now);     /* of another master */
    takt_clock_follow_up(&clock, 3, bytes, 8, now);     /* of none */
    takt_clock_follow_up(&clock, 0, bytes, 7, now);     /* too short */
    takt_clock_follow_up(&clock, 0, bytes, 8, now - 1); /* before its tick */
    now += MS + 1;
    takt_clock_follow_up(&clock, 0, bytes, 8, now); /* too late */
    takt_clock_tick(&clock, 1, long_tick, 2, now);
    takt_clock_follow_up(&clock, 1, bytes, 8, now); /* there was no such tick */
    takt_clock_tick(&clock, 1, &wrong, 1, now);
    takt_clock_follow_up(&clock, 1, bytes, 8, now);
    CHECK_EQUAL(takt_clock_due(&clock), last + HOLDOVER + 1);
    tick = next;
    takt_clock_tick(&clock, 0, &tick, 1, now);
    now += 100 * US;
    takt_clock_tick(&clock, 0, &tick, 1, now); /* sent again: its last end counts */
    for (unsigned i = 1; i < 8; i++) {
        bytes[i] = (uint8_t)((now + ahead) >> 8 * (i - 1));
    }
    takt_clock_follow_up(&clock, 0, bytes, 8, now);
    CHECK_EQUAL(takt_clock_due(&clock), now + HOLDOVER + 1);
    takt_clock_follow_up(&clock, 0, bytes, 8, now + 5); /* once */
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead);
}

static void test_without_a_master(void)
{
    uint64_t ahead = follow(&three, TAKT_CLOCK_NO_RANK), last = now - 250 * US;
    now = last + SILENCE;
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead);
    now += 1;
    check(TAKT_CLOCK_HOLDOVER, now + ahead);
    now = last + HOLDOVER;
    check(TAKT_CLOCK_HOLDOVER, now + ahead);
    now += 1;
    check(TAKT_CLOCK_UNSYNCHRONIZED, now + ahead);
    pass(0);
    check(TAKT_CLOCK_UNSYNCHRONIZED, now + ahead);
    CHECK_EQUAL(takt_clock_master(&clock), TAKT_CLOCK_NO_RANK);
    CHECK_EQUAL(takt_clock_due(&clock), TAKT_SATURATED);
    pass(SILENCE);
    hear(0, now + ahead + 7 * MS); /* it is put forward at once, */
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead + 7 * MS);
    now += HOLDOVER + 1;
    pass(0);
    pass(SILENCE);
    hear(0, now + ahead + 6 * MS); /* and back only slowly */
    check(TAKT_CLOCK_UNSYNCHRONIZED, now + ahead + 7 * MS);
    now += 4 * MS;
    check(TAKT_CLOCK_UNSYNCHRONIZED, now + ahead + 7 * MS - 2 * US);
}

static void test_a_master(void)
{
    start(&three, 1, 77 * MS);
    CHECK_EQUAL(takt_clock_due(&clock), now + HOLDOVER + STAGGER + 1);
    pass(HOLDOVER + STAGGER);
    CHECK(!takt_clock_offers(&clock).tick);
    check(TAKT_CLOCK_UNSYNCHRONIZED, 0);
    pass(1);
    uint64_t began = now;
    struct takt_clock_offers offers = takt_clock_offers(&clock);
    CHECK(offers.tick && !offers.follow_up);
    CHECK_EQUAL(offers.tick_bytes[0], 1);
    check(TAKT_CLOCK_SYNCHRONIZED, 77 * MS + HOLDOVER + STAGGER + 1);
    CHECK_EQUAL(takt_clock_due(&clock), began + 10 * MS);
    now += MS;
    takt_clock_tick(&clock, 1, offers.tick_bytes, 1, now);
    offers = takt_clock_offers(&clock);
    CHECK(!offers.tick && offers.follow_up);
    uint64_t time_ns = 77 * MS + HOLDOVER + STAGGER + 1 + MS; /* 308000001 = 0x125BB501 */
    static const uint8_t expected[8] = {1, 0x01, 0xB5, 0x5B, 0x12, 0, 0, 0};
    CHECK_EQUAL(time_ns, 0x125BB501);
    CHECK(memcmp(offers.follow_up_bytes, expected, 8) == 0);
    takt_clock_follow_up_sent(&clock);
    CHECK(!takt_clock_offers(&clock).follow_up);
    takt_clock_tick(&clock, 1, offers.tick_bytes, 1, now); /* none was offered */
    CHECK(!takt_clock_offers(&clock).follow_up);
    now = began;
    pass(10 * MS);
    CHECK_EQUAL(takt_clock_offers(&clock).tick_bytes[0], 2);
    CHECK_EQUAL(takt_clock_due(&clock), began + 20 * MS);
    pass(10 * MS); /* that tick still waits */
    CHECK_EQUAL(takt_clock_offers(&clock).tick_bytes[0], 2);
    now = began + MS + SILENCE + 1; /* since its last tick: others may have taken over */
    takt_clock_tick(&clock, 1, offers.tick_bytes, 1, now);
    CHECK(!takt_clock_offers(&clock).follow_up);
    CHECK_EQUAL(takt_clock_read(&clock, now).state, TAKT_CLOCK_UNSYNCHRONIZED);
    CHECK_EQUAL(takt_clock_due(&clock), now + HOLDOVER + STAGGER + 1);
}

static void test_takeover(void)
{
    uint64_t ahead = follow(&three, 2), last = now - 250 * US;
    CHECK_EQUAL(takt_clock_due(&clock), last + SILENCE + 2 * STAGGER + 1);
    pass(10 * MS);
    hear(1, now + ahead + US); /* the lower rank is not silent yet */
    CHECK_EQUAL(takt_clock_due(&clock), last + SILENCE + 2 * STAGGER + 1);
    pass(last + SILENCE - now);
    now += 1;
    hear(1, now + ahead + US);
    CHECK_EQUAL(takt_clock_master(&clock), 1);
    last = now - 250 * US;
    pass(last + SILENCE + 2 * STAGGER + 1 - now);
    CHECK_EQUAL(takt_clock_master(&clock), 2);
    CHECK(takt_clock_offers(&clock).tick);
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead + US);
    pass(1);
    hear(1, now + ahead); /* it lives: it is followed */
    CHECK_EQUAL(takt_clock_master(&clock), 1);
    CHECK(!takt_clock_offers(&clock).tick);
}

static void test_a_better_rank_takes_over_when_it_has_followed(void)
{
    start(&three, 0, 0);
    pass(SILENCE + 1);
    hear(2, UINT64_C(9000) * MS);
    uint64_t since = now, ahead = UINT64_C(9000) * MS + 250 * US - now;
    for (unsigned i = 0; i < 49; i++) {
        pass(10 * MS - 250 * US);
        hear(2, now + ahead);
    }
    CHECK_EQUAL(takt_clock_master(&clock), 2);
    CHECK_EQUAL(takt_clock_due(&clock), since + SETTLE + 1);
    pass(since + SETTLE - now);
    CHECK(!takt_clock_offers(&clock).tick);
    pass(1);
    CHECK(takt_clock_offers(&clock).tick);
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead);
    hear(2, now + ahead + 100 * US); /* which does not matter any more */
    CHECK_EQUAL(takt_clock_master(&clock), 0);
}

/* 10.25 ms after the last tick a master is off by more than 201 ppm and two time stamps: 2060 + 2000 + 2 ns. */
static void test_a_master_that_does_not_fit(void)
{
    uint64_t ahead = follow(&three, 1);
    pass(10 * MS);
    hear(0, now + ahead + 4062);
    CHECK(!takt_clock_offers(&clock).tick);
    ahead = follow(&three, 1);
    pass(10 * MS);
    hear(0, now + ahead + 4063);
    pass(0);
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead);
    CHECK_EQUAL(takt_clock_offers(&clock).tick_bytes[0], 16 | 1); /* a voice, which nobody follows */
    uint8_t tick = 1;
    takt_clock_tick(&clock, 1, &tick, 1, now);
    CHECK_EQUAL(takt_clock_offers(&clock).follow_up_bytes[0], 0x11); /* against the master 0 */
    takt_clock_follow_up_sent(&clock);
    /* Nobody else says so: it gives up. */
    for (unsigned i = 0; i < 40; i++) {
        CHECK(!takt_clock_is_voted_out(&clock));
        pass(10 * MS - 250 * US);
        takt_clock_tick(&clock, 1, &tick, 1, now);
        takt_clock_follow_up_sent(&clock);
        hear(0, now + ahead + 4063);
    }
    CHECK(takt_clock_is_voted_out(&clock));
}

/* Ten ticks later a window allows 24 us, and two ticks as little as before. */
static void test_a_jump_late_in_a_window(void)
{
    uint64_t ahead = follow(&three, 1);
    for (unsigned i = 0; i < 10; i++) {
        pass(10 * MS - 250 * US);
        hear(0, now + ahead);
    }
    pass(10 * MS);
    hear(0, now + ahead + 4063);
    pass(0);
    CHECK(takt_clock_offers(&clock).tick);
}

/* One that was rejected and silent is a master like any other, also to a node that no timer woke. */
static void test_a_master_that_comes_back(void)
{
    uint64_t ahead = follow(&three, TAKT_CLOCK_NO_RANK);
    pass(10 * MS);
    hear(0, now + ahead + MS);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t tick = 9, bytes[8] = {9};
        now += i == 0 ? 10 * MS : 2 * SILENCE + 1;
        for (unsigned b = 1; b < 8; b++) {
            bytes[b] = (uint8_t)((now + ahead) >> 8 * (b - 1));
        }
        takt_clock_tick(&clock, 0, &tick, 1, now);
        takt_clock_follow_up(&clock, 0, bytes, 8, now);
        CHECK((takt_clock_due(&clock) == now + HOLDOVER + 1) == (i == 1));
    }
}

/* Another than its own master does not fit: nobody follows that one, so there is nothing to object to. */
static void test_no_voice_against_one_that_nobody_follows(void)
{
    uint64_t ahead = follow(&three, 2);
    pass(SILENCE);
    hear(1, now + ahead + 5 * MS);
    hear(0, now + ahead);
    pass(10 * MS);
    CHECK_EQUAL(takt_clock_master(&clock), 0);
    CHECK(!takt_clock_offers(&clock).tick);
}

/* A drift of 300 ppm is within what two ticks allow, and not within what a window does: 201 ppm and 2002 ns. */
static void test_a_master_that_drifts_slowly(void)
{
    uint64_t ahead = follow(&three, 1);
    unsigned ticks = 0;
    for (; !takt_clock_offers(&clock).tick && ticks < 30; ticks++) {
        pass(10 * MS - 250 * US);
        ahead += 3 * US;
        hear(0, now + ahead);
        pass(0);
    }
    CHECK_EQUAL(ticks, 3); /* the third is 9 us off, 8032 ns are allowed */
}

static void test_votes(void)
{
    start(&three, 0, 0);
    pass(HOLDOVER + 1);
    uint64_t ahead = takt_clock_read(&clock, now).time_ns - now;
    CHECK_EQUAL(takt_clock_master(&clock), 0);
    hear_as(1, now + ahead, 16, 0x10);
    CHECK_EQUAL(takt_clock_master(&clock), 0); /* one is no vote */
    hear_as(1, now + ahead, 16, 0x10);
    CHECK_EQUAL(takt_clock_master(&clock), 0); /* nor is one twice */
    hear_as(2, now + ahead, 16, 0x20);
    CHECK_EQUAL(takt_clock_master(&clock), 0); /* that is against another */
    hear_as(2, now + ahead, 16, 0x10);
    CHECK(takt_clock_is_voted_out(&clock));
    CHECK_EQUAL(takt_clock_master(&clock), TAKT_CLOCK_NO_RANK);
    /* It follows, and does not take over while others live; but last of all where there is none. */
    pass(SILENCE + 1);
    hear(1, now + ahead);
    CHECK_EQUAL(takt_clock_master(&clock), 1);
    CHECK_EQUAL(takt_clock_due(&clock), now - 250 * US + HOLDOVER + 1);
    pass(HOLDOVER + 1);
    CHECK_EQUAL(takt_clock_due(&clock), now + HOLDOVER + 3 * STAGGER + 1);
    pass(HOLDOVER + 3 * STAGGER + 1);
    CHECK_EQUAL(takt_clock_master(&clock), 0);
    CHECK(!takt_clock_is_voted_out(&clock));
}

/* A master that objects goes on when it hears that others do, too: their votes may have been lost. */
static void test_a_voice_goes_on(void)
{
    struct takt_clock_config four = three;
    four.masters = 4;
    uint64_t ahead = follow(&four, 2);
    pass(10 * MS);
    hear(0, now + ahead + MS);
    hear_as(1, now + ahead, 16, 0x10);
    pass(10 * MS);
    hear_as(3, now + ahead, 16, 0x10);
    hear(0, now + ahead + MS);
    pass(0);
    CHECK(takt_clock_offers(&clock).tick);
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead);
}

/* Another node leaves a master that two others reject, though it fits. */
static void test_a_vote_counts_for_all(void)
{
    uint64_t ahead = follow(&three, TAKT_CLOCK_NO_RANK);
    hear_as(1, now + ahead, 16, 0x10);
    hear_as(2, now + ahead, 16, 0x10);
    CHECK_EQUAL(takt_clock_master(&clock), 0);
    hear(0, now + ahead);
    check(TAKT_CLOCK_UNSYNCHRONIZED, now + ahead);
    pass(SILENCE + 1);
    hear(0, now + ahead);
    CHECK_EQUAL(takt_clock_master(&clock), TAKT_CLOCK_NO_RANK);
    hear_as(1, now + ahead, 16, 0x10); /* a voice only */
    CHECK_EQUAL(takt_clock_master(&clock), TAKT_CLOCK_NO_RANK);
    hear_as(1, now + ahead, 0, 0x10);
    CHECK_EQUAL(takt_clock_master(&clock), 1);
}

/* Two masters do not vote: the other one gives way, and then believes it. */
static void test_two_masters(void)
{
    struct takt_clock_config two = three;
    two.masters = 2;
    uint64_t ahead = follow(&two, 1);
    for (unsigned i = 0; i < 25; i++) {
        pass(10 * MS - 250 * US);
        hear(0, now + ahead + 50 * MS);
        CHECK(!takt_clock_offers(&clock).tick);
    }
    check(TAKT_CLOCK_SYNCHRONIZED, now + ahead + 50 * MS);
}

static void test_a_jump_of_a_new_master(void)
{
    for (unsigned more = 0; more < 2; more++) {
        uint64_t ahead = follow(&three, TAKT_CLOCK_NO_RANK);
        now += SILENCE;
        hear(1, now + ahead + 300 * US + more);
        CHECK_EQUAL(takt_clock_master(&clock), more == 0 ? 1 : 0);
    }
}

static void test_configurations(void)
{
    struct takt_clock_config config = three;
    CHECK(takt_clock_config_is_valid(&config));
    config.masters = 9;
    CHECK(!takt_clock_config_is_valid(&config));
    config = three, config.masters = 0;
    CHECK(!takt_clock_config_is_valid(&config));
    config = three, config.interval_ns = 0;
    CHECK(!takt_clock_config_is_valid(&config));
    config = three, config.slew_ppm = 0;
    CHECK(!takt_clock_config_is_valid(&config));
    config = three, config.slew_ppm = 100001;
    CHECK(!takt_clock_config_is_valid(&config));
    config = three, config.drift_ppm = 501;
    CHECK(!takt_clock_config_is_valid(&config));
    config = three, config.silence_ns = HOLDOVER + 1;
    CHECK(!takt_clock_config_is_valid(&config));
    config = three, config.settle_ns = UINT64_MAX;
    CHECK(!takt_clock_config_is_valid(&config));
    CHECK_EQUAL(TAKT_CLOCK_MASTERS_MAX, TAKT_ANALYSIS_CLOCK_MASTERS_MAX);
    CHECK_EQUAL(TAKT_CLOCK_WINDOW, TAKT_ANALYSIS_CLOCK_WINDOW);
}

/* A counter that jumps while a follow-up is on its way; and one that says an earlier time than before. */
static void test_times_that_do_not_fit(void)
{
    uint64_t ahead = follow(&three, TAKT_CLOCK_NO_RANK);
    uint8_t tick = 1, bytes[8] = {1};
    now += HOLDOVER;
    takt_clock_tick(&clock, 0, &tick, 1, now);
    takt_clock_follow_up(&clock, 0, bytes, 8, now + 1); /* it knows no time any more, without a timer */
    CHECK_EQUAL(takt_clock_master(&clock), TAKT_CLOCK_NO_RANK);
    ahead = follow(&three, 1);
    pass(10 * MS);
    hear(0, now + ahead - 20 * MS);
    pass(0);
    CHECK(takt_clock_offers(&clock).tick);
    takt_clock_tick(&clock, 1, &tick, 1, 999 * MS); /* stamped before the time that it counts from */
    CHECK(takt_clock_offers(&clock).follow_up);
}

int main(void)
{
    test_time_is_slewed();
    test_what_does_not_fit_is_ignored();
    test_without_a_master();
    test_a_master();
    test_takeover();
    test_a_better_rank_takes_over_when_it_has_followed();
    test_a_master_that_does_not_fit();
    test_a_master_that_drifts_slowly();
    test_a_jump_late_in_a_window();
    test_a_master_that_comes_back();
    test_no_voice_against_one_that_nobody_follows();
    test_votes();
    test_a_voice_goes_on();
    test_a_vote_counts_for_all();
    test_two_masters();
    test_a_jump_of_a_new_master();
    test_configurations();
    test_times_that_do_not_fit();
    return 0;
}
