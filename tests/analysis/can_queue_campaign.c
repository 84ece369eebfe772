/* SPDX-License-Identifier: Apache-2.0 */
/* Hold the analysis of CAN buses with queues of all kinds against the simulator, which searches the worst case of each
 * frame: from what the analysis takes for it, by changes that make the response no shorter.
 *
 * can_queue_campaign MODE BUSES SEED TRIES; prints counts as JSON. MODE: priority, fifo, buffers, abortable, mixed,
 * errors. The first response above its bound is printed with all arrivals; exit 1. The bus of a seed depends on nothing
 * else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "can_campaign.h"
#include "can_queues.h"
#include "can_simulator.h"
#include "takt/analysis_can.h"

struct counts {
    long buses, bounds, several, unbounded, limit, beyond; /* beyond: later than a queue by priority would allow */
    long shares[CAN_SHARES];                               /* observed / bound in thousandths */
};

struct judged {
    struct queue_bus bus;
    uint64_t bounds[QUEUE_FRAMES], by_priority[QUEUE_FRAMES];
    enum takt_analysis_status statuses[QUEUE_FRAMES], statuses_by_priority[QUEUE_FRAMES];
    long observed[QUEUE_FRAMES];
};

static uint64_t number; /* of the bus */

static enum queue_kind kind_of(const char *mode, uint64_t *seed)
{
    static const char *const modes[] = {"priority", "fifo", "buffers", "abortable"};

    for (int i = 0; i < 4; i++) {
        if (strcmp(mode, modes[i]) == 0 && can_between(seed, 0, 3) > 0) {
            return (enum queue_kind)i;
        }
    }
    return strcmp(mode, "mixed") == 0 || strcmp(mode, "errors") == 0 ? (enum queue_kind)can_between(seed, 0, 3)
                                                                     : QUEUE_PRIORITY;
}

static void make_bus(struct queue_bus *bus, const char *mode, uint64_t *seed)
{
    long load = can_between(seed, 250, 980);
    bool jitters = can_between(seed, 0, 1), alike = can_between(seed, 0, 1);

    memset(bus, 0, sizeof *bus);
    bus->frame_count = (int)can_between(seed, 3, 12);
    bus->node_count = (int)can_between(seed, 2, 4);
    bus->bit = can_between(seed, 0, 1) ? 1 : can_between(seed, 2, 8);
    for (int i = 0; i < bus->node_count; i++) {
        bus->nodes[i].kind = kind_of(mode, seed);
        bus->nodes[i].buffers = (int)can_between(seed, 1, 3);
        bus->nodes[i].abort = can_between(seed, 0, 1) ? 0 : can_between(seed, 1, 200) * bus->bit;
    }
    for (int i = 0; i < bus->frame_count; i++) {
        struct queue_frame *f = &bus->frames[i];
        long bits = alike ? 135 : can_between(seed, 47, 160);

        f->send = bits * bus->bit;
        f->period = f->send * bus->frame_count * can_between(seed, 300, 3000) / load;
        f->jitter = !jitters || can_between(seed, 0, 1) ? 0
                    : can_between(seed, 0, 3)           ? can_between(seed, 0, f->period / 4)
                                                        : can_between(seed, 0, 2 * f->period);
        f->node = (int)can_between(seed, 0, bus->node_count - 1);
    }
    if (strcmp(mode, "errors") == 0) {
        bus->error_cost = can_between(seed, 20, 31) * bus->bit;
        bus->error_distance = can_between(seed, 1000, 20000) * bus->bit;
    }
}

static void judge(struct judged *j)
{
    static const enum takt_analysis_can_queue queues[] = {TAKT_ANALYSIS_CAN_PRIORITY, TAKT_ANALYSIS_CAN_FIFO,
                                                          TAKT_ANALYSIS_CAN_BUFFERS, TAKT_ANALYSIS_CAN_ABORTABLE};
    struct takt_analysis_can_frame frames[QUEUE_FRAMES];
    struct takt_analysis_can_work work[QUEUE_FRAMES];
    struct takt_analysis_can_sender senders[QUEUE_NODES];
    struct takt_analysis_can_bus bus = {
        .frames = frames,
        .frame_count = (size_t)j->bus.frame_count,
        .bit_ns = (uint64_t)j->bus.bit,
        .iterations = 100000,
        .senders = senders,
        .sender_count = (size_t)j->bus.node_count,
        .errors = {.count = j->bus.error_distance > 0,
                   .distance_ns = (uint64_t)j->bus.error_distance,
                   .cost_ns = (uint64_t)j->bus.error_cost},
    };

    for (int i = 0; i < j->bus.node_count; i++) {
        const struct queue_node *node = &j->bus.nodes[i];

        senders[i] =
            (struct takt_analysis_can_sender){queues[node->kind], (uint32_t)node->buffers, (uint64_t)node->abort};
    }
    for (int i = 0; i < j->bus.frame_count; i++) {
        const struct queue_frame *f = &j->bus.frames[i];

        frames[i] = (struct takt_analysis_can_frame){(uint64_t)f->send, (uint64_t)f->period, (uint64_t)f->jitter,
                                                     (uint32_t)f->node};
    }
    if (takt_analysis_can_responses(&bus, work, j->bounds, j->statuses) != TAKT_ANALYSIS_OK) {
        fprintf(stderr, "bus %" PRIu64 " was called invalid\n", number);
        exit(1);
    }
    bus.sender_count = 0;
    (void)takt_analysis_can_responses(&bus, work, j->by_priority, j->statuses_by_priority);
}

static void refuse(const struct judged *j, int frame, const struct queue_run *run)
{
    fprintf(stderr, "bus %" PRIu64 ": frame %d is later than its bound; bit %ld, errors %ld %ld from %" PRId64 "\n",
            number, frame, j->bus.bit, j->bus.error_cost, j->bus.error_distance, run->errors_from);
    for (int i = 0; i < j->bus.node_count; i++) {
        const struct queue_node *n = &j->bus.nodes[i];

        fprintf(stderr, "  node %d: kind %d, buffers %d, abort %ld\n", i, (int)n->kind, n->buffers, n->abort);
    }
    for (int i = 0; i < j->bus.frame_count; i++) {
        const struct queue_frame *f = &j->bus.frames[i];
        const struct queue_arrivals *a = &run->arrivals[i];

        fprintf(stderr, "  %d: C %ld T %ld J %ld node %d, bound %" PRIu64 " observed %ld", i, f->send, f->period,
                f->jitter, f->node, j->bounds[i], j->observed[i]);
        if (a->first != QUEUE_NEVER) {
            fprintf(stderr, "; first %" PRId64 " lag %ld later %ld order %d joins %d", a->first, a->lag, a->later,
                    a->order, a->joins);
        }
        fprintf(stderr, "\n");
    }
    exit(1);
}

static void play(struct judged *j, const struct queue_run *run, struct queue_seen *seen)
{
    long responses[QUEUE_FRAMES];

    queue_play(&j->bus, run, responses, seen);
    for (int i = 0; i < j->bus.frame_count; i++) {
        j->observed[i] = j->observed[i] < responses[i] ? responses[i] : j->observed[i];
        if (j->statuses[i] == TAKT_ANALYSIS_OK && (uint64_t)responses[i] > j->bounds[i]) {
            refuse(j, i, run);
        }
    }
}

/* The lowest frame that takes part: of a node with a queue by arrival the last, of one with buffers one of the last. */
static int lowest_of(const struct queue_bus *bus, int watched, uint64_t *seed)
{
    const struct queue_node *node = &bus->nodes[bus->frames[watched].node];
    int lowest = watched;

    for (int i = watched + 1; i < bus->frame_count && node->kind != QUEUE_PRIORITY; i++) {
        if (bus->frames[i].node == bus->frames[watched].node && (lowest == watched || can_between(seed, 0, 2) > 0)) {
            lowest = i;
        }
    }
    return lowest;
}

/* All that may delay the watched frame at 0, with its jitter behind it; the longest of what is below just before. */
static void critical(const struct queue_bus *bus, int lowest, struct queue_run *run)
{
    int watched = run->watched, node = bus->frames[watched].node, blocker = -1;

    for (int i = 0; i < bus->frame_count; i++) {
        const struct queue_frame *f = &bus->frames[i];
        struct queue_arrivals *a = &run->arrivals[i];
        bool own = f->node == node;
        bool counts = i <= lowest || (own && bus->nodes[node].kind == QUEUE_BUFFERS);

        *a = (struct queue_arrivals){.first = counts ? 0 : QUEUE_NEVER, .lag = f->jitter, .joins = !own};
        a->order = i == watched ? 2 * QUEUE_FRAMES : own ? QUEUE_FRAMES - i : 0;
        if (!counts && (blocker < 0 || bus->frames[blocker].send < f->send)) {
            blocker = i;
        }
    }
    run->arrivals[watched].later = bus->frames[watched].jitter;
    if (blocker >= 0) {
        run->arrivals[blocker].first = -1;
    }
    run->errors_from = 0;
}

/* A time near one at which something happened. */
static int64_t event(const struct queue_seen *seen, uint64_t *seed)
{
    int64_t time = can_between(seed, 0, 2) == 0 ? seen->queued : seen->started;

    if (seen->start_count > 0 && can_between(seed, 0, 1)) {
        time = seen->starts[can_between(seed, 0, seen->start_count - 1)];
    }
    return time + can_between(seed, -1, 1);
}

/* A change of one frame's arrivals, or of the errors. */
static void change(const struct judged *j, const struct queue_seen *seen, struct queue_run *run, uint64_t *seed)
{
    int i = (int)can_between(seed, 0, j->bus.frame_count - 1);
    const struct queue_frame *f = &j->bus.frames[i];
    struct queue_arrivals *a = &run->arrivals[i];
    long span = (long)j->bounds[run->watched];

    switch (can_between(seed, 0, 9)) {
    case 0:
        a->first = QUEUE_NEVER;
        break;
    case 1:
        a->first = can_between(seed, -span, span);
        break;
    case 2:
        a->lag = a->lag == f->jitter ? 0 : f->jitter;
        break;
    case 3:
        a->later = a->later == f->jitter ? 0 : f->jitter;
        break;
    case 4:
        a->order = (int)can_between(seed, -QUEUE_FRAMES, 3 * QUEUE_FRAMES);
        break;
    case 5:
        a->first = (a->first == QUEUE_NEVER ? 0 : a->first) + (can_between(seed, 0, 1) ? f->period : -f->period);
        break;
    case 6:
        run->errors_from = event(seen, seed);
        break;
    default:
        a->first = event(seen, seed);
    }
}

/* True if the watched frame comes, and all within the time that matters. */
static bool usable(const struct judged *j, const struct queue_run *run)
{
    int64_t span = 2 * (int64_t)j->bounds[run->watched];

    for (int i = 0; i < j->bus.frame_count; i++) {
        int64_t first = run->arrivals[i].first;

        if (first != QUEUE_NEVER && (first < -span || first > span)) {
            return false;
        }
    }
    return run->arrivals[run->watched].first != QUEUE_NEVER;
}

static void search(struct judged *j, int watched, long tries, uint64_t *seed)
{
    struct queue_run best = {.watched = watched, .end = 2 * (int64_t)j->bounds[watched]};
    struct queue_seen shown = {.response = -1};
    long since = 0;

    for (long k = 0; k < tries && (uint64_t)shown.response != j->bounds[watched]; k++) {
        struct queue_run next = best;
        struct queue_seen seen;

        if (k < 4 || since > tries / 3) {
            critical(&j->bus, k == 0 ? watched : lowest_of(&j->bus, watched, seed), &next);
            shown.response = k < 4 ? shown.response : -1;
            since = 0;
        } else {
            for (long changes = can_between(seed, 1, 3); changes > 0; changes--) {
                change(j, &shown, &next, seed);
            }
        }
        if (!usable(j, &next)) {
            continue;
        }
        play(j, &next, &seen);
        since = seen.response > shown.response ? 0 : since + 1;
        if (seen.response >= shown.response) {
            best = next;
            shown = seen;
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
            counts->beyond +=
                j->statuses_by_priority[i] == TAKT_ANALYSIS_OK && (uint64_t)j->observed[i] > j->by_priority[i];
            counts->shares[(uint64_t)j->observed[i] * 1000 / j->bounds[i]]++;
        }
        counts->unbounded += j->statuses[i] == TAKT_ANALYSIS_UNBOUNDED;
        counts->limit += j->statuses[i] == TAKT_ANALYSIS_LIMIT;
    }
}

int main(int argc, char **argv)
{
    static struct counts counts;
    const struct can_arguments asked = can_arguments_of(argc, argv);

    for (number = asked.first; number < asked.first + (uint64_t)asked.buses; number++) {
        uint64_t seed = number;
        struct judged j = {.bounds = {0}};

        make_bus(&j.bus, asked.mode, &seed);
        judge(&j);
        for (int i = 0; i < j.bus.frame_count; i++) {
            if (j.statuses[i] == TAKT_ANALYSIS_OK) {
                search(&j, i, asked.tries, &seed);
            }
        }
        count(&counts, &j);
    }
    printf("{\"buses\": %ld, \"bounds\": %ld, \"several\": %ld, \"beyond\": %ld, \"unbounded\": %ld, \"limit\": %ld, "
           "\"tenth\": %d, \"quarter\": %d, \"median\": %d}\n",
           counts.buses, counts.bounds, counts.several, counts.beyond, counts.unbounded, counts.limit,
           can_quantile(counts.shares, 10), can_quantile(counts.shares, 25), can_quantile(counts.shares, 50));
    return 0;
}
