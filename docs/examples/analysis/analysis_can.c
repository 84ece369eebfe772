/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "takt/analysis_can.h"

#define US(n) (UINT64_C(1000) * (n))
#define FRAMES 3

/* Three frames of 8 bytes at 1 Mbit/s, 135 us each; the third comes every 500 us. */
static const struct takt_analysis_can_frame frames[FRAMES] = {
    {.send_ns = US(135), .period_ns = US(400), .jitter_ns = US(50)},
    {.send_ns = US(135), .period_ns = US(800)},
    {.send_ns = US(135), .period_ns = US(500)},
};

static void print(const struct takt_analysis_can_bus *bus, const char *what)
{
    struct takt_analysis_can_work work[FRAMES];
    uint64_t responses_ns[FRAMES];
    enum takt_analysis_status statuses[FRAMES];

    if (takt_analysis_can_responses(bus, work, responses_ns, statuses) != TAKT_ANALYSIS_OK) {
        return;
    }
    for (int i = 0; i < FRAMES; i++) {
        if (statuses[i] == TAKT_ANALYSIS_OK) {
            printf("analysis_can: %s, frame %d arrives within %u us\n", what, i, (unsigned)(responses_ns[i] / US(1)));
        }
    }
}

int main(void)
{
    struct takt_analysis_can_bus bus = {.frames = frames, .frame_count = FRAMES, .bit_ns = US(1), .iterations = 1000};

    print(&bus, "no errors");
    bus.errors = (struct takt_analysis_can_errors){.count = 1, .distance_ns = US(10000), .cost_ns = US(31)};
    print(&bus, "an error in 10 ms");
    return 0;
}
