/* SPDX-License-Identifier: Apache-2.0 */
/* Hold the analysis of a CAN bus with offsets against a simulation that shares no code with it, and that searches for
 * each frame the phases of the nodes to each other that make it late.
 *
 * can_clock_campaign MODE BUSES SEED ROUNDS; prints counts as JSON. MODE: plain, errors, small (work space that does
 * not suffice), wild (absurd numbers, without a simulation). The first response above its bound is printed with its
 * seed; exit 1. The bus of a seed depends on nothing else.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "can_campaign.h"
#include "can_simulator.h"
#include "takt/analysis_can.h"

#define FRAMES 12
#define NODES 4
#define RELEASES 20000
#define STEPS 20000

struct frame {
    long send, period, jitter, offset;
    int node; /* frames of one node share its clock; -1: none */
};

struct bus {
    struct frame frames[FRAMES];
    int frame_count, node_count;
    long bit, error_distance, error_cost;
};

/* Of each node the time of its clock at 0, of each frame without one a time since its release. */
struct phases {
    long nodes[NODES], frames[FRAMES];
};

struct counts {
    long buses, bounds, gained, several, unbounded, limit, invalid;
    long shares[CAN_SHARES], shares_without[CAN_SHARES]; /* observed / bound in thousandths; without offsets */
};

struct judged {
    struct bus bus;
    uint64_t bounds[FRAMES], without[FRAMES];
    enum takt_analysis_status statuses[FRAMES], statuses_without[FRAMES];
    long observed[FRAMES];
};

static uint64_t number; /* of the bus */
static struct takt_analysis_can_release releases[RELEASES];
static struct takt_analysis_can_step steps[STEPS];

static void make_bus(struct bus *bus, bool errors, uint64_t *seed)
{
    static const long multiples[] = {1, 2, 4, 5, 10, 3};
    long load = can_between(seed, 300, 1030), kinds = can_between(seed, 1, 6), base = 0;
    bool jitters = can_between(seed, 0, 1), alike = can_between(seed, 0, 1), grid = can_between(seed, 0, 1);
    double sum = 0;

    memset(bus, 0, sizeof *bus);
    bus->frame_count = (int)can_between(seed, 3, FRAMES);
    bus->node_count = (int)can_between(seed, 1, NODES);
    bus->bit = can_between(seed, 0, 1) ? 1 : can_between(seed, 2, 8);
    for (int i = 0; i < bus->frame_count; i++) {
        struct frame *f = &bus->frames[i];

        f->send = (alike ? 135 : can_between(seed, 47, 160)) * bus->bit;
        f->period = multiples[can_between(seed, 0, kinds - 1)];
        f->node = can_between(seed, 0, 7) ? (int)can_between(seed, 0, bus->node_count - 1) : -1;
        sum += (double)f->send / (double)f->period;
    }
    base = (long)(sum * 1000.0 / (double)load) / 10 * 10 + 10;
    for (int i = 0; i < bus->frame_count; i++) {
        struct frame *f = &bus->frames[i];

        f->period *= base;
        f->offset = grid ? can_between(seed, 0, 20) * (base / 10) : can_between(seed, 0, 2 * f->period);
        f->jitter = !jitters || can_between(seed, 0, 1) ? 0
                    : can_between(seed, 0, 3)           ? can_between(seed, 0, f->period / 4)
                                                        : can_between(seed, 0, 2 * f->period);
    }
    if (errors) {
        bus->error_cost = can_between(seed, 20, 31) * bus->bit;
        bus->error_distance = can_between(seed, 1000, 20000) * bus->bit;
    }
}

static void judge(struct judged *j, bool small)
{
    struct takt_analysis_can_frame frames[FRAMES];
    struct takt_analysis_phase phases[FRAMES];
    struct takt_analysis_can_work work[FRAMES];
    struct takt_analysis_can_group groups[FRAMES];
    const struct takt_analysis_can_offsets space = {.frames = work,
                                                    .groups = groups,
                                                    .releases = releases,
                                                    .release_count = small ? (size_t)(number % 40) : RELEASES,
                                                    .steps = steps,
                                                    .step_count = small ? (size_t)(number / 40 % 60) : STEPS};
    const struct takt_analysis_can_bus bus = {
        .frames = frames,
        .frame_count = (size_t)j->bus.frame_count,
        .bit_ns = (uint64_t)j->bus.bit,
        .errors = {.count = j->bus.error_distance > 0,
                   .distance_ns = (uint64_t)j->bus.error_distance,
                   .cost_ns = (uint64_t)j->bus.error_cost},
        .iterations = small && number % 3 == 0 ? 30 : 1000000,
    };

    for (int i = 0; i < j->bus.frame_count; i++) {
        const struct frame *f = &j->bus.frames[i];

        frames[i] = (struct takt_analysis_can_frame){(uint64_t)f->send, (uint64_t)f->period, (uint64_t)f->jitter, 0};
        phases[i] = (struct takt_analysis_phase){(uint64_t)f->offset, (uint32_t)i};
        for (int k = 0; k < i; k++) {
            if (f->node >= 0 && j->bus.frames[k].node == f->node) {
                phases[i].group = (uint32_t)k;
                break;
            }
        }
    }
    if (takt_analysis_can_responses(&bus, work, j->without, j->statuses_without) != TAKT_ANALYSIS_OK ||
        takt_analysis_can_responses_with_offsets(&bus, phases, &space, j->bounds, j->statuses) != TAKT_ANALYSIS_OK) {
        fprintf(stderr, "bus %" PRIu64 " was called invalid\n", number);
        exit(1);
    }
}

static void refuse(const struct judged *j, int frame, const struct phases *phases, const char *what)
{
    fprintf(stderr, "bus %" PRIu64 ": frame %d %s; bit %ld, errors %ld %ld\n", number, frame, what, j->bus.bit,
            j->bus.error_cost, j->bus.error_distance);
    for (int i = 0; i < j->bus.frame_count; i++) {
        const struct frame *f = &j->bus.frames[i];

        fprintf(stderr,
                "  %d: C %ld T %ld J %ld O %ld node %d at %ld, bound %" PRIu64 " without %" PRIu64 " observed %ld\n", i,
                f->send, f->period, f->jitter, f->offset, f->node,
                f->node < 0 ? phases->frames[i] : phases->nodes[f->node], j->bounds[i], j->without[i], j->observed[i]);
    }
    exit(1);
}

/* First nominal release that may be queued at 0 or later, when its clock is at the given time. */
static long first_release(const struct frame *f, long clock)
{
    long nominal = f->offset - clock;

    while (nominal + f->jitter >= f->period) {
        nominal -= f->period;
    }
    while (nominal + f->jitter < 0) {
        nominal += f->period;
    }
    return nominal;
}

/* Play the bus from 0 on, when every instance that may still be queued then is queued, and later ones without jitter.
 * Returns the longest response of `focus`. */
static long play(struct judged *j, int focus, const struct phases *phases)
{
    const struct bus *bus = &j->bus;
    long nominal[FRAMES], time = 0, end = 3 * bus->frames[focus].period + 2 * (long)j->without[focus], longest = 0;
    long error_from = 0;

    for (int i = 0; i < bus->frame_count; i++) {
        const struct frame *f = &bus->frames[i];

        nominal[i] = first_release(f, f->node < 0 ? phases->frames[i] : phases->nodes[f->node]);
        if (i > focus && f->send - 1 > time) {
            time = f->send - 1; /* it has begun one unit before */
        }
    }
    while (time < end) {
        int chosen = -1;
        long soonest = end;

        for (int i = 0; i < bus->frame_count && chosen < 0; i++) {
            long queued = nominal[i] < 0 ? 0 : nominal[i];

            if (queued < time + (i < focus ? bus->bit : 1)) {
                chosen = i;
            }
            soonest = queued < soonest ? queued : soonest;
        }
        if (chosen < 0) {
            time = soonest;
            continue;
        }
        time += bus->frames[chosen].send;
        if (bus->error_distance > 0 && time >= error_from) {
            error_from = time + bus->error_distance;
            time += bus->error_cost;
            continue;
        }
        if (chosen <= focus &&
            j->observed[chosen] < time - nominal[chosen]) { /* to those below, that began is one more */
            j->observed[chosen] = time - nominal[chosen];
        }
        if (j->statuses[chosen] == TAKT_ANALYSIS_OK && (uint64_t)j->observed[chosen] > j->bounds[chosen]) {
            refuse(j, chosen, phases, "is later than its bound");
        }
        if (chosen == focus && longest < time - nominal[focus]) {
            longest = time - nominal[focus];
        }
        nominal[chosen] += bus->frames[chosen].period;
    }
    return longest;
}

/* A time of a node's clock at which some instance of the level is queued as late as may be; or any. */
static long some_time(const struct bus *bus, int node, int focus, uint64_t *seed)
{
    int first = (int)can_between(seed, 0, focus);

    for (int k = 0; k <= focus && can_between(seed, 0, 9); k++) {
        const struct frame *f = &bus->frames[(first + k) % (focus + 1)];

        if (f->node == node) {
            return f->offset + f->jitter + can_between(seed, 0, 60) * f->period;
        }
    }
    return can_between(seed, 0, 60 * bus->frames[0].period);
}

/* For each frame, change the phase of one node at a time, and keep what makes it no earlier. */
static void observe(struct judged *j, int rounds, uint64_t *seed)
{
    const struct bus *bus = &j->bus;

    for (int focus = 0; focus < bus->frame_count; focus++) {
        struct phases best;
        long longest = 0;

        if (j->statuses[focus] != TAKT_ANALYSIS_OK) {
            continue;
        }
        for (int i = 0; i < bus->frame_count; i++) { /* without a clock: queued at 0, as late as may be */
            best.frames[i] = bus->frames[i].offset + bus->frames[i].jitter;
        }
        for (int node = 0; node < NODES; node++) {
            best.nodes[node] = some_time(bus, node, focus, seed);
        }
        for (int k = 0; k < rounds && (uint64_t)longest < j->bounds[focus]; k++) {
            struct phases tried = best;
            long response;

            tried.nodes[can_between(seed, 0, bus->node_count - 1)] = 0;
            for (int node = 0; node < bus->node_count; node++) {
                if (tried.nodes[node] == 0 || can_between(seed, 0, 7) == 0) {
                    tried.nodes[node] = some_time(bus, node, focus, seed);
                }
            }
            response = play(j, focus, &tried);
            if (response >= longest) {
                longest = response;
                best = tried;
            }
        }
    }
}

static void count(struct counts *counts, const struct judged *j)
{
    const struct phases none = {.nodes = {0}};

    counts->buses++;
    for (int i = 0; i < j->bus.frame_count; i++) {
        if (j->statuses[i] != j->statuses_without[i] ||
            (j->statuses[i] == TAKT_ANALYSIS_OK && j->bounds[i] > j->without[i])) {
            refuse(j, i, &none, "is bounded worse than without offsets");
        }
        if (j->statuses[i] == TAKT_ANALYSIS_OK) {
            counts->bounds++;
            counts->gained += j->bounds[i] < j->without[i];
            counts->several += j->bounds[i] > (uint64_t)(j->bus.frames[i].period + j->bus.frames[i].jitter);
            counts->shares[(uint64_t)j->observed[i] * 1000 / j->bounds[i]]++;
            counts->shares_without[(uint64_t)j->observed[i] * 1000 / j->without[i]]++;
        }
        counts->unbounded += j->statuses[i] == TAKT_ANALYSIS_UNBOUNDED;
        counts->limit += j->statuses[i] == TAKT_ANALYSIS_LIMIT;
    }
}

/* A number of any size. */
static uint64_t any(uint64_t *seed)
{
    uint64_t x = can_random(seed) >> can_between(seed, 0, 63);

    return can_between(seed, 0, 60) ? x >> 2 : x;
}

/* A bus of absurd numbers: whatever it is, the status says so, and a bound is no less than what it is made of. */
static void ask(struct counts *counts, uint64_t *seed)
{
    struct takt_analysis_can_frame frames[FRAMES];
    struct takt_analysis_phase phases[FRAMES];
    struct takt_analysis_can_work work[FRAMES];
    struct takt_analysis_can_group groups[FRAMES];
    uint64_t bounds[FRAMES], most = can_between(seed, 0, 2) ? UINT64_C(1) << can_between(seed, 4, 40) : UINT64_MAX;
    enum takt_analysis_status statuses[FRAMES];
    const struct takt_analysis_can_offsets space = {
        work, groups, releases, (size_t)can_between(seed, 0, RELEASES), steps, (size_t)can_between(seed, 0, STEPS)};
    const struct takt_analysis_can_bus bus = {
        .frames = frames,
        .frame_count = (size_t)can_between(seed, 0, FRAMES),
        .bit_ns = 1,
        .iterations = (uint32_t)can_between(seed, 0, 2000),
    };

    for (size_t i = 0; i < bus.frame_count; i++) {
        frames[i].send_ns = any(seed) % most + 1;
        frames[i].period_ns = can_between(seed, 0, 1) ? frames[i].send_ns / 2 * 2 * (uint64_t)can_between(seed, 1, 60)
                                                      : any(seed) % most + 1;
        frames[i].jitter_ns = can_between(seed, 0, 1) ? 0 : any(seed) % most;
        frames[i].sender = 0;
        phases[i].offset_ns = any(seed) % most;
        phases[i].group =
            (uint32_t)(can_between(seed, 0, 40) ? can_between(seed, 0, (long)i) : can_between(seed, 0, 3));
        for (int k = 0; k < FRAMES && can_between(seed, 0, 60) && phases[i].group < i; k++) {
            phases[i].group = phases[phases[i].group].group;
        }
    }
    counts->buses++;
    if (takt_analysis_can_responses_with_offsets(&bus, phases, &space, bounds, statuses) != TAKT_ANALYSIS_OK) {
        counts->invalid++;
        return;
    }
    for (size_t i = 0; i < bus.frame_count; i++) {
        counts->bounds += statuses[i] == TAKT_ANALYSIS_OK;
        counts->unbounded += statuses[i] == TAKT_ANALYSIS_UNBOUNDED;
        counts->limit += statuses[i] == TAKT_ANALYSIS_LIMIT;
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
        make_bus(&j.bus, strcmp(asked.mode, "errors") == 0, &seed);
        judge(&j, strcmp(asked.mode, "small") == 0);
        observe(&j, (int)asked.tries, &seed);
        count(&counts, &j);
    }
    printf("{\"buses\": %ld, \"bounds\": %ld, \"gained\": %ld, \"several\": %ld, \"unbounded\": %ld, \"limit\": %ld, "
           "\"invalid\": %ld, \"median\": %d, \"median_without\": %d}\n",
           counts.buses, counts.bounds, counts.gained, counts.several, counts.unbounded, counts.limit, counts.invalid,
           can_quantile(counts.shares, 50), can_quantile(counts.shares_without, 50));
    return 0;
}
