/* SPDX-License-Identifier: Apache-2.0 */
/* Ask for assignments of absurd buses: can_order_wild BUSES. Prints how many were feasible, undecided, infeasible and
 * invalid. What is called feasible gives each frame one slot that it may have.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "takt/analysis_can_assign.h"

#define FRAMES 6
#define SLOTS 10

static uint64_t state;

static uint64_t between(uint64_t low, uint64_t high)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (state >> 33) % (high - low + 1);
}

/* Near an edge of the numbers, or small. */
static uint64_t absurd(void)
{
    static const uint64_t edges[] = {0, 1, UINT64_C(1) << 32, TAKT_ANALYSIS_TIME_MAX_NS - 1, UINT64_C(1) << 61};

    return between(0, 15) == 0  ? edges[between(0, 4)] + between(0, 1)
           : between(0, 3) == 0 ? UINT64_C(1) << between(7, 61)
                                : between(100, 30000);
}

static void check(const struct takt_analysis_can_assignment *assignment, const uint32_t *occupants, uint64_t bus)
{
    int placed[FRAMES] = {0};

    for (size_t i = 0; i < assignment->slot_count; i++) {
        uint32_t frame = occupants[i];

        if (frame != TAKT_ANALYSIS_CAN_NONE) {
            placed[frame]++;
            if (assignment->needs[frame].kind != assignment->slots[i].kind && assignment->slots[i].holder != frame) {
                placed[frame] = 2;
            }
        }
    }
    for (size_t i = 0; i < assignment->bus->frame_count; i++) {
        if (placed[i] != (assignment->bus->frames[i].period_ns > 0)) {
            fprintf(stderr, "bus %" PRIu64 ": frame %zu\n", bus, i);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t buses = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    long counts[4] = {0, 0, 0, 0};

    for (uint64_t number = 0; number < buses; number++) {
        struct takt_analysis_can_frame frames[FRAMES];
        struct takt_analysis_can_need needs[FRAMES];
        struct takt_analysis_can_slot slots[SLOTS];
        struct takt_analysis_can_assign_work work[FRAMES];
        struct takt_analysis_can_work streams[FRAMES];
        uint32_t occupants[SLOTS];
        enum takt_analysis_verdict verdict;
        struct takt_analysis_can_bus bus = {.frames = frames, .bit_ns = 1, .iterations = 200};
        struct takt_analysis_can_assignment assignment = {
            .bus = &bus, .needs = needs, .slots = slots, .most = {1, 1}, .below = false};

        state = number;
        bus.frame_count = between(0, FRAMES);
        assignment.slot_count = between(0, SLOTS);
        assignment.choice = (enum takt_analysis_can_choice)between(0, 3);
        if (between(0, 7) == 0) {
            assignment.most = (struct takt_analysis_can_share){absurd(), absurd()};
            assignment.below = between(0, 1);
        }
        if (between(0, 3) == 0) {
            bus.errors = (struct takt_analysis_can_errors){(uint32_t)between(0, 3), absurd(), absurd() / 8, 31};
        }
        for (size_t i = 0; i < bus.frame_count; i++) {
            frames[i] = (struct takt_analysis_can_frame){between(0, 9) ? between(40, 160) : absurd(), absurd(),
                                                         between(0, 2) ? 0 : absurd()};
            needs[i] = (struct takt_analysis_can_need){absurd(), (uint32_t)between(0, 1)};
        }
        if (bus.frame_count > 0 && between(0, 3) == 0) {
            frames[bus.frame_count - 1].period_ns = 0;
        }
        for (size_t i = 0; i < assignment.slot_count; i++) {
            slots[i].kind = (uint32_t)between(0, 2);
            slots[i].holder = between(0, 1) ? TAKT_ANALYSIS_CAN_NONE : (uint32_t)between(0, bus.frame_count);
        }
        if (takt_analysis_can_assign(&assignment, work, streams, occupants, &verdict) != TAKT_ANALYSIS_OK) {
            counts[3]++;
            continue;
        }
        counts[verdict]++;
        if (verdict == TAKT_ANALYSIS_FEASIBLE) {
            check(&assignment, occupants, number);
        }
    }
    printf("%ld %ld %ld %ld\n", counts[0], counts[1], counts[2], counts[3]);
    return 0;
}
