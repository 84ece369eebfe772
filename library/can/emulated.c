/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CAN controllers of emulated boards and `host`: simulated ones on buses of their own, bit by bit, with another node
 * that plays all others. The simulation takes no time, and no stack of a task (takt_board_can_apart).
 *
 * The bus is as far as the time is, whenever the system looks at its controller. When its next interrupt will come
 * depends on what the system does until then, so it is looked for from the present state, which is restored afterwards;
 * and again after each call that changes what the controller does.
 */
#include "takt/board_can.h"

#include <string.h>

#include "library/can/emulated.h"
#include "library/can/faults.h"
#include "library/can/log.h"
#include "library/can/requests.h"
#include "takt/board.h"
#include "takt/time.h"

enum { SYSTEM = 0, OTHERS = 1, NODES = 2 };
#define SILENCE_NS TAKT_S(1) /* and the longest period of another message: then it interrupts although nothing came */
#define DISTURBED_NS TAKT_MS(20) /* the same with faults: a frame without acknowledgement is sent all the time */

struct line {
    struct takt_can_requests requests; /* what the system sees */
    struct takt_board_can_bus config;
    unsigned index;
    struct takt_can_bus bus;
    struct takt_can_node nodes[NODES];
    struct takt_can_simulated simulated;
    uint64_t random;
    uint64_t next_ns;   /* least release of another node's message */
    uint64_t raised_ns; /* end of the last bit that asked for an interrupt; UINT64_MAX: none did */
    uint64_t armed_ns;  /* when the interrupt comes that the board was asked for */
    uint64_t silence_ns;
    struct takt_can_frame offered[2]; /* by the other node: one may be on the bus still */
    uint32_t offered_other;           /* whose frame that is; UINT32_MAX: none */
    uint64_t waiting;                 /* frames of others in all */
    unsigned offered_last;
    struct can_faults faults;
    unsigned found; /* of the last bit: enum can_finding */
    struct takt_can_log log;
};

static struct line lines[TAKT_BOARD_CAN_MAX];

static uint64_t draw_below(uint64_t *random, uint64_t limit)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return limit == 0 ? 0 : *random % limit;
}

static uint64_t random_below(struct line *line, uint64_t limit)
{
    return draw_below(&line->random, limit);
}

/* The end of the last bit, and the start of the next. */
static uint64_t time_ns(const struct line *line)
{
    return takt_can_time_ns(line->bus.nominal_bits, line->bus.data_bits, &line->config.rates);
}

static void next_release(struct line *line, uint32_t index)
{
    struct takt_board_can_played *other = &line->config.played[index];
    const struct takt_board_can_message *message = &line->config.others[index];
    uint64_t before_ns = other->release_ns;
    other->release_ns = other->nominal_ns + random_below(line, message->jitter_ns + 1);
    other->release_ns = other->release_ns > before_ns ? other->release_ns : before_ns;
}

/* Takes a node off the bus: what it had queued is lost, and a frame of it that is on the bus ends there. */
static void kill_node(struct line *line, uint16_t dead)
{
    for (uint32_t i = 0; i < line->config.other_count; i++) {
        struct takt_board_can_played *other = &line->config.played[i];
        if (dead != CAN_ALL_NODES && line->config.others[i].node != dead) {
            continue;
        }
        line->waiting -= other->waiting;
        other->waiting = 0;
        other->release_ns = UINT64_MAX;
        if (line->offered_other == i) {
            struct takt_can_node *node = &line->nodes[OTHERS];
            struct takt_can_errors errors = node->errors;
            if (node->sending != NULL) {
                takt_can_node_init(node);
                node->errors = errors;
                line->faults.pending = true;
            }
            line->offered_other = UINT32_MAX;
            takt_can_node_offer(node, NULL);
        }
    }
    line->bus.dead |= dead == CAN_ALL_NODES ? 1u << OTHERS : 0;
}

/* Deaths that are due, and the time of the next one. */
static uint64_t deaths_until(struct line *line, uint64_t now_ns)
{
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; i < line->faults.death_count; i++) {
        struct can_death *death = &line->faults.deaths[i];
        if (death->time_ns <= now_ns) {
            kill_node(line, death->node);
            death->time_ns = UINT64_MAX;
        }
        next_ns = death->time_ns < next_ns ? death->time_ns : next_ns;
    }
    return next_ns;
}

/* What is due of a message of another node. */
static void queue_due(struct line *line, uint32_t index, uint64_t now_ns)
{
    struct takt_board_can_played *other = &line->config.played[index];
    if (line->faults.babblers != 0 && can_faults_babbles(&line->faults, index) && other->release_ns != UINT64_MAX) {
        other->release_ns = UINT64_MAX - 1; /* one waits all the time */
        line->waiting += other->waiting == 0;
        other->waiting += other->waiting == 0;
    }
    while (other->release_ns <= now_ns) {
        other->waiting++;
        line->waiting++;
        other->nominal_ns += other->period_ns;
        next_release(line, index);
    }
}

/* Another node queues what is due, and offers the frame that wins the arbitration. */
static void release(struct line *line, uint64_t now_ns)
{
    bool waits = line->waiting != 0 || line->faults.babblers != 0;
    if (now_ns < line->next_ns && (line->offered_other != UINT32_MAX || !waits)) {
        return;
    }
    uint32_t best = UINT32_MAX;
    struct takt_can_frame frame = {0}, candidate = {0};
    line->next_ns = deaths_until(line, now_ns);
    for (uint32_t i = 0; i < line->config.other_count; i++) {
        struct takt_board_can_played *other = &line->config.played[i];
        const struct takt_board_can_message *message = &line->config.others[i];
        queue_due(line, i, now_ns);
        line->next_ns = other->release_ns < line->next_ns ? other->release_ns : line->next_ns;
        candidate.shape = message->shape;
        candidate.id = message->id;
        if (other->waiting > 0 && (best == UINT32_MAX || takt_can_frame_compare(&candidate, &frame) < 0)) {
            best = i;
            frame = candidate;
        }
    }
    if (best == line->offered_other) {
        return;
    }
    line->offered_other = best;
    if (best == UINT32_MAX) {
        takt_can_node_offer(&line->nodes[OTHERS], NULL);
        return;
    }
    for (unsigned i = 0; i < takt_can_bytes(&frame.shape); i++) {
        frame.data[i] = (uint8_t)random_below(line, 256);
    }
    if (line->config.others[best].fill != NULL) {
        line->config.others[best].fill(frame.data, line->config.played[best].sent);
    }
    line->offered_last ^= 1;
    line->offered[line->offered_last] = frame;
    takt_can_node_offer(&line->nodes[OTHERS], &line->offered[line->offered_last]);
}

static bool is_quiet(const struct line *line)
{
    const struct takt_can_node *system = &line->nodes[SYSTEM], *others = &line->nodes[OTHERS];
    return system->phase == TAKT_CAN_IDLE && system->pending == NULL &&
           ((line->bus.dead >> OTHERS & 1) != 0 || (others->phase == TAKT_CAN_IDLE && others->pending == NULL));
}

/* Bits in which nothing can happen until `until_ns`. */
static uint64_t quiet_bits(const struct line *line, uint64_t now_ns, uint64_t until_ns)
{
    uint64_t end_ns = line->next_ns < until_ns ? line->next_ns : until_ns;
    if (!is_quiet(line) || end_ns <= now_ns) {
        return 0;
    }
    uint64_t bits = (end_ns - now_ns) * line->config.rates.nominal_bps / UINT64_C(1000000000);
    uint64_t bit = line->bus.nominal_bits + line->bus.data_bits;
    return line->faults.bit - bit < bits ? line->faults.bit - bit : bits;
}

/* One bit, or several in which nothing happens. Returns whether the controller asked for an interrupt. */
static bool step(struct line *line, uint64_t until_ns)
{
    uint64_t now_ns = time_ns(line);
    release(line, now_ns);
    uint64_t quiet = quiet_bits(line, now_ns, until_ns);
    line->found = CAN_NOTHING;
    if (quiet > 0) {
        line->bus.nominal_bits += quiet;
        line->faults.pending = false; /* nothing followed */
        return false;
    }
    bool flagged = can_faults_is_flagged(&line->bus);
    takt_can_bus_step(&line->bus, can_faults_wrong(&line->faults, line->bus.nominal_bits + line->bus.data_bits));
    line->found = can_faults_note(&line->faults, &line->bus, flagged);
    takt_can_simulated_note(&line->simulated);
    if ((line->bus.events[OTHERS] & TAKT_CAN_TRANSMITTED) != 0) {
        const struct takt_can_frame *sent = &line->nodes[OTHERS].sent;
        for (uint32_t i = 0; i < line->config.other_count; i++) {
            const struct takt_board_can_message *message = &line->config.others[i];
            if (message->id == sent->id && message->shape.extended == sent->shape.extended) {
                struct takt_board_can_played *other = &line->config.played[i];
                other->origin_ns = other->nominal_ns - other->waiting * other->period_ns;
                other->waiting--;
                other->sent++;
                line->waiting--;
            }
        }
        line->offered_other = UINT32_MAX;
    }
    return takt_can_simulated_interrupt(&line->simulated);
}

/* All bits that began before `until_ns`. */
static void advance(struct line *line, uint64_t until_ns)
{
    while (time_ns(line) < until_ns) {
        if (step(line, until_ns)) {
            line->raised_ns = time_ns(line);
        }
        if (line->found != CAN_NOTHING) {
            takt_can_log_error(&line->log, time_ns(line), (line->found & CAN_ERROR) != 0, &line->nodes[SYSTEM].errors,
                               takt_can_errors_state(&line->nodes[OTHERS].errors));
        }
        for (unsigned node = 0; node < NODES; node++) {
            if ((line->bus.events[node] & TAKT_CAN_TRANSMITTED) != 0) {
                takt_can_log_write(&line->log, time_ns(line), &line->nodes[node].sent);
                line->bus.events[node] = 0;
            }
        }
    }
}

/* When the controller will ask for an interrupt; at the latest after its silence. */
static uint64_t ahead_ns(struct line *line)
{
    static struct line copy;
    uint64_t until_ns = time_ns(line) + line->silence_ns, found_ns = UINT64_MAX;
    size_t played = line->config.other_count * sizeof *line->config.played;
    copy = *line;
    if (played != 0) {
        memcpy(line->config.played + line->config.other_count, line->config.played, played);
    }
    while (found_ns == UINT64_MAX && time_ns(line) < until_ns) {
        if (step(line, until_ns)) {
            found_ns = time_ns(line);
        }
    }
    *line = copy;
    if (played != 0) {
        memcpy(line->config.played, line->config.played + line->config.other_count, played);
    }
    return found_ns == UINT64_MAX ? until_ns : found_ns;
}

static void simulate(void *argument, uint64_t now_ns)
{
    struct takt_can_request *request = argument;
    struct line *line = (struct line *)(void *)request->of; /* its first member */
    advance(line, now_ns);
    takt_can_request_make(request);
    if (takt_can_request_answered(request)) {
        line->raised_ns = UINT64_MAX;
    }
    if (line->raised_ns != UINT64_MAX && line->raised_ns >= now_ns) { /* in the bit that is on the bus, or just now */
        line->armed_ns = line->raised_ns;
    } else if ((request->what != TAKT_CAN_REQUEST_NEXT_EVENT && request->what != TAKT_CAN_REQUEST_RECEIVE) ||
               line->armed_ns <= now_ns) {
        line->armed_ns = ahead_ns(line);
    }
    takt_board_can_interrupt(line->index, line->armed_ns);
}

/* The period of a message by the clock of its sender: half of the clocks are as wrong as they may be. */
static uint64_t period_by(const struct takt_board_can_bus *bus, const struct takt_board_can_message *message,
                          uint64_t seed)
{
    uint64_t random = (seed + 1) * UINT64_C(0x9FB21C651E98DF25) ^ ((uint64_t)message->node + 1) << 20;
    uint64_t million = 1000000, most = bus->drift_ppm;
    for (unsigned i = 0; i < 4; i++) { /* from a seed to numbers that do not depend on it plainly */
        (void)draw_below(&random, 1);
    }
    uint64_t kind = draw_below(&random, 4);
    uint64_t above = kind == 0 ? 0 : kind == 1 ? 2 * most : draw_below(&random, 2 * most + 1); /* the slowest clock */
    return message->period_ns * million / (million - most + above);
}

static void make(struct line *line, unsigned index, const struct takt_board_can_bus *config)
{
    uint64_t seed = 1;
    (void)takt_board_option("seed", &seed);
    line->config = *config;
    line->index = index;
    line->log = (struct takt_can_log){.index = index};
    line->random = (seed + index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    line->raised_ns = UINT64_MAX;
    bool disturbed = can_faults_init(&line->faults, index, seed);
    line->silence_ns = SILENCE_NS;
    line->offered_other = UINT32_MAX;
    line->bus.nodes = line->nodes;
    line->bus.count = NODES;
    for (unsigned node = 0; node < NODES; node++) {
        takt_can_node_init(&line->nodes[node]);
    }
    bool three = config->fd || config->mailboxes == 3;
    struct takt_can_simulated_config simulated = {.kind = three ? TAKT_CAN_THREE : TAKT_CAN_TOUCAN,
                                                  .transmit = config->mailboxes == 0 ? 8 : config->mailboxes,
                                                  .bus = &line->bus,
                                                  .node = SYSTEM};
    takt_can_simulated_init(&line->simulated, &simulated);
    takt_can_requests_init(&line->requests, &line->simulated, simulate);
    for (uint32_t i = 0; i < config->other_count; i++) {
        uint64_t period_ns = period_by(config, &config->others[i], seed);
        config->played[i] =
            (struct takt_board_can_played){.nominal_ns = random_below(line, period_ns), .period_ns = period_ns};
        next_release(line, i);
        line->silence_ns = SILENCE_NS + period_ns > line->silence_ns ? SILENCE_NS + period_ns : line->silence_ns;
    }
    line->silence_ns = disturbed ? DISTURBED_NS : line->silence_ns;
}

struct takt_can_controller *takt_can_emulated(unsigned index, const struct takt_board_can_bus *bus)
{
    if (index >= TAKT_BOARD_CAN_MAX) {
        return NULL;
    }
    make(&lines[index], index, bus);
    return &lines[index].requests.controller;
}
