/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each process simulates the buses that it is on, with the controllers of all their nodes, and so comes to the same
 * frames at the same times as the others: what a controller does follows from the calls of its driver, and each process
 * writes those that change what is sent, with their times, into memory that all share (network_calls.c).
 *
 * A bus goes from event to event (takt_can_jump_step, takt/can_bus.h). From its start bit on a frame follows from what
 * was offered until then. So a bus is simulated up to the first bit that may be a start bit, and further when all calls
 * until then are known: those before the least promise of the others. A process goes on to a time if no call that it
 * does not know can make an interrupt until then (conservative simulation: Chandy and Misra 1979): such a call is no
 * sooner than the least promise, its frame does not begin before the one on the bus has ended, and makes no interrupt
 * before it has been received. Its own promise is the time of its next event, or that at which a frame could interrupt
 * it by calls that it knows or that are written down, if that is sooner.
 *
 * The process with the least promise can always go on: there is no deadlock.
 */
#include "library/can/host/network.h"

#include <stdlib.h>

#include "kernel/port.h"
#include "library/can/host/network_calls.h"
#include "library/can/log.h"
#include "library/can/requests.h"
#include "ports/host/host.h"
#include "takt/board.h"
#include "takt/can_simulated.h"
#include "takt/time.h"

#define NEVER UINT64_MAX
#define BUSY_NS TAKT_MS(100) /* at a time, of a bus on which a frame is repeated without end */

struct member { /* of a bus, here */
    unsigned node;
    struct takt_network_list known;  /* that the simulation has not come to yet */
    struct takt_network_list queued; /* releases of frames that it has not sent yet */
    struct takt_can_simulated simulated;
};

struct line {
    struct takt_can_requests requests; /* what the system sees */
    const struct takt_board_can_bus *config;
    struct takt_can_rates rates;       /* 0 until the node opens it */
    unsigned index;                    /* of the board's bus */
    uint8_t number;                    /* in the network */
    struct takt_can_bus bus;
    struct takt_can_jump jump;
    struct takt_can_node nodes[TAKT_CAN_BUS_NODES_MAX];
    struct member *members[TAKT_CAN_BUS_NODES_MAX]; /* the first is this node */
    uint64_t first_ns;                              /* least time of their known calls; NEVER: there are none */
    uint64_t raised_ns;                             /* interrupt that the system has not answered; NEVER: none */
    uint64_t asked_ns;                              /* what the board was asked for last */
    struct takt_can_log log;
};

/* What a bus does next. */
struct next {
    uint64_t at_ns; /* the beginning of the bit */
    bool sure;      /* whatever calls come until then */
    bool nothing;   /* it is idle until a call */
    uint64_t free_ns;
    uint64_t reaction_ns;
};

static struct line *lines[TAKT_BOARD_CAN_MAX];
static uint64_t known_ns; /* no call of another node that is not known comes before */

static uint64_t time_ns(const struct line *line)
{
    return takt_can_time_ns(line->bus.nominal_bits, line->bus.data_bits, &line->rates);
}

static uint64_t time_after_ns(const struct line *line, struct takt_can_length length)
{
    uint64_t nominal_bits = line->bus.nominal_bits + length.nominal_bits;
    return takt_can_time_ns(nominal_bits, line->bus.data_bits + length.data_bits, &line->rates);
}

static bool is_open(const struct line *line)
{
    return line != NULL && line->rates.nominal_bps != 0;
}

static void place_member(struct line *line, uint32_t at, const struct takt_network_place *place)
{
    struct takt_can_simulated_config config = {
        .kind = place->kind, .transmit = place->transmit, .bus = &line->bus, .node = at};
    takt_can_node_init(&line->nodes[at]);
    takt_can_simulated_init(&line->members[at]->simulated, &config);
}

static void add_member(struct line *line, unsigned node, const struct takt_network_place *place)
{
    struct member *member = calloc(1, sizeof *member);
    uint32_t at = line->bus.count;
    if (member == NULL || at == TAKT_CAN_BUS_NODES_MAX) {
        takt_network_fail("too many nodes on a bus");
    }
    member->node = node;
    line->members[at] = member;
    line->bus.count = at + 1;
    place_member(line, at, place);
}

static struct member *member_of(struct line *line, unsigned node)
{
    for (uint32_t i = 0; i < line->bus.count; i++) {
        if (line->members[i]->node == node) {
            return line->members[i];
        }
    }
    struct takt_network_place place = takt_network_place(node, line->number);
    add_member(line, node, &place);
    return line->members[line->bus.count - 1];
}

/* Notes a call. */
static void keep(const struct takt_network_call *call)
{
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        if (lines[i] == NULL || lines[i]->number != call->bus) {
            continue;
        }
        struct member *member = member_of(lines[i], call->node);
        if (call->what == TAKT_NETWORK_QUEUED) {
            takt_network_append(&member->queued, call);
        } else {
            takt_network_append(&member->known, call);
            lines[i]->first_ns = call->at_ns < lines[i]->first_ns ? call->at_ns : lines[i]->first_ns;
        }
    }
}

static void make(struct member *member, const struct takt_network_call *call)
{
    struct takt_can_requests of = {.simulated = &member->simulated};
    struct takt_can_request request = {
        .of = &of, .what = call->what, .mailbox = call->mailbox, .frame = &call->frame};
    takt_can_request_make(&request);
}

/* Makes the known calls up to a time. Those of different controllers do not depend on each other. */
static void play(struct line *line, uint64_t until_ns)
{
    if (line->first_ns > until_ns) {
        return;
    }
    line->first_ns = NEVER;
    for (uint32_t i = 0; i < line->bus.count; i++) {
        struct takt_network_list *known = &line->members[i]->known;
        for (; known->first != known->count && known->calls[known->first].at_ns <= until_ns; known->first++) {
            make(line->members[i], &known->calls[known->first]);
        }
        if (known->first != known->count && known->calls[known->first].at_ns < line->first_ns) {
            line->first_ns = known->calls[known->first].at_ns;
        }
    }
}

/* Bits up to the first one that begins at a time or later. */
static uint64_t bits_until(const struct line *line, uint64_t until_ns)
{
    uint64_t now_ns = time_ns(line), nominal_bits = line->bus.nominal_bits;
    if (until_ns <= now_ns) {
        return 0;
    }
    nominal_bits += (until_ns - now_ns) * line->rates.nominal_bps / TAKT_S(1);
    while (takt_can_time_ns(nominal_bits, line->bus.data_bits, &line->rates) < until_ns) {
        nominal_bits++;
    }
    return nominal_bits - line->bus.nominal_bits;
}

static uint64_t bits_ns(const struct line *line, uint64_t bits)
{
    const struct takt_can_rates *rates = &line->rates;
    return bits * TAKT_S(1) / (rates->data_bps > rates->nominal_bps ? rates->data_bps : rates->nominal_bps);
}

static struct next next_of(struct line *line)
{
    play(line, time_ns(line));
    struct takt_can_jump_next jump = takt_can_jump_next(&line->jump);
    struct next next = {.at_ns = time_after_ns(line, jump.before),
                        .sure = jump.kind == TAKT_CAN_JUMP_SURE,
                        .nothing = jump.kind == TAKT_CAN_JUMP_NOTHING,
                        .free_ns = time_after_ns(line, jump.free),
                        .reaction_ns = bits_ns(line, jump.single ? 1 : TAKT_CAN_JUMP_RECEIVED_BITS)};
    if (next.nothing) { /* until the bit that follows a call */
        uint64_t bits = line->first_ns == NEVER ? 0 : bits_until(line, line->first_ns);
        uint64_t begin_ns = takt_can_time_ns(line->bus.nominal_bits + bits, line->bus.data_bits, &line->rates);
        next.at_ns = line->first_ns == NEVER ? NEVER : begin_ns;
    }
    return next;
}

/* Notes when a frame was released that a node has sent, if that node said it. */
static void note_release(struct line *line, uint32_t of)
{
    const struct takt_can_frame *sent = &line->nodes[of].sent;
    uint64_t release_ns;
    if (!takt_network_release(&line->members[of]->queued, sent, &release_ns)) {
        return;
    }
    for (uint32_t i = 0; i < line->config->other_count; i++) {
        const struct takt_board_can_message *other = &line->config->others[i];
        if (sent->id == other->id && sent->shape.extended == other->shape.extended) {
            line->config->played[i].origin_ns = release_ns;
        }
    }
}

/* What another node receives is of interest to its own process alone. */
static bool is_noted(const struct line *line, uint32_t member)
{
    return line->bus.events[member] != 0 && (member == 0 || line->bus.events[member] != TAKT_CAN_RECEIVED);
}

/* Goes to the next event. */
static void step(struct line *line, const struct next *next)
{
    if (next->nothing) {
        line->bus.nominal_bits += bits_until(line, line->first_ns);
        return;
    }
    if (takt_can_jump_step(&line->jump) == 0) {
        return;
    }
    uint64_t now_ns = time_ns(line);
    for (uint32_t i = 0; i < line->bus.count; i++) {
        if (is_noted(line, i)) {
            takt_can_simulated_note(&line->members[i]->simulated);
        }
        if ((line->bus.events[i] & TAKT_CAN_TRANSMITTED) != 0) {
            takt_can_log_write(&line->log, now_ns, &line->nodes[i].sent);
            note_release(line, i);
        }
    }
    bool answered = line->raised_ns == NEVER || line->raised_ns < takt_port_now_ns();
    if (takt_can_simulated_interrupt(&line->members[0]->simulated) && answered) {
        line->raised_ns = now_ns;
    }
}

/* Up to when no call of another node that is not known makes an interrupt. */
static uint64_t horizon_ns(const struct next nexts[TAKT_BOARD_CAN_MAX])
{
    uint64_t least_ns = NEVER;
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        if (is_open(lines[i])) {
            uint64_t free_ns = nexts[i].free_ns > known_ns ? nexts[i].free_ns : known_ns;
            uint64_t sure_ns = takt_network_later(free_ns, nexts[i].reaction_ns);
            least_ns = sure_ns < least_ns ? sure_ns : least_ns;
        }
    }
    return least_ns;
}

/* The line that goes to its next event first, of those that can. */
static unsigned first_of(const struct next nexts[TAKT_BOARD_CAN_MAX])
{
    unsigned first = TAKT_BOARD_CAN_MAX;
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        bool can = is_open(lines[i]) && (nexts[i].sure || nexts[i].at_ns < known_ns);
        if (can && (first == TAKT_BOARD_CAN_MAX || nexts[i].at_ns < nexts[first].at_ns)) {
            first = i;
        }
    }
    return first;
}

static void ask(struct line *line)
{
    if (line->raised_ns != line->asked_ns) {
        line->asked_ns = line->raised_ns;
        takt_board_can_interrupt(line->index, line->raised_ns);
    }
}

/* Where this node is, for the others: `until_ns` and `exact` are the caller's. */
static struct takt_network_waiting waiting_at(const struct next nexts[TAKT_BOARD_CAN_MAX], uint64_t until_ns)
{
    struct takt_network_waiting found = {
        .until_ns = until_ns, .next_ns = NEVER, .free_ns = NEVER, .reaction_ns = NEVER, .exact = false};
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        if (!is_open(lines[i])) {
            continue;
        }
        const struct next *next = &nexts[i];
        if (next->sure && next->at_ns < found.until_ns) { /* it may interrupt from then on */
            found.until_ns = next->at_ns + 1;
        } else if (!next->sure && next->at_ns < found.next_ns) {
            found.next_ns = next->at_ns;
        }
        found.free_ns = next->free_ns < found.free_ns ? next->free_ns : found.free_ns;
        found.reaction_ns = next->reaction_ns < found.reaction_ns ? next->reaction_ns : found.reaction_ns;
    }
    return found;
}

/* How far the buses have come. */
struct advanced {
    uint64_t until_ns; /* what was asked for, or an interrupt before that */
    bool sure;         /* no call that is not known makes an interrupt until then */
    bool idle;         /* nothing follows from the known calls */
    struct takt_network_waiting waiting;
};

/* All bits that began before `until_ns`, as far as what the system does is known until then: it makes no call that is
 * not known before `until_ns`, or, where it `stops`, before an interrupt. */
static struct advanced advance(uint64_t until_ns, bool stops)
{
    struct next nexts[TAKT_BOARD_CAN_MAX];
    struct advanced found = {.until_ns = until_ns, .idle = true};
    uint64_t sure_ns;
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        nexts[i] = is_open(lines[i]) ? next_of(lines[i]) : (struct next){.at_ns = NEVER};
    }
    for (;;) {
        unsigned first = first_of(nexts);
        sure_ns = horizon_ns(nexts);
        if (first == TAKT_BOARD_CAN_MAX || nexts[first].at_ns >= found.until_ns || nexts[first].at_ns >= sure_ns) {
            break;
        }
        struct line *line = lines[first];
        uint64_t raised_ns = line->raised_ns;
        step(line, &nexts[first]);
        if (line->raised_ns != raised_ns && stops && line->raised_ns < found.until_ns) {
            found.until_ns = line->raised_ns;
        }
        ask(line);
        nexts[first] = next_of(line);
    }
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        found.idle = found.idle && nexts[i].at_ns == NEVER;
    }
    found.sure = found.until_ns <= sure_ns;
    found.waiting = waiting_at(nexts, found.until_ns);
    return found;
}

/* Before virtual time passes, up to `to_ns`: the time that has come then. */
static uint64_t wait_in_network(uint64_t now_ns, uint64_t to_ns)
{
    for (;;) {
        uint64_t until_ns = to_ns == NEVER ? now_ns + BUSY_NS : to_ns;
        struct advanced to = advance(until_ns, true);
        if (to_ns == NEVER && to.idle) {
            to.until_ns = to.waiting.until_ns = NEVER;
            to.sure = known_ns == NEVER;
        }
        if (to.sure) {
            return to.until_ns > now_ns ? to.until_ns : now_ns;
        }
        known_ns = takt_network_wait(&to.waiting);
    }
}

/* Until the system's controllers are as at a time; `exact`: and those of the others. */
static void reach(uint64_t now_ns, bool exact)
{
    for (;;) {
        struct advanced to = advance(now_ns, false);
        if (exact ? known_ns >= now_ns : to.sure) {
            return;
        }
        to.waiting.until_ns = now_ns;
        to.waiting.exact = exact;
        known_ns = takt_network_wait(&to.waiting);
    }
}

/* All calls until now, after all bits that began before. */
static void play_now(struct line *line, uint64_t now_ns)
{
    if (takt_can_jump_next(&line->jump).kind == TAKT_CAN_JUMP_NOTHING) {
        line->bus.nominal_bits += bits_until(line, now_ns);
    }
    play(line, now_ns);
}

static struct takt_network_call call_of(const struct line *line, const struct takt_can_request *request,
                                        uint64_t now_ns)
{
    struct takt_network_call call = {.at_ns = now_ns,
                                     .node = (uint8_t)takt_network_self(),
                                     .bus = line->number,
                                     .what = (uint8_t)request->what,
                                     .mailbox = request->mailbox};
    if (request->frame != NULL) {
        call.frame = *request->frame;
    }
    return call;
}

/* What changes what the controller sends is known to all; and the own process comes to a load, which answers nothing,
 * when it simulates that time. */
static void simulate(void *argument, uint64_t now_ns)
{
    struct takt_can_request *request = argument;
    struct line *line = (struct line *)(void *)request->of; /* its first member */
    bool asks = request->what == TAKT_CAN_REQUEST_NEXT_EVENT || request->what == TAKT_CAN_REQUEST_RECEIVE;
    bool local = asks || request->what == TAKT_CAN_REQUEST_INTERRUPT || request->what == TAKT_CAN_REQUEST_FILTER;
    struct takt_network_call call = call_of(line, request, now_ns);
    if (request->what == TAKT_CAN_REQUEST_LOAD) {
        keep(&call);
    } else {
        reach(now_ns, !local);
        if (!local) {
            play_now(line, now_ns);
        }
        takt_can_request_make(request);
    }
    if (!local) {
        takt_network_write(&call);
    }
    if ((request->what == TAKT_CAN_REQUEST_START || request->what == TAKT_CAN_REQUEST_STOP) && now_ns != 0) {
        takt_network_fail("a controller is started or stopped while frames are sent");
    }
    if (takt_can_request_answered(request) && line->raised_ns <= now_ns) {
        line->raised_ns = NEVER;
    }
    ask(line);
}

struct queued {
    struct line *line;
    const struct takt_can_frame *frame;
    uint64_t release_ns;
};

static void report_queued(void *argument, uint64_t now_ns)
{
    const struct queued *queued = argument;
    struct takt_network_call call = {.at_ns = now_ns,
                                     .release_ns = queued->release_ns,
                                     .bus = queued->line->number,
                                     .what = TAKT_NETWORK_QUEUED,
                                     .frame = *queued->frame};
    takt_network_write(&call);
}

void takt_can_network_queued(unsigned index, const struct takt_can_frame *frame, uint64_t release_ns)
{
    struct queued queued = {.line = lines[index], .frame = frame, .release_ns = release_ns};
    takt_board_can_apart(report_queued, &queued);
}

/* The logs have all that was until the end. */
static void leave(void)
{
    reach(takt_port_now_ns(), true);
}

/* All buses of this node at once: calls of others come as soon as it has joined, also on one that it opens later. */
static void join(void)
{
    const struct takt_network_place unknown = {.kind = TAKT_CAN_TOUCAN, .transmit = 1};
    takt_network_join(keep, leave);
    for (unsigned index = 0; index < TAKT_BOARD_CAN_MAX; index++) {
        uint64_t number = 0;
        if (!takt_network_bus(index, &number)) {
            continue;
        }
        struct line *line = calloc(1, sizeof *line);
        if (line == NULL || number >= TAKT_NETWORK_BUSES_MAX) {
            takt_network_fail("no number of a bus");
        }
        line->index = index;
        line->number = (uint8_t)number;
        line->log = (struct takt_can_log){.index = index};
        line->first_ns = line->raised_ns = line->asked_ns = NEVER;
        line->bus.nodes = line->nodes;
        takt_can_jump_init(&line->jump, &line->bus);
        add_member(line, takt_network_self(), &unknown);
        lines[index] = line;
    }
    takt_host_on_wait(wait_in_network);
}

struct takt_can_controller *takt_can_network(unsigned index, const struct takt_board_can_bus *bus)
{
    static bool joined;
    bool three = bus->fd || bus->mailboxes == 3;
    const struct takt_network_place place = {.kind = three ? TAKT_CAN_THREE : TAKT_CAN_TOUCAN,
                                             .transmit = bus->mailboxes == 0 ? 8 : bus->mailboxes};
    if (!joined) { /* its first bus */
        joined = true;
        join();
    }
    struct line *line = lines[index];
    line->config = bus;
    line->rates = bus->rates;
    takt_network_place_set(line->number, &place);
    place_member(line, 0, &place);
    takt_can_requests_init(&line->requests, &line->members[0]->simulated, simulate);
    return &line->requests.controller;
}
