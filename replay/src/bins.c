/* SPDX-License-Identifier: Apache-2.0 */
/* The time so far in equal parts, each of a power of two of ns: what a lane used of each. When the time outgrows them,
 * each two become one. */
#include "reader.h"

static void halve(uint64_t *row)
{
    for (unsigned i = 0; i < TAKT_REPLAY_BINS; i++) {
        bool there = 2 * i < TAKT_REPLAY_BINS;
        row[i] = there ? row[2 * i] + row[2 * i + 1] : 0;
    }
}

/* Makes the bins so wide that `time_ns` is within. */
static void widen(struct takt_replay *replay, uint64_t time_ns)
{
    struct taktp_history *history = &replay->history;
    while (time_ns >> history->bin_shift >= TAKT_REPLAY_BINS) {
        for (uint32_t lane = 0; lane < replay->tasks + 2; lane++) {
            if (history->bins[lane] != NULL) {
                halve(history->bins[lane]);
            }
        }
        halve(history->begun);
        history->bin_shift++;
    }
    replay->totals.bin_ns = UINT64_C(1) << history->bin_shift;
}

void taktp_bins_begin(struct takt_replay *replay, uint64_t time_ns, uint64_t weight)
{
    widen(replay, time_ns);
    replay->history.begun[time_ns >> replay->history.bin_shift] += weight;
}

void taktp_bins_add(struct takt_replay *replay, const struct takt_replay_piece *one)
{
    uint32_t lane = one->actor == TAKT_REPLAY_INTERRUPTS ? replay->tasks : (uint32_t)one->actor;
    lane = one->actor == (int32_t)TAKT_TRACE_IDLE ? replay->tasks + 1 : lane;
    if (lane >= replay->tasks + 2 || (lane >= replay->tasks && one->actor >= 0 && one->actor != TAKT_TRACE_IDLE)) {
        return; /* a task that is not declared */
    }
    uint64_t **row = &replay->history.bins[lane];
    uint32_t capacity = 0;
    if (*row == NULL && !taktp_grow(replay, (void **)row, &capacity, TAKT_REPLAY_BINS, sizeof **row)) {
        return;
    }
    widen(replay, one->end_ns);
    unsigned shift = replay->history.bin_shift;
    uint64_t at_ns = one->start_ns;
    while (at_ns < one->end_ns) {
        uint64_t width_ns = UINT64_C(1) << shift, room_ns = width_ns - (at_ns & (width_ns - 1));
        uint64_t left_ns = one->end_ns - at_ns, part_ns = left_ns < room_ns ? left_ns : room_ns;
        (*row)[at_ns >> shift] += part_ns;
        at_ns += part_ns;
    }
}
