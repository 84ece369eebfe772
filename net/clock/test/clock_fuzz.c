/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For libFuzzer: a node that hears any bytes at any times. Whatever comes, its time never goes back, nor is it put
 * forward while it is synchronized; it waits for no time that has passed; it sends nothing where it is no master; and
 * once one master alone ticks again, it follows or is that master.
 */
#include "base/arith.h"
#include "base/test/fuzz.h"
#include "takt/clock.h"

enum { US = 1000, MS = 1000000, STEPS = 200 };

static struct takt_clock_config config = {.interval_ns = 10 * MS,
                                          .follow_up_ns = MS,
                                          .silence_ns = 25 * MS,
                                          .stagger_ns = 26 * MS,
                                          .holdover_ns = 120 * MS,
                                          .settle_ns = 300 * MS,
                                          .accept_ns = 100 * US,
                                          .stamp_ns = US,
                                          .drift_ppm = 100,
                                          .slew_ppm = 1000};
static struct takt_clock clock;
static uint64_t now, read_ns, read_at;
static bool was_synchronized;

/* Two readings: never less; and by at most the slew more or less than the counter while it was synchronized. */
static void look(void)
{
    struct takt_clock_reading reading = takt_clock_read(&clock, now);
    uint64_t past = now - read_at, gone = reading.time_ns - read_ns;
    CHECK(reading.time_ns >= read_ns);
    if (was_synchronized && clock.synchronized) {
        uint64_t off = past > gone ? past - gone : gone - past;
        CHECK(off <= past / 1000 + 1);
    }
    CHECK(clock.synchronized || reading.state == TAKT_CLOCK_UNSYNCHRONIZED);
    was_synchronized = clock.synchronized;
    read_ns = reading.time_ns;
    read_at = now;
    struct takt_clock_offers offers = takt_clock_offers(&clock);
    CHECK(!offers.tick || !offers.follow_up);
    CHECK((!offers.tick && !offers.follow_up) || (clock.rank < config.masters && clock.synchronized));
    CHECK(takt_clock_master(&clock) == TAKT_CLOCK_NO_RANK || takt_clock_master(&clock) < config.masters);
}

static void timer(void)
{
    takt_clock_timer(&clock, now);
    CHECK(takt_clock_due(&clock) > now);
    look();
}

static void step(void)
{
    uint8_t choice = byte(), rank = choice >> 4 & 7, bytes[9] = {0};
    uint64_t passed = number(2) * 100;
    now += passed;
    if (takt_clock_due(&clock) <= now) {
        timer();
    }
    switch (choice & 7) {
    case 0:
        now += (uint64_t)byte() * MS;
        timer();
        break;
    case 1:
    case 2:
        bytes[0] = byte() & 33;
        takt_clock_tick(&clock, rank, bytes, choice >> 7 ? 2 : 1, now);
        break;
    case 3: { /* near to its own time, or anything */
        uint64_t time_ns = read_ns + number(3) - (1 << 23);
        bytes[0] = byte() & 0x31;
        time_ns = choice >> 7 ? number(7) : time_ns;
        for (unsigned i = 1; i < 8; i++) {
            bytes[i] = (uint8_t)(time_ns >> 8 * (i - 1));
        }
        takt_clock_follow_up(&clock, rank, bytes, 8, now);
        break;
    }
    case 4: { /* a pair that fits its own time */
        struct takt_clock_reading reading = takt_clock_read(&clock, now);
        bytes[0] = 5;
        takt_clock_tick(&clock, rank, bytes, 1, now);
        bytes[0] |= (uint8_t)(byte() & 0x70);
        for (unsigned i = 1; i < 8; i++) {
            bytes[i] = (uint8_t)(reading.time_ns >> 8 * (i - 1));
        }
        takt_clock_follow_up(&clock, rank, bytes, 8, now);
        break;
    }
    case 5:
        takt_clock_tick(&clock, clock.rank, bytes, 1, now);
        break;
    case 6:
        takt_clock_follow_up_sent(&clock);
        break;
    default:
        takt_clock_follow_up(&clock, rank, bytes, byte() % 10, now);
        break;
    }
    look();
}

/* One master alone, that ticks as it should, with a time that lies ahead of all that was said. */
static void one_master_alone(void)
{
    uint8_t rank = clock.rank == 0 ? 1 : 0;
    uint64_t ahead = (UINT64_C(1) << 55) + 1000 * (uint64_t)MS - now;
    for (unsigned i = 0; i < 60; i++) {
        for (unsigned part = 0; part < 4; part++) {
            now += 5 * MS / 2;
            if (takt_clock_due(&clock) <= now) {
                timer();
            }
        }
        uint8_t bytes[8] = {(uint8_t)(i & 15)};
        for (unsigned b = 1; b < 8; b++) {
            bytes[b] = (uint8_t)((now + ahead) >> 8 * (b - 1));
        }
        takt_clock_tick(&clock, rank, bytes, 1, now);
        now += 100;
        takt_clock_follow_up(&clock, rank, bytes, 8, now);
        look();
        struct takt_clock_offers offers = takt_clock_offers(&clock);
        if (offers.tick) {
            takt_clock_tick(&clock, clock.rank, offers.tick_bytes, 1, now);
        }
        if (takt_clock_offers(&clock).follow_up) {
            takt_clock_follow_up_sent(&clock);
        }
    }
    uint8_t master = takt_clock_master(&clock);
    CHECK(master == rank || master == clock.rank);
    CHECK(takt_clock_read(&clock, now).state == TAKT_CLOCK_SYNCHRONIZED || read_ns > now + ahead);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    left = size;
    uint8_t first = byte();
    config.masters = (uint8_t)(1 + first % 4);
    uint8_t rank = first >> 4 & 3;
    now = read_at = (uint64_t)MS * byte();
    read_ns = 0;
    was_synchronized = false;
    CHECK(takt_clock_config_is_valid(&config));
    rank = rank < config.masters ? rank : TAKT_CLOCK_NO_RANK;
    takt_clock_start(&clock, &config, rank, (struct takt_clock_point){now, number(4)});
    for (unsigned i = 0; i < STEPS && left > 0; i++) {
        step();
    }
    one_master_alone();
    return 0;
}
