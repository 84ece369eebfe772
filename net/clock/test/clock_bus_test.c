/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks on a CAN bus, bit by bit, among other traffic that fills it: ticks and follow-ups wait for arbitration, and
 * the wire has errors, so that frames are sent again. Time stamps are those of the frames' ends.
 */
#include "base/arith.h"
#include "base/test/check.h"
#include "net/can/test/random_frame.h"
#include "takt/analysis_clock.h"
#include "takt/can_bus.h"
#include "takt/clock.h"

enum { NODES = 5, MASTERS = 3, BIT_NS = 2000, REACT_BITS = 20, TICK_ID = 0x10, FOLLOW_UP_ID = 0x20, OTHER = NODES };
enum { US = 1000, MS = 1000000 };

/* A node: its counter has run evenly from bit 0 on. */
struct peer {
    struct takt_clock clock;
    int32_t ppm;
    uint64_t local_ns;
    struct takt_can_frame frame; /* that it offers */
    uint32_t react;              /* bits until it has looked at the last frame */
    bool received, sent;
    struct takt_can_frame last; /* the last frame of the clock's */
    uint64_t stamp_ns;
    uint64_t read_ns;
    bool dead;
};

static struct peer peers[NODES];
static struct takt_can_node nodes[NODES + 1];
static struct takt_can_bus bus = {.nodes = nodes, .count = NODES + 1};
static struct takt_can_frame other;
static uint64_t state, bits, ends;
static uint64_t widest, waited_max, queued_at;
static struct takt_analysis_clock_bounds bounds;
static struct takt_clock_config config;

static uint64_t local(const struct peer *peer)
{
    return peer->local_ns + bits * BIT_NS + (uint64_t)((int64_t)(bits * BIT_NS) * peer->ppm / 1000000);
}

/* What a driver does: it offers what the clock has, the follow-up last. */
static void offer(uint32_t i)
{
    struct peer *peer = &peers[i];
    struct takt_clock_offers offers = takt_clock_offers(&peer->clock);
    if (nodes[i].sending != NULL) {
        return;
    }
    if (peer->sent || (!offers.tick && !offers.follow_up)) { /* it was sent, and the clock does not know yet */
        takt_can_node_offer(&nodes[i], NULL);
        return;
    }
    uint8_t length = offers.tick ? TAKT_CLOCK_TICK_BYTES : TAKT_CLOCK_FOLLOW_UP_BYTES;
    peer->frame = (struct takt_can_frame){.shape = {.dlc = length}, .id = (offers.tick ? TICK_ID : FOLLOW_UP_ID) + i};
    memcpy(peer->frame.data, offers.tick ? offers.tick_bytes : offers.follow_up_bytes, length);
    if (offers.tick && nodes[i].pending == NULL) {
        queued_at = bits;
    }
    takt_can_node_offer(&nodes[i], &peer->frame);
}

/* The interrupt for a frame that has ended, REACT_BITS later at most. */
static void serve(uint32_t i)
{
    struct peer *peer = &peers[i];
    uint32_t id = peer->last.id;
    if (id >= FOLLOW_UP_ID && peer->sent) {
        takt_clock_follow_up_sent(&peer->clock);
    } else if (id >= FOLLOW_UP_ID) {
        takt_clock_follow_up(&peer->clock, (uint8_t)(id - FOLLOW_UP_ID), peer->last.data, peer->last.shape.dlc,
                             local(peer));
    } else {
        takt_clock_tick(&peer->clock, (uint8_t)(id - TICK_ID), peer->last.data, peer->last.shape.dlc, peer->stamp_ns);
    }
    peer->received = peer->sent = false;
}

static void take(uint32_t i, const struct takt_can_frame *frame, bool own)
{
    struct peer *peer = &peers[i];
    bool is_tick = frame->id >= TICK_ID && frame->id < TICK_ID + MASTERS;
    bool is_follow_up = frame->id >= FOLLOW_UP_ID && frame->id < FOLLOW_UP_ID + MASTERS;
    if ((!is_tick && !is_follow_up) || peer->dead) {
        return;
    }
    CHECK(!peer->received && !peer->sent); /* it was fast enough */
    peer->last = *frame;
    peer->stamp_ns = local(peer); /* at once, in the bit of its end */
    peer->received = !own;
    peer->sent = own;
    peer->react = (uint32_t)(check_random(&state) % REACT_BITS);
    if (own && is_tick) {
        waited_max = bits - queued_at > waited_max ? bits - queued_at : waited_max;
        ends++;
    }
}

static void look(void)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        struct takt_clock_reading reading = takt_clock_read(&peers[i].clock, local(&peers[i]));
        CHECK(reading.time_ns >= peers[i].read_ns);
        peers[i].read_ns = reading.time_ns;
        if (reading.state != TAKT_CLOCK_UNSYNCHRONIZED && !peers[i].dead) {
            least = reading.time_ns < least ? reading.time_ns : least;
            most = reading.time_ns > most ? reading.time_ns : most;
        }
    }
    widest = most > least && most - least > widest ? most - least : widest;
}

static void step(uint32_t errors_per_million)
{
    bool disturbed = check_random(&state) % 1000000 < errors_per_million;
    if (nodes[OTHER].pending == NULL) { /* the bus is never idle for long */
        other = random_frame(&state);
        other.shape.fd = other.shape.brs = other.shape.extended = other.shape.remote = other.passive = false;
        other.shape.dlc = (uint8_t)(check_random(&state) % 9);
        other.id = check_random(&state) % 2 == 0 ? (uint32_t)(check_random(&state) % TICK_ID) : 0x100;
        takt_can_node_offer(&nodes[OTHER], check_random(&state) % 64 == 0 ? &other : NULL);
    }
    unsigned events = takt_can_bus_step(&bus, disturbed ? (UINT64_C(1) << (NODES + 1)) - 1 : 0);
    bits++;
    for (uint32_t i = 0; i < NODES; i++) {
        struct peer *peer = &peers[i];
        if ((events & (TAKT_CAN_RECEIVED | TAKT_CAN_TRANSMITTED)) != 0 && (bus.events[i] & TAKT_CAN_RECEIVED) != 0) {
            take(i, &nodes[i].parser.frame, false);
        } else if ((bus.events[i] & TAKT_CAN_TRANSMITTED) != 0) {
            take(i, &nodes[i].sent, true);
        }
        if ((peer->received || peer->sent) && peer->react-- == 0) {
            serve(i);
        }
        if (!peer->dead && local(peer) >= takt_clock_due(&peer->clock)) {
            takt_clock_timer(&peer->clock, local(peer));
        }
        if (!peer->dead) {
            offer(i);
        } else {
            takt_can_node_offer(&nodes[i], NULL);
        }
    }
    if (events != 0 || bits % 64 == 0) {
        look();
    }
}

static void run(uint64_t ms, uint32_t errors_per_million)
{
    for (uint64_t until = bits + ms * MS / BIT_NS; bits < until;) {
        step(errors_per_million);
    }
}

static void begin(uint64_t seed)
{
    state = seed;
    bits = widest = waited_max = ends = 0;
    /* A tick waits for one frame of 111 + 24 bits and for those of other nodes above it; twice with an error. */
    struct takt_analysis_clock needs = {.interval_ns = 10 * MS,
                                        .tick_ns = 4 * MS,
                                        .follow_up_ns = 5 * MS,
                                        .stamp_ns = BIT_NS,
                                        .drift_ppm = 100,
                                        .slew_ppm = 1000,
                                        .lost = 0,
                                        .masters = MASTERS};
    CHECK(takt_analysis_clock(&needs, &bounds) == TAKT_ANALYSIS_OK);
    config = (struct takt_clock_config){needs.interval_ns,
                                        needs.follow_up_ns,
                                        bounds.silence_ns,
                                        bounds.stagger_ns,
                                        bounds.holdover_ns,
                                        bounds.settle_ns,
                                        bounds.accept_ns,
                                        needs.stamp_ns,
                                        needs.drift_ppm,
                                        needs.slew_ppm,
                                        MASTERS};
    memset(nodes, 0, sizeof nodes);
    for (uint32_t i = 0; i <= NODES; i++) {
        takt_can_node_init(&nodes[i]);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        peers[i] = (struct peer){.ppm = i % 2 == 0 ? 100 : -100, .local_ns = check_random(&state) % (1000 * MS)};
        takt_clock_start(&peers[i].clock, &config, i < MASTERS ? (uint8_t)i : TAKT_CLOCK_NO_RANK,
                         (struct takt_clock_point){peers[i].local_ns, 1000});
    }
}

static void test_clocks_among_other_traffic(uint64_t seed, uint32_t errors_per_million)
{
    begin(seed);
    run(300, errors_per_million);
    for (uint32_t i = 0; i < NODES; i++) {
        CHECK_EQUAL(takt_clock_read(&peers[i].clock, local(&peers[i])).state, TAKT_CLOCK_SYNCHRONIZED);
    }
    peers[0].dead = true;
    run(300, errors_per_million);
    for (uint32_t i = 1; i < NODES; i++) {
        CHECK_EQUAL(takt_clock_master(&peers[i].clock), 1);
        CHECK_EQUAL(takt_clock_read(&peers[i].clock, local(&peers[i])).state, TAKT_CLOCK_SYNCHRONIZED);
    }
    CHECK(ends > 40);
    CHECK(waited_max * BIT_NS > bounds.precision_ns); /* a tick alone would be later than all that */
    CHECK(widest <= bounds.precision_ns);
    printf("seed %llu: widest %llu ns of %llu, a tick was up to %llu ns late\n", (unsigned long long)seed,
           (unsigned long long)widest, (unsigned long long)bounds.precision_ns,
           (unsigned long long)(waited_max * BIT_NS));
}

int main(void)
{
    unsigned long cases = check_cases(1);
    for (unsigned long i = 0; i < cases; i++) {
        test_clocks_among_other_traffic(check_seed() + i, i % 2 == 0 ? 300 : 0);
    }
    return 0;
}
