/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each process simulates the buses that it is on, with the controllers of all their nodes, and so comes to the same
 * frames at the same times as the others: what a controller does follows from the calls of its driver, and each process
 * writes its own, with their times, into memory that all share. Calls are ordered by time and node.
 *
 * A process may go on to a time if no call that it does not know can change what it would have seen until then
 * (conservative simulation: Chandy and Misra 1979). Each says up to when it makes no call, its *promise*: the time of
 * its next own event, which an interrupt by an unknown call of another may precede, but by no more than this: a call
 * makes no interrupt elsewhere sooner than the shortest frame takes (`reaction_ns`), or two bits where a frame is being
 * aborted, as it may lose an arbitration then. So:
 *
 * - a process goes on to a time that is at most the least promise of the others and its own reaction;
 * - it makes a call when all others have promised to make theirs later, or at the same time with a higher number.
 *
 * That of the least time, and of these the one with the lowest number, can always go on: there is no deadlock. Calls
 * that a process has not taken yet lower its promise, as it does not know of them (network_calls.c).
 */
#include "library/can/host/network.h"

#include <stdlib.h>

#include "library/can/host/network_calls.h"
#include "library/can/log.h"
#include "library/can/requests.h"
#include "ports/host/host.h"
#include "takt/board.h"
#include "takt/can_simulated.h"
#include "takt/time.h"

enum { SHORTEST_BITS = 47, ABORTED_BITS = 2 };
#define BUSY_NS TAKT_MS(100)

struct known { /* calls of another node on one bus, in their order */
    struct takt_network_call *calls;
    size_t first, count, room;
};

struct member { /* of a bus, here */
    unsigned node;
    struct known known;  /* that are not made yet */
    struct known queued; /* releases of frames that it has not sent yet */
    struct takt_can_simulated simulated;
};

struct line {
    struct takt_can_requests requests; /* what the system sees */
    const struct takt_board_can_bus *config;
    struct takt_can_rates rates;
    unsigned index; /* of the board's bus */
    uint8_t number; /* in the network */
    bool stale;     /* calls came since it was armed */
    struct takt_can_bus bus;
    struct takt_can_node nodes[TAKT_CAN_BUS_NODES_MAX];
    struct member *members[TAKT_CAN_BUS_NODES_MAX]; /* the first is this node */
    uint64_t raised_ns;
    uint64_t armed_ns;
    struct takt_can_log log;
};

static uint64_t shortest_ns = UINT64_MAX; /* frame of a bus of this node */
static uint64_t bits_ns;                  /* of an arbitration that is lost at once */
static struct line *lines[TAKT_BOARD_CAN_MAX];

static uint64_t time_ns(const struct line *line)
{
    return takt_can_time_ns(line->bus.nominal_bits, line->bus.data_bits, &line->rates);
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
    add_member(line, node, takt_network_place(node, line->number));
    struct member *member = line->members[line->bus.count - 1];
    struct takt_can_controller *own = &member->simulated.controller;
    (void)own->calls->filter(own, NULL, 0); /* what it receives is of interest to its own process alone */
    return member;
}

static void append(struct known *known, const struct takt_network_call *call)
{
    if (known->first == known->count) {
        known->first = known->count = 0;
    }
    if (known->count == known->room) {
        known->room = known->room == 0 ? 64 : 2 * known->room;
        known->calls = realloc(known->calls, known->room * sizeof *known->calls);
        if (known->calls == NULL) {
            takt_network_fail("no memory");
        }
    }
    known->calls[known->count++] = *call;
}

/* Notes a call that was taken. */
static void keep(unsigned node, const struct takt_network_call *call)
{
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        if (lines[i] != NULL && lines[i]->number == call->bus) {
            struct member *member = member_of(lines[i], node);
            bool is_call = call->what != TAKT_NETWORK_QUEUED;
            append(is_call ? &member->known : &member->queued, call);
            lines[i]->stale = lines[i]->stale || is_call;
        }
    }
}

/* The next call of another node, if it is before that time, or at it by a node with a lower number. */
static struct member *next_call(struct line *line, uint64_t before_ns, unsigned node)
{
    struct member *found = NULL;
    const struct takt_network_call *least = NULL;
    for (uint32_t i = 1; i < line->bus.count; i++) {
        struct member *member = line->members[i];
        const struct known *known = &member->known;
        if (known->first == known->count) {
            continue;
        }
        const struct takt_network_call *call = &known->calls[known->first];
        bool due = call->at_ns < before_ns || (call->at_ns == before_ns && member->node < node);
        bool sooner =
            least == NULL || call->at_ns < least->at_ns || (call->at_ns == least->at_ns && member->node < found->node);
        if (due && sooner) {
            found = member;
            least = call;
        }
    }
    return found;
}

/* Makes the calls of others until a time. */
static void play(struct line *line, uint64_t before_ns, unsigned node)
{
    struct member *member;
    while ((member = next_call(line, before_ns, node)) != NULL) {
        const struct takt_network_call *call = &member->known.calls[member->known.first++];
        struct takt_can_requests of = {.simulated = &member->simulated};
        struct takt_can_controller_event event;
        struct takt_can_request request = {
            .of = &of, .what = call->what, .mailbox = call->mailbox, .frame = &call->frame, .event = &event};
        takt_can_request_make(&request);
    }
}

static bool is_quiet(const struct line *line)
{
    for (uint32_t i = 0; i < line->bus.count; i++) {
        if (line->nodes[i].phase != TAKT_CAN_IDLE || line->nodes[i].pending != NULL) {
            return false;
        }
    }
    return true;
}

static uint64_t first_known_ns(const struct line *line)
{
    uint64_t least_ns = UINT64_MAX;
    for (uint32_t i = 1; i < line->bus.count; i++) {
        const struct known *known = &line->members[i]->known;
        if (known->first != known->count && known->calls[known->first].at_ns < least_ns) {
            least_ns = known->calls[known->first].at_ns;
        }
    }
    return least_ns;
}

/* One bit, or several in which nothing happens. Returns whether the own controller asked for an interrupt. */
static bool step(struct line *line, uint64_t until_ns)
{
    uint64_t now_ns = time_ns(line);
    play(line, now_ns, UINT32_MAX);
    if (is_quiet(line)) {
        uint64_t call_ns = first_known_ns(line), end_ns = call_ns < until_ns ? call_ns : until_ns;
        uint64_t quiet = end_ns > now_ns ? (end_ns - now_ns) * line->rates.nominal_bps / UINT64_C(1000000000) : 0;
        if (quiet > 0) {
            line->bus.nominal_bits += quiet;
            return false;
        }
    }
    takt_can_bus_step(&line->bus, 0);
    for (uint32_t i = 0; i < line->bus.count; i++) {
        takt_can_simulated_note(&line->members[i]->simulated);
    }
    return takt_can_simulated_interrupt(&line->members[0]->simulated);
}

static bool is_same(const struct takt_can_frame *frame, uint32_t id, bool extended)
{
    return frame->id == id && frame->shape.extended == extended;
}

/* Notes when a frame was released that a node has sent, if that node said it. */
static void note_release(struct line *line, uint32_t of)
{
    struct known *queued = &line->members[of]->queued;
    const struct takt_can_frame *sent = &line->nodes[of].sent;
    size_t at = queued->first;
    while (at < queued->count && !is_same(sent, queued->calls[at].frame.id, queued->calls[at].frame.shape.extended)) {
        at++;
    }
    if (at == queued->count) {
        return;
    }
    for (uint32_t i = 0; i < line->config->other_count; i++) {
        const struct takt_board_can_message *other = &line->config->others[i];
        if (is_same(sent, other->id, other->shape.extended)) {
            line->config->played[i].origin_ns = queued->calls[at].release_ns;
        }
    }
    for (; at > queued->first; at--) { /* those of other identifiers keep their order */
        queued->calls[at] = queued->calls[at - 1];
    }
    queued->first++;
}

/* All bits that began before `until_ns`: all calls until then are known. */
static void advance(struct line *line, uint64_t until_ns)
{
    while (time_ns(line) < until_ns) {
        if (step(line, until_ns)) {
            line->raised_ns = time_ns(line);
        }
        for (uint32_t i = 0; i < line->bus.count; i++) {
            if ((line->bus.events[i] & TAKT_CAN_TRANSMITTED) != 0) {
                takt_can_log_write(&line->log, time_ns(line), &line->nodes[i].sent);
                note_release(line, i);
                line->bus.events[i] = 0;
            }
        }
    }
}

/* When the controller will ask for an interrupt by the calls that are known; UINT64_MAX: never. If a frame is repeated
 * for long, as nobody acknowledges it, an interrupt comes now and then although nothing happened. */
static uint64_t ahead_ns(struct line *line)
{
    static struct line bus_then;
    static struct member then[TAKT_CAN_BUS_NODES_MAX];
    uint64_t found_ns = UINT64_MAX, until_ns = time_ns(line) + BUSY_NS;
    bus_then = *line;
    for (uint32_t i = 0; i < line->bus.count; i++) {
        then[i] = *line->members[i];
    }
    while (found_ns == UINT64_MAX && !(is_quiet(line) && first_known_ns(line) == UINT64_MAX)) {
        if (step(line, UINT64_MAX) || time_ns(line) > until_ns) {
            found_ns = time_ns(line);
        }
    }
    for (uint32_t i = 0; i < line->bus.count; i++) {
        *line->members[i] = then[i];
    }
    *line = bus_then;
    return found_ns;
}

static void arm(struct line *line, uint64_t now_ns)
{
    bool within = line->raised_ns != UINT64_MAX && line->raised_ns > now_ns; /* the bit that is on the bus */
    line->armed_ns = within ? line->raised_ns : ahead_ns(line);
    line->stale = false;
    takt_board_can_interrupt(line->index, line->armed_ns);
}

/* How soon a call of another may make an interrupt here. */
static uint64_t reaction_ns(void)
{
    bool aborting = false;
    for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
        aborting = aborting || (lines[i] != NULL && lines[i]->members[0]->simulated.aborting != 0);
    }
    return aborting ? bits_ns : shortest_ns;
}

/* Before virtual time passes, up to `to_ns`: the time that has come then. */
static uint64_t wait_in_network(uint64_t now_ns, uint64_t to_ns)
{
    for (;;) {
        takt_network_lock();
        if (!takt_network_take(keep)) {
            takt_network_promise(to_ns, reaction_ns());
            if (to_ns <= takt_network_later(takt_network_promised(false), reaction_ns())) {
                takt_network_unlock();
                return to_ns;
            }
            takt_network_wait();
        }
        takt_network_unlock();
        for (unsigned i = 0; i < TAKT_BOARD_CAN_MAX; i++) {
            if (lines[i] != NULL && lines[i]->stale) {
                arm(lines[i], now_ns);
                uint64_t armed_ns = lines[i]->armed_ns > now_ns ? lines[i]->armed_ns : now_ns;
                to_ns = armed_ns < to_ns ? armed_ns : to_ns;
            }
        }
        if (to_ns <= now_ns) {
            return now_ns;
        }
    }
}

/* Until all calls that come before one of this node now are known. */
static void wait_for_turn(uint64_t now_ns)
{
    takt_network_lock();
    for (;;) {
        bool came = takt_network_take(keep);
        takt_network_promise(now_ns, reaction_ns());
        if (!came && takt_network_promised(false) >= now_ns && takt_network_promised(true) > now_ns) {
            break;
        }
        if (!came) {
            takt_network_wait();
        }
    }
    takt_network_unlock();
}

static void write_down(const struct line *line, const struct takt_can_request *request, uint64_t now_ns)
{
    struct takt_network_call call = {
        .at_ns = now_ns, .bus = line->number, .what = (uint8_t)request->what, .mailbox = request->mailbox};
    if (request->frame != NULL) {
        call.frame = *request->frame;
    }
    takt_network_write(&call, keep);
}

static void simulate(void *argument, uint64_t now_ns)
{
    struct takt_can_request *request = argument;
    struct line *line = (struct line *)(void *)request->of; /* its first member */
    wait_for_turn(now_ns);
    advance(line, now_ns);
    play(line, now_ns, takt_network_self());
    takt_can_request_make(request);
    bool local = request->what == TAKT_CAN_REQUEST_INTERRUPT || request->what == TAKT_CAN_REQUEST_RECEIVE ||
                 request->what == TAKT_CAN_REQUEST_FILTER ||
                 (request->what == TAKT_CAN_REQUEST_NEXT_EVENT && !request->found);
    if (!local) {
        write_down(line, request, now_ns);
    }
    arm(line, now_ns);
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
    takt_network_write(&call, keep);
}

void takt_can_network_queued(unsigned index, const struct takt_can_frame *frame, uint64_t release_ns)
{
    struct queued queued = {.line = lines[index], .frame = frame, .release_ns = release_ns};
    takt_board_can_apart(report_queued, &queued);
}

/* Of a bus of the board. */
static bool number_of(unsigned index, uint64_t *number)
{
    static const char *const names[TAKT_BOARD_CAN_MAX] = {"network_bus0", "network_bus1"};
    return index < TAKT_BOARD_CAN_MAX && takt_board_option(names[index], number);
}

bool takt_can_network_has(unsigned index)
{
    uint64_t number = 0;
    return number_of(index, &number);
}

/* All buses of this node at once: calls of others come as soon as it has joined, also on one that it opens later. */
static void join(void)
{
    const struct takt_network_place unknown = {.kind = TAKT_CAN_TOUCAN, .transmit = 1};
    takt_network_join();
    for (unsigned index = 0; index < TAKT_BOARD_CAN_MAX; index++) {
        uint64_t number = 0;
        if (!number_of(index, &number)) {
            continue;
        }
        struct line *line = calloc(1, sizeof *line);
        if (line == NULL || number >= TAKT_NETWORK_BUSES_MAX) {
            takt_network_fail("no number of a bus");
        }
        line->index = index;
        line->number = (uint8_t)number;
        line->log = (struct takt_can_log){.index = index};
        line->raised_ns = UINT64_MAX;
        line->bus.nodes = line->nodes;
        add_member(line, takt_network_self(), &unknown);
        lines[index] = line;
    }
    takt_host_on_wait(wait_in_network);
}

struct takt_can_controller *takt_can_network(unsigned index, const struct takt_board_can_bus *bus)
{
    bool three = bus->fd || bus->mailboxes == 3;
    const struct takt_network_place place = {.kind = three ? TAKT_CAN_THREE : TAKT_CAN_TOUCAN,
                                             .transmit = bus->mailboxes == 0 ? 8 : bus->mailboxes};
    if (shortest_ns == UINT64_MAX) { /* its first bus */
        join();
    }
    struct line *line = lines[index];
    line->config = bus;
    line->rates = bus->rates;
    takt_network_lock();
    *takt_network_place(takt_network_self(), line->number) = place;
    takt_network_unlock();
    place_member(line, 0, &place);
    takt_can_requests_init(&line->requests, &line->members[0]->simulated, simulate);
    uint64_t fastest_bps = bus->rates.data_bps > bus->rates.nominal_bps ? bus->rates.data_bps : bus->rates.nominal_bps;
    uint64_t frame_ns = SHORTEST_BITS * TAKT_S(1) / fastest_bps, lost_ns = ABORTED_BITS * TAKT_S(1) / fastest_bps;
    shortest_ns = frame_ns < shortest_ns ? frame_ns : shortest_ns;
    bits_ns = bits_ns == 0 || lost_ns < bits_ns ? lost_ns : bits_ns;
    return &line->requests.controller;
}
