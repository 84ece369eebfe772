/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds of clocks, worked out by hand, and what they refuse. */
#include "base/test/check.h"
#include "takt/analysis_clock.h"

enum { US = 1000, MS = 1000000 };

/*
 * 10 ms, 1 ms to the end of a tick and 1 ms to its follow-up, stamps of 2 us, 100 ppm, one tick lost, one master:
 * 22.00202 ms between two that are heard (101 ppm), so 2 us + 1 ns + 2 ns + 4401 ns off.
 */
static void test_bounds(void)
{
    struct takt_analysis_clock needs = {10 * MS, MS, MS, 2 * US, 100, 500, 1, 1};
    struct takt_analysis_clock_bounds bounds;
    CHECK(takt_analysis_clock(&needs, &bounds) == TAKT_ANALYSIS_OK);
    CHECK_EQUAL(bounds.node_ns, 2003 + 4401);
    CHECK_EQUAL(bounds.steady_ns, 2 * bounds.node_ns);
    CHECK_EQUAL(bounds.silence_ns, 22002020 + 2223 + 2001);
    CHECK_EQUAL(bounds.stagger_ns, 22006244 + 17782); /* 808 ppm */
    CHECK_EQUAL(bounds.takeover_ns, 22006244 + 30000000 + 5253 + 3000000);
    CHECK_EQUAL(bounds.holdover_ns, 55011497 + 5557 + 2001);
    CHECK_EQUAL(bounds.precision_ns, 2 * (2003 + 11005)); /* 200 ppm of 55019055 and 5557 */
    needs.masters = 2;
    struct takt_analysis_clock_bounds two;
    CHECK(takt_analysis_clock(&needs, &two) == TAKT_ANALYSIS_OK);
    CHECK(two.precision_ns > bounds.precision_ns + bounds.node_ns && two.node_ns == bounds.node_ns);
    needs.slew_ppm = 200; /* 200.02 ppm are needed */
    CHECK(takt_analysis_clock(&needs, &two) == TAKT_ANALYSIS_INVALID);
    needs.slew_ppm = 202;
    CHECK(takt_analysis_clock(&needs, &two) == TAKT_ANALYSIS_OK);
    needs.follow_up_ns = 9 * MS + 1; /* beyond the interval */
    CHECK(takt_analysis_clock(&needs, &two) == TAKT_ANALYSIS_INVALID);
}

/* Each value one step outside of its range. */
static void test_what_the_bound_refuses(void)
{
    static const struct takt_analysis_clock good = {10 * MS, MS, MS, 2 * US, 100, 500, 1, 3};
    struct takt_analysis_clock bad[11];
    struct takt_analysis_clock_bounds bounds;
    for (unsigned i = 0; i < 11; i++) {
        bad[i] = good;
    }
    bad[0].interval_ns = 0;
    bad[1].interval_ns = TAKT_ANALYSIS_CLOCK_INTERVAL_MAX + UINT64_C(1);
    bad[2].tick_ns = 10 * MS + 1;
    bad[3].follow_up_ns = 9 * MS + 1;
    bad[4].stamp_ns = 10 * MS + 1;
    bad[5].drift_ppm = TAKT_ANALYSIS_CLOCK_DRIFT_MAX + 1;
    bad[6].slew_ppm = 0;
    bad[7].slew_ppm = TAKT_ANALYSIS_CLOCK_SLEW_MAX + 1;
    bad[8].lost = TAKT_ANALYSIS_CLOCK_LOST_MAX + 1;
    bad[9].masters = 0;
    bad[10].masters = TAKT_ANALYSIS_CLOCK_MASTERS_MAX + 1;
    for (unsigned i = 0; i < 11; i++) {
        CHECK(takt_analysis_clock(&good, &bounds) == TAKT_ANALYSIS_OK);
        CHECK(takt_analysis_clock(&bad[i], &bounds) == TAKT_ANALYSIS_INVALID);
    }
}

int main(void)
{
    test_bounds();
    test_what_the_bound_refuses();
    return 0;
}
