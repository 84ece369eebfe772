/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of clocks that a master synchronizes. Times are below 2^55 ns, and those that are multiplied far below, so
 * nothing wraps. */
#include "takt/analysis_clock.h"

#include "internal.h"

enum { TAKTA_PPM = 1000000 };

static bool takta_clock_valid(const struct takt_analysis_clock *clock)
{
    return clock->interval_ns >= 1 && clock->interval_ns <= TAKT_ANALYSIS_CLOCK_INTERVAL_MAX &&
           clock->tick_ns <= clock->interval_ns && clock->follow_up_ns <= clock->interval_ns - clock->tick_ns &&
           clock->stamp_ns <= clock->interval_ns && clock->drift_ppm <= TAKT_ANALYSIS_CLOCK_DRIFT_MAX &&
           clock->slew_ppm >= 1 && clock->slew_ppm <= TAKT_ANALYSIS_CLOCK_SLEW_MAX &&
           clock->lost <= TAKT_ANALYSIS_CLOCK_LOST_MAX && clock->masters >= 1 &&
           clock->masters <= TAKT_ANALYSIS_CLOCK_MASTERS_MAX;
}

/* Of a time, so many millionths, rounded up. */
static uint64_t takta_clock_part(uint64_t time, uint64_t ppm)
{
    return takt_divide_up(time * ppm, TAKTA_PPM);
}

/* The longest time by another clock, or of true time, in which one counts `time`: 1 / (1 - drift) < 1 + drift + 1 ppm
 * up to 500 ppm. */
static uint64_t takta_clock_longest(uint64_t time, uint32_t drift_ppm)
{
    return time + takta_clock_part(time, drift_ppm + 1u);
}

enum takt_analysis_status takt_analysis_clock(const struct takt_analysis_clock *clock,
                                              struct takt_analysis_clock_bounds *bounds)
{
    if (!takta_clock_valid(clock)) {
        return TAKT_ANALYSIS_INVALID;
    }
    uint32_t drift = clock->drift_ppm;
    uint64_t lost_by_drift = takta_clock_part(clock->slew_ppm, drift) + UINT64_C(2) * drift;
    if (clock->slew_ppm <= lost_by_drift) {
        return TAKT_ANALYSIS_INVALID;
    }
    uint64_t ticks = (clock->lost + UINT64_C(1)) * clock->interval_ns;
    uint64_t late = clock->tick_ns + clock->follow_up_ns;
    uint64_t heard = takta_clock_longest(ticks, drift) + late; /* from a tick to the next follow-up that is heard */
    uint64_t silence = takta_clock_longest(heard, drift) + clock->stamp_ns + 1;
    /* The silence has room for the ticks that the better rank heard after the next one; both may differ in rate. */
    uint64_t stagger = silence + takta_clock_part(silence, UINT64_C(4) * (drift + 1u) * (clock->masters + 1u));
    uint64_t longest = silence + (clock->masters - UINT64_C(1)) * stagger;
    /* The last ticks of the old master are lost to a node, not to the new one; then the first ones of that. */
    uint64_t change =
        takta_clock_longest(longest + ticks + clock->lost * clock->interval_ns, drift) + late + clock->tick_ns;
    uint64_t holdover = takta_clock_longest(change, drift) + clock->stamp_ns + 1;
    uint64_t measured = takta_clock_longest(clock->stamp_ns, drift) + 2;
    uint64_t apart = UINT64_C(2) * drift;
    uint64_t node = measured + takta_clock_part(heard, apart);
    uint64_t old = measured + takta_clock_part(takta_clock_longest(holdover, drift), apart);
    bounds->node_ns = node;
    bounds->steady_ns = 2 * node;
    bounds->precision_ns = clock->masters == 1 ? 2 * old : 2 * old + node;
    bounds->silence_ns = silence;
    bounds->stagger_ns = stagger;
    bounds->holdover_ns = holdover;
    bounds->settle_ns =
        takta_clock_longest(change + takt_divide_up(2 * old * TAKTA_PPM, clock->slew_ppm - lost_by_drift), drift);
    /* What fits a node's counter over two windows, and how far that of another node goes meanwhile. */
    uint64_t window = TAKT_ANALYSIS_CLOCK_WINDOW * clock->interval_ns + heard;
    uint64_t followed = 2 * (takta_clock_part(takta_clock_longest(window, drift), apart + 1) + 2 * clock->stamp_ns + 2);
    bounds->faulty_ns = 2 * old + node + followed + takta_clock_part(window, 2 * apart + 1);
    bounds->accept_ns = bounds->faulty_ns + 2;
    bounds->takeover_ns = change;
    bounds->detect_ns = 2 * (takta_clock_part(silence, apart + 1) + 2 * clock->stamp_ns + 2);
    return TAKT_ANALYSIS_OK;
}
