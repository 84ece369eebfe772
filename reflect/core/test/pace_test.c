/* SPDX-License-Identifier: Apache-2.0 */
/* Times on the wire worked out by hand, and a sender that is never ahead of the link, nor behind it for want of credit.
 */
#include "takt/pace.h"

#include "base/test/check.h"

static const struct takt_pace_link fast = {.rate_bps = 100000000, .mtu = 1500};

/* 100 Mbit/s: 80 ns a byte. */
static void test_times(void)
{
    CHECK_EQUAL(takt_pace_wire_ns(&fast, 0), (46 + 38) * 80);
    CHECK_EQUAL(takt_pace_wire_ns(&fast, 18), (46 + 38) * 80);
    CHECK_EQUAL(takt_pace_wire_ns(&fast, 19), (47 + 38) * 80);
    CHECK_EQUAL(takt_pace_wire_ns(&fast, 1472), 1538 * 80);
    CHECK_EQUAL(takt_pace_wire_ns(&fast, 1473), (1538 + 46 + 38) * 80); /* a fragment with one byte */
    CHECK_EQUAL(takt_pace_wire_ns(&fast, 65000), (43 * 1538 + 1368 + 20 + 38) * 80);
    struct takt_pace_link six = fast;
    six.ipv6 = true;
    CHECK_EQUAL(takt_pace_wire_ns(&six, 1452), 1538 * 80);
    CHECK_EQUAL(takt_pace_wire_ns(&six, 1453), (1448 + 48 + 38 + 13 + 48 + 38) * 80);
    CHECK_EQUAL(takt_pace_wire_ns(&six, 2892), (2 * 1448 + 4 + 3 * (48 + 38)) * 80); /* fragments in steps of 8 */
    struct takt_pace_link odd = {.rate_bps = 3000000000, .mtu = 1500};
    CHECK_EQUAL(takt_pace_wire_ns(&odd, 0), 224);  /* 672 bits */
    CHECK_EQUAL(takt_pace_wire_ns(&odd, 19), 227); /* 680 bits, 226.67 */
}

static void test_on_time(void)
{
    struct takt_pace pace;
    takt_pace_init(&pace, &fast);
    uint64_t now = 1000000;
    CHECK(takt_pace_until(&pace) <= now);
    for (unsigned i = 0; i < 100; i++) {
        takt_pace_sent(&pace, 1472, 0, now);
        CHECK_EQUAL(takt_pace_until(&pace), now + 123040);
        now = takt_pace_until(&pace);
    }
}

/* Each time late, by less than the burst: the rate is kept all the same. By more: what is more is lost. */
static void test_late(void)
{
    struct takt_pace_link link = fast;
    link.burst_ns = 50000;
    struct takt_pace pace;
    takt_pace_init(&pace, &link);
    uint64_t start = 1000000;
    takt_pace_sent(&pace, 1472, start - 30000, start); /* it was there before the thread that sends it woke up */
    CHECK_EQUAL(takt_pace_until(&pace), start - 30000 + 123040);
    for (unsigned i = 0; i < 100; i++) {
        takt_pace_wait(&pace);
        takt_pace_sent(&pace, 1472, 0, takt_pace_until(&pace) + 40000);
    }
    CHECK_EQUAL(takt_pace_until(&pace), start - 30000 + UINT64_C(101) * 123040);
    uint64_t now = takt_pace_until(&pace) + 90000;
    takt_pace_wait(&pace);
    takt_pace_sent(&pace, 1472, 0, now);
    CHECK_EQUAL(takt_pace_until(&pace), now - 50000 + 123040);

    takt_pace_init(&pace, &link); /* at the beginning of time */
    takt_pace_sent(&pace, 1472, 0, 20000);
    CHECK_EQUAL(takt_pace_until(&pace), 123040);
}

/* What the wire was idle for is gone: of packets that come together none follows the one before at once. Neither does
 * one that takes longer to be made than to be sent leave time to those behind it. */
static void test_idle(void)
{
    struct takt_pace_link link = fast;
    link.burst_ns = 10000000;
    struct takt_pace pace;
    takt_pace_init(&pace, &link);
    takt_pace_sent(&pace, 1472, 5000000, 5000000);
    CHECK_EQUAL(takt_pace_until(&pace), 5000000 + 123040);
    takt_pace_wait(&pace);
    takt_pace_sent(&pace, 1472, 9000000, 9000000);
    CHECK_EQUAL(takt_pace_until(&pace), 9000000 + 123040);
    uint64_t now = 20000000;
    for (unsigned i = 0; i < 100; i++, now += 200000) {
        takt_pace_sent(&pace, 1472, 20000000, now);
        CHECK_EQUAL(takt_pace_until(&pace), now + 123040);
    }
}

int main(void)
{
    test_times();
    test_on_time();
    test_late();
    test_idle();
    return 0;
}
