/* SPDX-License-Identifier: Apache-2.0 */
/* Hold the analysis of a CAN bus against the simulator over random buses; or ask it about absurd ones.
 *
 * can_campaign MODE BUSES SEED; prints counts as JSON. MODE: plain, errors, wild. The first response above its bound is
 * printed with its seed; exit 1. The bus of a seed depends on nothing else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "can_campaign.h"
#include "can_simulator.h"
#include "takt/analysis_can.h"

#define RUNS 6
#define SENDERS 4

struct counts {
    long buses, bounds, unbounded, several, limit, overflow, invalid;
    long shares[CAN_SHARES]; /* observed / bound in thousandths */
};

struct judged {
    struct can_bus bus;
    uint64_t bounds[CAN_FRAMES];
    enum takt_analysis_status statuses[CAN_FRAMES];
    long observed[CAN_FRAMES];
};

static uint64_t number; /* of the bus */

static void make_bus(struct can_bus *bus, uint64_t *seed, bool errors)
{
    long bits[CAN_FRAMES], load = can_between(seed, 300, 1050);
    bool jitters = can_between(seed, 0, 1), rest = can_between(seed, 0, 3) == 0;

    memset(bus, 0, sizeof *bus);
    bus->frame_count = (int)can_between(seed, 2, CAN_FRAMES);
    bus->bit = can_between(seed, 0, 1) ? 1 : can_between(seed, 2, 8);
    for (int i = 0; i < bus->frame_count; i++) {
        struct can_sender *f = &bus->frames[i];

        bits[i] = can_between(seed, 0, 1) ? 135 : can_between(seed, 47, 160);
        f->send = bits[i] * bus->bit;
        f->period = f->send * bus->frame_count * can_between(seed, 300, 3000) / load;
        f->jitter = !jitters || can_between(seed, 0, 1) ? 0
                    : can_between(seed, 0, 3)           ? can_between(seed, 0, f->period / 4)
                                                        : can_between(seed, 0, 2 * f->period);
    }
    if (rest) {
        bus->frames[bus->frame_count - 1].period = 0;
        bus->frames[bus->frame_count - 1].jitter = 0;
    }
    if (errors) {
        bus->error_count = (int)can_between(seed, 1, 3);
        bus->error_cost = can_between(seed, 20, 31) * bus->bit;
        bus->error_distance = can_between(seed, 2000, 20000) * bus->bit;
        bus->error_burst = can_between(seed, 0, 1) ? 0 : can_between(seed, 0, 2000) * bus->bit;
    }
}

static void judge(struct judged *j)
{
    struct takt_analysis_can_frame frames[CAN_FRAMES];
    struct takt_analysis_can_work work[CAN_FRAMES];
    const struct takt_analysis_can_bus bus = {
        .frames = frames,
        .frame_count = (size_t)j->bus.frame_count,
        .bit_ns = (uint64_t)j->bus.bit,
        .errors = {.count = (uint32_t)j->bus.error_count,
                   .distance_ns = (uint64_t)j->bus.error_distance,
                   .burst_ns = (uint64_t)j->bus.error_burst,
                   .cost_ns = (uint64_t)j->bus.error_cost},
        .iterations = 1000000,
    };

    for (int i = 0; i < j->bus.frame_count; i++) {
        frames[i].send_ns = (uint64_t)j->bus.frames[i].send;
        frames[i].period_ns = (uint64_t)j->bus.frames[i].period;
        frames[i].jitter_ns = (uint64_t)j->bus.frames[i].jitter;
    }
    if (takt_analysis_can_responses(&bus, work, j->bounds, j->statuses) != TAKT_ANALYSIS_OK) {
        fprintf(stderr, "bus %" PRIu64 " was called invalid\n", number);
        exit(1);
    }
}

static void refuse(const struct judged *j, int frame, const struct can_run *run)
{
    fprintf(stderr, "bus %" PRIu64 ": frame %d is later than its bound; focus %d, pattern %d, bit %ld\n", number, frame,
            run->focus, (int)run->pattern, j->bus.bit);
    for (int i = 0; i < j->bus.frame_count; i++) {
        const struct can_sender *f = &j->bus.frames[i];

        fprintf(stderr, "  %d: C %ld T %ld J %ld node %d, bound %" PRIu64 " observed %ld\n", i, f->send, f->period,
                f->jitter, f->node, j->bounds[i], j->observed[i]);
    }
    exit(1);
}

static void play(struct judged *j, const struct can_run *run)
{
    long responses[CAN_FRAMES];

    can_simulate(&j->bus, run, responses);
    for (int i = 0; i < j->bus.frame_count; i++) {
        j->observed[i] = j->observed[i] < responses[i] ? responses[i] : j->observed[i];
        if (j->statuses[i] == TAKT_ANALYSIS_OK && (uint64_t)j->observed[i] > j->bounds[i]) {
            refuse(j, i, run);
        }
    }
}

static int longest_below(const struct can_bus *bus, int frame)
{
    int longest = -1;

    for (int i = frame + 1; i < bus->frame_count; i++) {
        longest = longest < 0 || bus->frames[longest].send < bus->frames[i].send ? i : longest;
    }
    return longest;
}

/* The worst that is known, and what else may be: for each frame the synchronous release, and random offsets. */
static void observe(struct judged *j, uint64_t *seed)
{
    for (int i = 0; i < j->bus.frame_count; i++) {
        long end = j->statuses[i] == TAKT_ANALYSIS_OK ? 2 * (long)j->bounds[i] : 100000;

        end = end > 400000 * j->bus.bit ? 400000 * j->bus.bit : end;
        for (int k = 0; k < RUNS; k++) {
            const struct can_run run = {
                .pattern = k < 2 ? CAN_CRITICAL : CAN_RANDOM,
                .focus = i,
                .blocker = k == 5 ? -1 : longest_below(&j->bus, i),
                .shorter = k == 4,
                .end = end,
                .seed = can_random(seed),
            };

            play(j, &run);
        }
    }
}

static void count(struct counts *counts, const struct judged *j)
{
    counts->buses++;
    for (int i = 0; i < j->bus.frame_count; i++) {
        if (j->statuses[i] == TAKT_ANALYSIS_OK) {
            counts->bounds++;
            counts->several += j->bounds[i] > (uint64_t)(j->bus.frames[i].period + j->bus.frames[i].jitter);
            counts->shares[(uint64_t)j->observed[i] * 1000 / j->bounds[i]]++;
        }
        counts->unbounded += j->statuses[i] == TAKT_ANALYSIS_UNBOUNDED;
        counts->limit += j->statuses[i] == TAKT_ANALYSIS_LIMIT;
    }
}

/* A number of any size, in most cases one that is allowed. */
static uint64_t any(uint64_t *seed)
{
    uint64_t x = can_random(seed) >> can_between(seed, 0, 63);

    return can_between(seed, 0, 40) ? x >> 2 : x;
}

/* A bus of absurd numbers: whatever it is, the status says so, and a bound is no less than what it is made of. */
static void ask(struct counts *counts, uint64_t *seed)
{
    struct takt_analysis_can_frame frames[CAN_FRAMES];
    struct takt_analysis_can_work work[CAN_FRAMES];
    struct takt_analysis_can_sender senders[SENDERS];
    uint64_t bounds[CAN_FRAMES];
    enum takt_analysis_status statuses[CAN_FRAMES];
    bool errors = can_between(seed, 0, 1);
    const struct takt_analysis_can_bus bus = {
        .frames = frames,
        .frame_count = (size_t)can_between(seed, 0, CAN_FRAMES),
        .bit_ns = any(seed),
        .errors = {errors ? (uint32_t)any(seed) : 0, any(seed), any(seed), any(seed)},
        .iterations = (uint32_t)can_between(seed, 0, can_between(seed, 0, 1) ? 20 : 1000),
        .senders = senders,
        .sender_count = (size_t)can_between(seed, 0, SENDERS),
    };

    for (size_t i = 0; i < bus.sender_count; i++) {
        senders[i] = (struct takt_analysis_can_sender){
            .queue = (enum takt_analysis_can_queue)can_between(seed, 0, can_between(seed, 0, 20) ? 3 : 4),
            .buffers = (uint32_t)can_between(seed, can_between(seed, 0, 20) ? 1 : 0, 3),
            .abort_ns = any(seed),
        };
    }

    for (size_t i = 0; i < bus.frame_count; i++) {
        frames[i].send_ns = can_between(seed, 0, 20) ? takt_add(bus.bit_ns, any(seed)) : any(seed);
        frames[i].period_ns = can_between(seed, 0, 1) ? takt_multiply(frames[i].send_ns, 20) : any(seed);
        frames[i].jitter_ns = can_between(seed, 0, 1) ? 0 : any(seed);
        frames[i].sender = (uint32_t)can_between(seed, 0, SENDERS - 1);
        if (frames[i].sender >= bus.sender_count && can_between(seed, 0, 200)) {
            frames[i].sender = 0;
        }
    }
    counts->buses++;
    if (takt_analysis_can_responses(&bus, work, bounds, statuses) != TAKT_ANALYSIS_OK) {
        counts->invalid++;
        return;
    }
    for (size_t i = 0; i < bus.frame_count; i++) {
        counts->bounds += statuses[i] == TAKT_ANALYSIS_OK;
        counts->unbounded += statuses[i] == TAKT_ANALYSIS_UNBOUNDED;
        counts->limit += statuses[i] == TAKT_ANALYSIS_LIMIT;
        counts->overflow += statuses[i] == TAKT_ANALYSIS_OVERFLOW;
        if (statuses[i] == TAKT_ANALYSIS_OK && bounds[i] < frames[i].send_ns + frames[i].jitter_ns) {
            fprintf(stderr, "bus %" PRIu64 ", frame %zu: its bound is too small\n", number, i);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    static struct counts counts;
    const struct can_arguments asked = can_arguments_of(argc, argv);

    for (number = asked.first; number < asked.first + (uint64_t)asked.buses; number++) {
        uint64_t seed = number;
        struct judged j = {.bounds = {0}};

        if (strcmp(asked.mode, "wild") == 0) {
            ask(&counts, &seed);
            continue;
        }
        make_bus(&j.bus, &seed, strcmp(asked.mode, "errors") == 0);
        judge(&j);
        observe(&j, &seed);
        count(&counts, &j);
    }
    printf("{\"buses\": %ld, \"bounds\": %ld, \"unbounded\": %ld, \"several\": %ld, \"limit\": %ld, \"overflow\": %ld, "
           "\"invalid\": %ld, \"median\": %d}\n",
           counts.buses, counts.bounds, counts.unbounded, counts.several, counts.limit, counts.overflow, counts.invalid,
           can_quantile(counts.shares, 50));
    return 0;
}
