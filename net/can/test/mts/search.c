/* SPDX-License-Identifier: Apache-2.0 */
#include "net/can/test/mts/search.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "net/can/test/mts/state.h"

struct step {
    struct state state;
    unsigned choice;
};

const struct setting *setting;
struct takt_can_mts_bus bus;
static uint64_t *table;
static unsigned table_bits;
static uint64_t visited;
static struct step *path;
static size_t depth, path_size;
static const struct state *bad; /* being checked */

static void fail(const char *what)
{
    printf("%s, in \"%s\", after %llu states\n", what, setting->name, (unsigned long long)visited);
    for (size_t i = depth > 60 ? depth - 60 : 0; i < depth; i++) {
        describe(&path[i].state);
    }
    if (bad != NULL) {
        describe(bad);
    }
    fflush(stdout);
    abort();
}

static bool is_new(const struct state *state)
{
    uint64_t print = fingerprint(state), at = print >> (64 - table_bits);

    while (table[at] != 0) {
        if (table[at] == print) {
            return false;
        }
        at = (at + 1) & ((UINT64_C(1) << table_bits) - 1);
    }
    table[at] = print;
    visited++;
    if (visited > (UINT64_C(7) << (table_bits - 3))) {
        fail("too many states");
    }
    return true;
}

static unsigned late(unsigned i)
{
    return setting->slow >> i & 1 ? REACT : 0;
}

static void settle(struct node *node)
{
    bool there = node->catches_up && node->mts.shown == node->mts.epoch;

    node->misled = node->misled && node->mts.state == TAKT_CAN_MTS_IN_EPOCH && !there;
}

/* The node handles the end of the last frame. */
static void tell(struct state *state, unsigned i)
{
    struct node *node = &state->nodes[i];

    node->handled = true;
    if (state->event == FRAME) {
        takt_can_mts_frame(&node->mts, state->end);
    } else if (state->event == TICK && (state->heard >> i & 1) != 0) {
        bool gains =
            (setting->gains >> i & 1) != 0 && node->mts.counter % 2 != 0 && node->mts.counter != state->data >> 4;

        takt_can_mts_tick(&node->mts, (uint8_t)state->rank, (uint8_t)state->data, state->end);
        node->catches_up = true;
        if (gains) {
            node->mts.grid_ns--;
            node->mts.stamp_ns--;
        }
    }
    settle(node);
}

/* Nodes handle what is due now. */
static void handle(struct state *state)
{
    for (unsigned i = 0; i < NODES; i++) {
        struct node *node = &state->nodes[i];
        uint64_t due = takt_can_mts_due(&node->mts);

        if (!node->alive) {
            continue;
        }
        if (!node->handled && state->now >= state->end + late(i)) {
            tell(state, i);
            due = takt_can_mts_due(&node->mts);
        }
        if (due != TAKT_SATURATED && state->now >= due + late(i)) {
            takt_can_mts_timer(&node->mts, state->now);
            settle(node);
        }
    }
}

static void pass(struct state *state, unsigned units)
{
    for (unsigned i = 0; i < units; i++) {
        state->now++;
        handle(state);
    }
    state->apart += units;
}

static void end_frame(struct state *state, unsigned length, enum event event)
{
    pass(state, length);
    state->event = event;
    state->end = state->now;
    state->idle = false;
    for (unsigned i = 0; i < NODES; i++) {
        state->nodes[i].handled = false;
    }
    handle(state);
}

/* The identifiers that a node may offer now: protocol frames, messages due soon, later, long ago and far ahead, and a
 * low-speed one; those of messages after the others. */
enum { IDS = 7, FIRST_HIGH = 2, NEAR = 2, HIGHS = 4 };

static void identifiers(const struct state *state, unsigned i, uint32_t ids[IDS])
{
    const int64_t ahead[HIGHS] = {DEADLINE / 2, DEADLINE, -5 * REGION * (int64_t)bus.regions, 40 * REGION};
    const struct takt_can_mts *mts = &state->nodes[i].mts;
    struct takt_can_mts_offers offers = takt_can_mts_offers(mts);

    ids[0] = offers.tick ? offers.tick_frame.id : UINT32_MAX;
    ids[1] = offers.filler ? offers.filler_frame.id : UINT32_MAX;
    for (unsigned k = 0; k < HIGHS; k++) {
        struct takt_can_mts_message message = {.begin_ns = state->now + (uint64_t)ahead[k]};

        ids[FIRST_HIGH + k] = takt_can_mts_high(mts, i + NODES * k, &message);
    }
    ids[IDS - 1] = takt_can_mts_low(&bus.layout, 32 + i);
}

static void check_meaning(const uint32_t ids[IDS], unsigned i)
{
    for (unsigned k = 0; k < HIGHS; k++) {
        struct takt_can_mts_meaning meaning = takt_can_mts_meaning(&bus, ids[FIRST_HIGH + k]);

        if (meaning.kind != TAKT_CAN_MTS_HIGH || meaning.number != i + NODES * k) {
            fail("the identifier of a message is not its own");
        }
    }
}

static bool is_high(uint32_t id)
{
    return id < 0x400;
}

/* One moment on three nodes is in the same region, or in two that touch. */
static void check_agreement(const uint32_t a[IDS], const uint32_t b[IDS])
{
    for (unsigned k = FIRST_HIGH; k < FIRST_HIGH + NEAR; k++) {
        int apart = (int)(a[k] >> 5) - (int)(b[k] >> 5);

        if (is_high(a[k]) && is_high(b[k]) && (apart > 1 || apart < -1)) {
            fail("two nodes send identifiers of different epochs");
        }
    }
}

static void check(struct state *state)
{
    uint32_t ids[NODES][IDS];
    bool misled = false, master = false, all = true;

    for (unsigned i = 0; i < NODES; i++) {
        const struct node *node = &state->nodes[i];

        identifiers(state, i, ids[i]);
        if (node->alive) {
            check_meaning(ids[i], i);
        }
        misled |= node->alive && node->misled;
        master |= node->alive && i < setting->masters;
        all &= !node->alive || node->mts.state == TAKT_CAN_MTS_IN_EPOCH;
    }
    for (unsigned i = 0; i < NODES; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (!state->nodes[i].alive || !state->nodes[j].alive) {
                continue;
            }
            for (unsigned k = 0; k < IDS * IDS; k++) {
                if (ids[i][k / IDS] == ids[j][k % IDS] && ids[i][k / IDS] != UINT32_MAX) {
                    fail("two nodes send one identifier");
                }
            }
            if (!misled && !state->idle) {
                check_agreement(ids[i], ids[j]);
            }
        }
    }
    /* Time to listen, a start of two masters at once, to give up and listen again, and two ticks. */
    if (all && !misled) {
        state->settled = true;
    }
    if (all || !master) {
        state->apart = 0;
    }
    if (master && !all && (state->settled || state->apart > 12 * bus.regions * REGION)) {
        fail(state->settled ? "an epoch is lost without a fault" : "the nodes find no epoch");
    }
}

/* Whether a death now differs from one a little later: only then is the protocol at work. */
static bool is_at_work(const struct state *state)
{
    bool works = state->event == TICK && state->end == state->now;

    for (unsigned i = 0; i < NODES; i++) {
        const struct takt_can_mts *mts = &state->nodes[i].mts;

        works |= state->nodes[i].alive && (mts->sends_tick || mts->left > 0 || mts->changes);
    }
    return works;
}

/* Restarts are tried at the end of a tick, and at some times while there are none. */
static bool may_restart(const struct state *state)
{
    return (state->event == TICK && state->end == state->now) || (silent(state) && (state->now - START) % SILENCE == 0);
}

static void disturb(struct state *state)
{
    state->apart = 0;
    state->settled = false;
}

static void kill(struct state *state, unsigned i)
{
    state->nodes[i].alive = false;
    state->nodes[i].misled = false;
    state->nodes[i].handled = true;
    disturb(state);
    state->faults--;
}

static void restart(struct state *state, unsigned i, unsigned counter)
{
    struct node *node = &state->nodes[i];

    takt_can_mts_start(&node->mts, &bus, i < setting->masters ? (uint8_t)i : TAKT_CAN_MTS_NO_RANK, state->now);
    node->mts.counter = (uint8_t)((base_counter(state) + counter) & 15);
    node->alive = true;
    node->handled = true;
    disturb(state);
}

/* The tick of `sender` ends, and only `heard` had it; then it comes once more, or its sender is dead. */
static void send_tick(struct state *state, unsigned sender, unsigned heard, bool again)
{
    uint8_t data = takt_can_mts_offers(&state->nodes[sender].mts).tick_frame.data[0];

    pass(state, SHORT);
    state->event = TICK;
    state->rank = sender;
    state->data = data;
    state->heard = heard;
    state->end = state->now;
    state->idle = false;
    state->again = again;
    for (unsigned i = 0; i < NODES; i++) {
        state->nodes[i].handled = false;
        state->nodes[i].catches_up = false;
        state->nodes[i].misled |=
            !again && state->nodes[i].alive && !(heard >> i & 1) && state->nodes[i].mts.state == TAKT_CAN_MTS_IN_EPOCH;
    }
    if (!again && !(heard >> sender & 1)) {
        kill(state, sender);
        /* Those that had it are the misled ones if they are fewer; either may be. */
        for (unsigned i = 0; i < NODES; i++) {
            state->nodes[i].misled |= state->nodes[i].alive && heard != 0 && heard != 7u - (1u << sender);
        }
    }
    handle(state);
}

static unsigned tick_choices(const struct state *state, struct state *next, unsigned sender)
{
    unsigned count = 0, others = 7u - (1u << sender);

    next[count] = *state;
    send_tick(&next[count++], sender, 7, false);
    if (state->faults == 0) {
        return count;
    }
    for (unsigned heard = 0; heard < 7; heard++) {
        if ((heard & others) != heard) {
            continue;
        }
        next[count] = *state;
        next[count].faults--;
        disturb(&next[count]);
        send_tick(&next[count++], sender, heard, true);
        next[count] = *state;
        send_tick(&next[count++], sender, heard, false);
    }
    return count;
}

static unsigned frame_choices(const struct state *state, struct state *next, bool filler)
{
    unsigned count = 0;

    next[count] = *state;
    end_frame(&next[count++], SHORT, FRAME);
    next[count] = *state;
    end_frame(&next[count++], LONG, FRAME);
    if (!filler) {
        next[count] = *state;
        next[count].idle = true;
        pass(&next[count++], 1);
    }
    return count;
}

/* All states that may follow. A tick that was disturbed comes again at once, from the node that sent it. */
static unsigned successors(const struct state *state, struct state *next)
{
    unsigned count, sender = NODES;
    bool filler = false;

    for (unsigned i = NODES; i-- > 0;) {
        struct takt_can_mts_offers offers = takt_can_mts_offers(&state->nodes[i].mts);

        sender = state->nodes[i].alive && offers.tick ? i : sender;
        filler |= state->nodes[i].alive && offers.filler;
    }
    if (state->again) {
        struct state repeated = *state;

        repeated.again = false;
        /* Its byte is the same; the sender has not handled it as sent. */
        pass(&repeated, SHORT);
        repeated.event = TICK;
        repeated.heard = 7;
        repeated.end = repeated.now;
        for (unsigned i = 0; i < NODES; i++) {
            repeated.nodes[i].handled = false;
        }
        handle(&repeated);
        next[0] = repeated;
        return 1;
    }
    count = sender < NODES ? tick_choices(state, next, sender) : frame_choices(state, next, filler);
    for (unsigned i = 0; i < NODES; i++) {
        if (state->nodes[i].alive && state->faults > 0 && state->nodes[i].handled && is_at_work(state)) {
            next[count] = *state;
            kill(&next[count++], i);
        }
        for (unsigned counter = 0; !state->nodes[i].alive && may_restart(state) && counter < 16; counter += 7) {
            next[count] = *state;
            restart(&next[count++], i, counter + 15);
        }
    }
    if (count > CHOICES_MAX) {
        fail("too many choices");
    }
    return count;
}

static void push(const struct state *state)
{
    if (depth == path_size) {
        path_size = path_size == 0 ? 1024 : 2 * path_size;
        path = realloc(path, path_size * sizeof(*path));
        if (path == NULL) {
            abort();
        }
    }
    path[depth].state = *state;
    path[depth++].choice = 0;
}

static void search_from(const struct state *first)
{
    struct state next[CHOICES_MAX];

    push(first);
    while (depth > 0) {
        unsigned count = successors(&path[depth - 1].state, next);
        unsigned choice = path[depth - 1].choice++;

        if (choice >= count) {
            depth--;
            continue;
        }
        bad = &next[choice];
        check(&next[choice]);
        bad = NULL;
        if (is_new(&next[choice])) {
            push(&next[choice]);
        }
    }
}

uint64_t search(const struct setting *of)
{
    setting = of;
    bus = (struct takt_can_mts_bus){
        .layout = {.deadline_bits = 5, .unique_bits = 5}, .masters = (uint8_t)of->masters, .region_ns = REGION};
    bus.plan = (struct takt_can_mts_plan){.frames = (uint8_t)of->frames,
                                          .tick_ns = SHORT,
                                          .tick_max_ns = SHORT,
                                          .stagger_ns = STAGGER,
                                          .step_ns = 1,
                                          .settle_ns = 1,
                                          .error_ns = ERROR,
                                          .epoch_max_ns = 1000,
                                          .fields = 31};
    bus.plan.rest_ns = of->masters * STAGGER + of->frames * (LONG + REACT) + DEADLINE + ERROR;
    bus.regions = (uint32_t)takt_divide_up(2 * of->masters * STAGGER, REGION);
    if (!takt_can_mts_bus_is_valid(&bus)) {
        fail("the setting does not fit");
    }
    table_bits = of->faults < 2 ? 20 : 25;
    table = calloc(UINT64_C(1) << table_bits, sizeof(*table));
    if (table == NULL) {
        abort();
    }
    visited = 0;
    for (unsigned delay = 0; delay <= (of->faults < 2 ? 2 * STAGGER : 0); delay++) {
        struct state first = {.now = START, .end = START, .faults = of->faults, .idle = true};

        for (unsigned i = 0; i < NODES; i++) {
            restart(&first, i, 5 * i);
        }
        first.nodes[0].mts.listen_until += delay;
        search_from(&first);
    }
    free(table);
    return visited;
}
