/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_clock.h"

enum { SEGMENT_MAX = 128, PPM = 1000000, LONGEST_RUN = 10, FLAG_BITS = 13 };

static bool is_segment(uint8_t quanta)
{
    return quanta >= 1 && quanta <= SEGMENT_MAX;
}

static uint32_t shorter_phase(const struct takt_can_timing *timing)
{
    return timing->phase1 < timing->phase2 ? timing->phase1 : timing->phase2;
}

bool takt_can_timing_is_valid(const struct takt_can_timing *timing)
{
    bool segments = is_segment(timing->propagation) && is_segment(timing->phase1) && is_segment(timing->phase2);
    return segments && timing->jump >= 1 && timing->jump <= shorter_phase(timing);
}

uint32_t takt_can_timing_quanta(const struct takt_can_timing *timing)
{
    return 1u + timing->propagation + timing->phase1 + timing->phase2;
}

uint32_t takt_can_timing_tolerance_ppm(const struct takt_can_timing *timing)
{
    uint32_t bit = takt_can_timing_quanta(timing);
    uint32_t by_jump = (uint32_t)timing->jump * PPM / (2 * LONGEST_RUN * bit);
    uint32_t by_flag = (shorter_phase(timing) - 1) * PPM / (2 * (FLAG_BITS * bit - timing->phase2));
    return by_jump < by_flag ? by_jump : by_flag;
}

/* Begins a bit. */
static void begin(struct takt_can_clock *clock)
{
    clock->at = 0;
    clock->sample_at = (uint16_t)(1 + clock->timing.propagation + clock->timing.phase1);
    clock->end = (uint16_t)takt_can_timing_quanta(&clock->timing);
    clock->sampled = false;
    clock->starts = true;
}

/* Whether an edge begins the bit anew, whatever the phase error is. */
static bool is_hard(const struct takt_can_node *node)
{
    return node->phase == TAKT_CAN_INTEGRATING || node->phase == TAKT_CAN_IDLE || node->phase == TAKT_CAN_SUSPENDED ||
           node->phase == TAKT_CAN_OFF || (node->phase == TAKT_CAN_IN_INTERMISSION && node->count > 0);
}

/* An edge was in the quantum that ends now: it is to be the first one of its bit. */
static void synchronize(struct takt_can_clock *clock, const struct takt_can_node *node)
{
    uint16_t late = clock->at, early = clock->end - clock->at, jump = clock->timing.jump;
    clock->synchronized = true;
    if (is_hard(node)) {
        bool had_begun = !clock->sampled;
        begin(clock);
        clock->starts = !had_begun; /* what the node sends in a bit is decided once */
    } else if (clock->sampled) {
        if (early <= jump) {
            begin(clock);
        } else {
            clock->end -= jump;
        }
    } else {
        clock->sample_at += late < jump ? late : jump;
        clock->end += late < jump ? late : jump;
    }
}

/* The end of a quantum: what the node sees of the bus. True: it sampled. */
static bool look(struct takt_can_clock *clock, struct takt_can_node *node, bool level, unsigned *events)
{
    bool edge = clock->seen && !level;
    clock->seen = level;
    clock->starts = false;
    if (edge && clock->recessive && !clock->synchronized) {
        synchronize(clock, node);
    }
    clock->at++;
    if (clock->at == clock->end) {
        begin(clock);
    }
    if (clock->sampled || clock->at != clock->sample_at) {
        return false;
    }
    clock->sampled = true;
    clock->recessive = level;
    clock->synchronized = false;
    *events = takt_can_node_sample(node, level);
    return true;
}

void takt_can_clocks_start(struct takt_can_clocks *bus)
{
    bus->now_fs = 0;
    bus->level = true;
    for (uint32_t i = 0; i < bus->count; i++) {
        struct takt_can_clock *clock = &bus->clocks[i];
        begin(clock);
        clock->at = (uint16_t)(clock->end - 1); /* the quantum before its first bit */
        clock->sampled = clock->recessive = clock->seen = true;
        clock->synchronized = false;
    }
}

uint64_t takt_can_clocks_step(struct takt_can_clocks *bus)
{
    uint64_t now = UINT64_MAX, ended = 0, sampled = 0;
    for (uint32_t i = 0; i < bus->count; i++) {
        now = bus->clocks[i].next_fs < now ? bus->clocks[i].next_fs : now;
    }
    bus->now_fs = now;
    for (uint32_t i = 0; i < bus->count; i++) { /* all look before any of them sends */
        struct takt_can_clock *clock = &bus->clocks[i];
        if (clock->next_fs == now) {
            clock->next_fs += clock->quantum_fs;
            ended |= UINT64_C(1) << i;
            sampled |= (uint64_t)look(clock, &bus->nodes[i], bus->level, &bus->events[i]) << i;
        }
    }
    bool level = true;
    for (uint32_t i = 0; i < bus->count; i++) {
        if ((ended >> i & 1) != 0 && bus->clocks[i].starts) {
            (void)takt_can_node_drive(&bus->nodes[i]);
        }
        level &= bus->nodes[i].driven;
    }
    bus->level = level;
    return sampled;
}
