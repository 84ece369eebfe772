/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CAN controllers of `host`: simulated ones on buses of their own, bit by bit, with another node that plays all others;
 * and those of the machine (interface.h).
 *
 * The bus is as far as the time is, whenever the system looks at its controller. When its next interrupt will come
 * depends on what the system does until then, so it is looked for from the present state, which is restored afterwards;
 * and again after each call.
 */
#include "takt/board_can.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/port.h"
#include "library/can/host/interface.h"
#include "library/can/host/log.h"
#include "ports/host/host.h"
#include "takt/board.h"
#include "takt/can_simulated.h"
#include "takt/time.h"

enum { FIRST_LOOK = 59, SYSTEM = 0, OTHERS = 1, NODES = 2 };
#define AHEAD_NS TAKT_MS(20)  /* how far it looks at once */

struct other {
    uint64_t nominal_ns; /* of the next release */
    uint64_t release_ns; /* jitter included */
    uint32_t waiting;
};

struct line {
    struct takt_can_controller controller; /* what the system sees */
    struct takt_board_can_bus config;
    unsigned index;
    struct takt_can_bus bus;
    struct takt_can_node nodes[NODES];
    struct takt_can_simulated simulated;
    uint64_t random;
    uint64_t next_ns;   /* least release of another node's message */
    uint64_t raised_ns; /* end of the bit that asked for an interrupt which the system has not seen; UINT64_MAX */
    uint64_t seen_ns;   /* when it looked last */
    struct takt_can_frame offered[2]; /* by the other node: one may be on the bus still */
    uint32_t offered_other;           /* whose frame that is; UINT32_MAX: none */
    uint64_t waiting;                 /* frames of others in all */
    unsigned offered_last;
    struct takt_can_log log;
    struct other others[];
};

static struct line *lines[TAKT_CAN_BUSES];
static struct line *saved[TAKT_CAN_BUSES];

static size_t size_of(const struct line *line)
{
    return sizeof *line + line->config.other_count * sizeof line->others[0];
}

static uint64_t random_below(struct line *line, uint64_t limit)
{
    line->random ^= line->random << 13;
    line->random ^= line->random >> 7;
    line->random ^= line->random << 17;
    return limit == 0 ? 0 : line->random % limit;
}

/* The end of the last bit, and the start of the next. */
static uint64_t time_ns(const struct line *line)
{
    return takt_can_time_ns(line->bus.nominal_bits, line->bus.data_bits, &line->config.rates);
}

static void next_release(struct line *line, uint32_t index)
{
    struct other *other = &line->others[index];
    const struct takt_board_can_message *message = &line->config.others[index];
    uint64_t before_ns = other->release_ns;
    other->release_ns = other->nominal_ns + random_below(line, message->jitter_ns + 1);
    other->release_ns = other->release_ns > before_ns ? other->release_ns : before_ns;
}

/* Another node queues what is due, and offers the frame that wins the arbitration. */
static void release(struct line *line, uint64_t now_ns)
{
    if (now_ns < line->next_ns && (line->offered_other != UINT32_MAX || line->waiting == 0)) {
        return;
    }
    uint32_t best = UINT32_MAX;
    struct takt_can_frame frame = {0}, candidate = {0};
    line->next_ns = UINT64_MAX;
    for (uint32_t i = 0; i < line->config.other_count; i++) {
        struct other *other = &line->others[i];
        const struct takt_board_can_message *message = &line->config.others[i];
        while (other->release_ns <= now_ns) {
            other->waiting++;
            line->waiting++;
            other->nominal_ns += message->period_ns;
            next_release(line, i);
        }
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
    line->offered_last ^= 1;
    line->offered[line->offered_last] = frame;
    takt_can_node_offer(&line->nodes[OTHERS], &line->offered[line->offered_last]);
}

static bool is_quiet(const struct line *line)
{
    return line->nodes[SYSTEM].phase == TAKT_CAN_IDLE && line->nodes[OTHERS].phase == TAKT_CAN_IDLE &&
           line->nodes[SYSTEM].pending == NULL && line->nodes[OTHERS].pending == NULL;
}

/* Bits in which nothing can happen until `until_ns`. */
static uint64_t quiet_bits(const struct line *line, uint64_t now_ns, uint64_t until_ns)
{
    uint64_t end_ns = line->next_ns < until_ns ? line->next_ns : until_ns;
    if (!is_quiet(line) || end_ns <= now_ns) {
        return 0;
    }
    return (end_ns - now_ns) * line->config.rates.nominal_bps / UINT64_C(1000000000);
}

/* One bit, or several in which nothing happens. Returns whether the controller asked for an interrupt. */
static bool step(struct line *line, uint64_t until_ns)
{
    uint64_t now_ns = time_ns(line);
    release(line, now_ns);
    uint64_t quiet = quiet_bits(line, now_ns, until_ns);
    if (quiet > 0) {
        line->bus.nominal_bits += quiet;
        return false;
    }
    takt_can_bus_step(&line->bus, 0);
    takt_can_simulated_note(&line->simulated);
    if ((line->bus.events[OTHERS] & TAKT_CAN_TRANSMITTED) != 0) {
        const struct takt_can_frame *sent = &line->nodes[OTHERS].sent;
        for (uint32_t i = 0; i < line->config.other_count; i++) {
            const struct takt_board_can_message *message = &line->config.others[i];
            if (message->id == sent->id && message->shape.extended == sent->shape.extended) {
                line->others[i].waiting--;
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
        for (unsigned node = 0; node < NODES; node++) {
            if ((line->bus.events[node] & TAKT_CAN_TRANSMITTED) != 0) {
                takt_can_log_write(&line->log, time_ns(line), &line->nodes[node].sent);
                line->bus.events[node] = 0;
            }
        }
    }
}

/* When the controller will ask for an interrupt; UINT64_MAX: not until `until_ns`. */
static uint64_t ahead_ns(struct line *line, uint64_t until_ns)
{
    struct line *copy = saved[line->index];
    uint64_t found_ns = UINT64_MAX;
    memcpy(copy, line, size_of(line));
    while (found_ns == UINT64_MAX && time_ns(line) < until_ns) {
        if (step(line, until_ns)) {
            found_ns = time_ns(line);
        }
    }
    memcpy(line, copy, size_of(line));
    return found_ns;
}

static void look(unsigned index)
{
    struct line *line = lines[index];
    uint64_t now_ns = takt_now(), end_ns = now_ns + AHEAD_NS;
    advance(line, now_ns);
    bool unseen = line->raised_ns != UINT64_MAX && line->raised_ns > line->seen_ns;
    uint64_t at_ns = unseen ? line->raised_ns : ahead_ns(line, end_ns);
    takt_host_interrupt_every(TAKT_CAN_FIRST_INTERRUPT + index, at_ns, 0);
    takt_host_interrupt_every(FIRST_LOOK + index, at_ns == UINT64_MAX ? end_ns : UINT64_MAX, 0);
}

static void look_first(void)
{
    look(0);
}

static void look_second(void)
{
    look(1);
}

/* Before a call of the system: the bus is as far as the time. After it, the next interrupt is looked for. */
static struct takt_can_controller *now(struct takt_can_controller *controller)
{
    struct line *line = (struct line *)(void *)controller; /* its first member */
    advance(line, takt_now());
    line->seen_ns = takt_now();
    takt_host_interrupt_every(FIRST_LOOK + line->index, takt_now(), 0);
    return &line->simulated.controller;
}

static enum takt_status start(struct takt_can_controller *controller)
{
    struct takt_can_controller *own = now(controller);
    return own->calls->start(own);
}

static void stop(struct takt_can_controller *controller)
{
    struct takt_can_controller *own = now(controller);
    own->calls->stop(own);
}

static void load(struct takt_can_controller *controller, uint8_t mailbox, const struct takt_can_frame *frame)
{
    struct takt_can_controller *own = now(controller);
    own->calls->load(own, mailbox, frame);
}

static void abort_frame(struct takt_can_controller *controller, uint8_t mailbox)
{
    struct takt_can_controller *own = now(controller);
    own->calls->abort(own, mailbox);
}

static void interrupt(struct takt_can_controller *controller, uint32_t mailboxes)
{
    struct takt_can_controller *own = now(controller);
    own->calls->interrupt(own, mailboxes);
}

static bool next_event(struct takt_can_controller *controller, struct takt_can_controller_event *event)
{
    struct takt_can_controller *own = now(controller);
    return own->calls->next_event(own, event);
}

static bool receive(struct takt_can_controller *controller, struct takt_can_frame *frame)
{
    struct takt_can_controller *own = now(controller);
    return own->calls->receive(own, frame);
}

static enum takt_status filter(struct takt_can_controller *controller, const struct takt_can_filter *filters,
                               uint32_t count)
{
    struct takt_can_controller *own = now(controller);
    return own->calls->filter(own, filters, count);
}

static void recover(struct takt_can_controller *controller)
{
    struct takt_can_controller *own = now(controller);
    own->calls->recover(own);
}

static struct takt_can_errors errors(const struct takt_can_controller *controller)
{
    return ((const struct line *)(const void *)controller)->nodes[SYSTEM].errors;
}

static const struct takt_can_controller_calls calls = {
    .start = start,
    .stop = stop,
    .load = load,
    .abort = abort_frame,
    .interrupt = interrupt,
    .next_event = next_event,
    .receive = receive,
    .filter = filter,
    .recover = recover,
    .errors = errors,
};

static void make(struct line *line, unsigned index, const struct takt_board_can_bus *config)
{
    uint64_t seed = 1;
    (void)takt_board_option("seed", &seed);
    line->config = *config;
    line->index = index;
    line->random = (seed + index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    takt_can_log_open(&line->log, index);
    line->raised_ns = UINT64_MAX;
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
    line->controller = line->simulated.controller;
    line->controller.calls = &calls;
    for (uint32_t i = 0; i < config->other_count; i++) {
        line->others[i].nominal_ns = random_below(line, config->others[i].period_ns);
        next_release(line, i);
    }
}

struct takt_can_controller *takt_board_can(unsigned index, const struct takt_board_can_bus *bus)
{
    static void (*const looks[TAKT_CAN_BUSES])(void) = {look_first, look_second};
    if (index >= TAKT_CAN_BUSES) {
        return NULL;
    }
    if (bus->interface != NULL) {
        return takt_can_interface(index, bus);
    }
    size_t size = sizeof(struct line) + bus->other_count * sizeof(struct other);
    lines[index] = calloc(1, size);
    saved[index] = calloc(1, size);
    if (lines[index] == NULL || saved[index] == NULL) {
        fputs("host: no memory for a CAN bus\n", stderr);
        exit(3);
    }
    make(lines[index], index, bus);
    takt_port_irq_attach(FIRST_LOOK + index, looks[index], false);
    return &lines[index]->controller;
}
