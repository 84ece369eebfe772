/* SPDX-License-Identifier: Apache-2.0 */
#include "simulation.h"

#include "base/arith.h"
#include "base/test/check.h"

enum kind { TIMER, DRIFT, TICK, FOLLOW_UP, SENT };

struct event {
    int64_t at_ns;
    enum kind kind;
    uint32_t node, starts;
    uint8_t rank;
    bool lost;
    uint8_t bytes[TAKT_CLOCK_FOLLOW_UP_BYTES];
    int64_t end_ns; /* TICK: true time of its end */
};

static struct event events[EVENTS_MAX];
static uint32_t event_count;
static bool queued_tick[NODES_MAX], queued_follow_up[NODES_MAX];
static int64_t timer_ns[NODES_MAX]; /* of the TIMER event that is queued; 0: none */

uint64_t sim_below(struct sim *sim, uint64_t limit)
{
    return limit == 0 ? 0 : check_random(&sim->random) % limit;
}

static void add(struct event event)
{
    CHECK(event_count < EVENTS_MAX);
    events[event_count++] = event;
}

static int64_t ppb(const struct sim_node *node)
{
    return node->ppb + node->wild_ppb;
}

static uint64_t local_at(const struct sim_node *node, int64_t at_ns)
{
    __int128 past = at_ns - node->from_ns;
    return node->local_ns + (uint64_t)(past * (S + ppb(node)) / S);
}

/* The first true time at which the counter shows that. */
static int64_t true_at(const struct sim_node *node, uint64_t local_ns)
{
    __int128 past = local_ns > node->local_ns ? local_ns - node->local_ns : 0;
    int64_t at_ns = node->from_ns + (int64_t)((past * S + S + ppb(node) - 1) / (S + ppb(node)));
    return local_at(node, at_ns) < local_ns ? at_ns + 1 : at_ns;
}

/* Its counter runs on from here. */
static void settle(struct sim *sim, struct sim_node *node)
{
    node->local_ns = local_at(node, sim->now_ns);
    node->from_ns = sim->now_ns;
}

static void draw_rate(struct sim *sim, struct sim_node *node)
{
    int64_t most = INT64_C(1000) * sim->needs.drift_ppm;
    uint64_t choice = sim_below(sim, 4);
    settle(sim, node);
    node->ppb = choice == 0 ? -most : choice == 1 ? most : (int64_t)sim_below(sim, 2 * (uint64_t)most + 1) - most;
}

/* Offers of a node go on the bus, and its timer is set. */
static void serve(struct sim *sim, uint32_t i)
{
    struct sim_node *node = &sim->nodes[i];
    struct takt_clock_offers offers = takt_clock_offers(&node->clock);
    uint8_t rank = node->clock.rank;
    if (offers.tick && !queued_tick[i]) {
        int64_t end_ns = sim->now_ns + (int64_t)sim_below(sim, sim->needs.tick_ns);
        queued_tick[i] = true;
        sim->ticks++;
        for (uint32_t to = 0; to < sim->count; to++) {
            struct sim_node *receiver = &sim->nodes[to];
            int64_t late = (int64_t)sim_below(sim, sim->needs.stamp_ns + 1);
            bool lost = to != i && (receiver->burst > 0 || sim_below(sim, 100) < sim->loss_percent);
            lost &= sim->loses_more || receiver->missed[rank] < sim->needs.lost;
            receiver->burst -= receiver->burst > 0;
            receiver->missed[rank] = lost ? receiver->missed[rank] + 1 : 0;
            add((struct event){end_ns + late, TICK, to, receiver->starts, rank, lost, {offers.tick_bytes[0]}, end_ns});
        }
    }
    if (offers.follow_up && !queued_follow_up[i]) {
        queued_follow_up[i] = true;
        uint64_t time_ns = 0;
        for (unsigned b = 7; b > 0; b--) {
            time_ns = time_ns << 8 | offers.follow_up_bytes[b];
        }
        time_ns += (uint64_t)node->lies_ns;
        for (unsigned b = 1; b < 8; b++) {
            offers.follow_up_bytes[b] = (uint8_t)(time_ns >> 8 * (b - 1));
        }
        int64_t first_ns = sim->now_ns + (int64_t)sim->needs.stamp_ns; /* all have stamped the tick */
        uint64_t room = sim->needs.follow_up_ns - 2 * sim->needs.stamp_ns - 1;
        for (uint32_t to = 0; to < sim->count; to++) {
            struct event event = {.at_ns = first_ns + (int64_t)sim_below(sim, room),
                                  .kind = to == i ? SENT : FOLLOW_UP,
                                  .node = to,
                                  .starts = sim->nodes[to].starts,
                                  .rank = rank};
            memcpy(event.bytes, offers.follow_up_bytes, sizeof event.bytes);
            add(event);
        }
    }
    uint64_t due = takt_clock_due(&node->clock);
    if (due != TAKT_SATURATED) {
        int64_t at_ns = true_at(node, due);
        at_ns = at_ns < sim->now_ns ? sim->now_ns : at_ns;
        if (timer_ns[i] == 0 || at_ns < timer_ns[i]) {
            timer_ns[i] = at_ns;
            add((struct event){.at_ns = at_ns, .kind = TIMER, .node = i, .starts = node->starts});
        }
    }
}

void sim_node_start(struct sim *sim, uint32_t i)
{
    struct sim_node *node = &sim->nodes[i];
    settle(sim, node);
    node->dead = false;
    node->starts++;
    node->local_ns = sim_below(sim, 1000 * MS);
    node->read_ns = 0;
    timer_ns[i] = 0;
    queued_tick[i] = queued_follow_up[i] = false;
    uint8_t rank = i < sim->needs.masters ? (uint8_t)i : TAKT_CLOCK_NO_RANK;
    struct takt_clock_point begin = {node->local_ns, sim_below(sim, 10) == 0 ? 3600 * UINT64_C(1000000000) : 5000};
    takt_clock_start(&node->clock, &sim->config, rank, begin);
    sim->changed_ns = sim->now_ns;
    serve(sim, i);
}

void sim_node_die(struct sim *sim, uint32_t node)
{
    sim->nodes[node].dead = true;
    sim->nodes[node].starts++;
    sim->changed_ns = sim->now_ns;
}

void sim_jump(struct sim *sim, uint32_t node, uint64_t by_ns)
{
    settle(sim, &sim->nodes[node]);
    sim->nodes[node].local_ns += by_ns;
    timer_ns[node] = 0; /* what is due comes sooner */
    serve(sim, node);
}

void sim_run_wild(struct sim *sim, uint32_t node, int64_t by_ppb)
{
    settle(sim, &sim->nodes[node]);
    sim->nodes[node].wild_ppb = by_ppb;
    timer_ns[node] = 0;
    serve(sim, node);
}

void sim_start(struct sim *sim, const struct takt_analysis_clock *needs, uint32_t count, uint64_t seed)
{
    memset(sim, 0, sizeof *sim);
    sim->needs = *needs;
    sim->count = count;
    sim->random = seed;
    CHECK(takt_analysis_clock(needs, &sim->bounds) == TAKT_ANALYSIS_OK);
    const struct takt_analysis_clock_bounds *bounds = &sim->bounds;
    sim->config =
        (struct takt_clock_config){needs->interval_ns,     needs->follow_up_ns + needs->follow_up_ns / 1000 + 1,
                                   bounds->silence_ns,     bounds->stagger_ns,
                                   bounds->holdover_ns,    bounds->settle_ns,
                                   bounds->accept_ns,      needs->stamp_ns,
                                   needs->drift_ppm,       needs->slew_ppm,
                                   (uint8_t)needs->masters};
    CHECK(takt_clock_config_is_valid(&sim->config));
    event_count = 0;
    sim->now_ns = 1;
    for (uint32_t i = 0; i < count; i++) {
        sim->nodes[i].from_ns = sim->now_ns;
        draw_rate(sim, &sim->nodes[i]);
        sim_node_start(sim, i);
        add((struct event){.at_ns = 1 + (int64_t)sim_below(sim, S), .kind = DRIFT, .node = i});
    }
}

enum takt_clock_state sim_state(struct sim *sim, uint32_t node)
{
    return takt_clock_read(&sim->nodes[node].clock, local_at(&sim->nodes[node], sim->now_ns)).state;
}

/* All times now. */
static void look(struct sim *sim)
{
    uint64_t least = UINT64_MAX, most = 0;
    uint32_t acting = 0;
    for (uint32_t i = 0; i < sim->count; i++) {
        struct sim_node *node = &sim->nodes[i];
        if (node->dead) {
            continue;
        }
        struct takt_clock_reading reading = takt_clock_read(&node->clock, local_at(node, sim->now_ns));
        CHECK(reading.time_ns >= node->read_ns);
        node->read_ns = reading.time_ns;
        acting |= (uint32_t)node->clock.acting << i;
        if (!node->faulty && reading.state != TAKT_CLOCK_UNSYNCHRONIZED) {
            least = reading.time_ns < least ? reading.time_ns : least;
            most = reading.time_ns > most ? reading.time_ns : most;
        }
    }
    if (acting != sim->acting) {
        sim->acting = acting;
        sim->changed_ns = sim->now_ns;
    }
    uint64_t width = most > least ? most - least : 0;
    sim->widest_ns = width > sim->widest_ns ? width : sim->widest_ns;
    uint64_t settled = sim->bounds.settle_ns + sim->bounds.settle_ns / 500;
    if ((uint64_t)(sim->now_ns - sim->changed_ns) > settled && width > sim->steady_ns) {
        sim->steady_ns = width;
    }
}

static void step(struct sim *sim, const struct event *event)
{
    struct sim_node *node = &sim->nodes[event->node];
    if (event->kind == DRIFT) {
        draw_rate(sim, node);
        add((struct event){.at_ns = sim->now_ns + (int64_t)sim_below(sim, S), .kind = DRIFT, .node = event->node});
        timer_ns[event->node] = 0;
    } else if (node->dead || event->starts != node->starts) {
        return;
    } else if (event->kind == TIMER) {
        if (event->at_ns != timer_ns[event->node]) {
            return;
        }
        timer_ns[event->node] = 0;
        takt_clock_timer(&node->clock, local_at(node, sim->now_ns));
    } else if (event->kind == TICK) {
        if (event->rank == node->clock.rank) {
            queued_tick[event->node] = false;
        }
        if (!event->lost) {
            takt_clock_tick(&node->clock, event->rank, event->bytes, 1, local_at(node, sim->now_ns));
        }
    } else if (event->kind == SENT) {
        queued_follow_up[event->node] = false;
        takt_clock_follow_up_sent(&node->clock);
    } else {
        takt_clock_follow_up(&node->clock, event->rank, event->bytes, 8, local_at(node, sim->now_ns));
    }
    if (!node->dead) {
        serve(sim, event->node);
    }
}

void sim_run(struct sim *sim, int64_t until_ns)
{
    for (;;) {
        uint32_t first = 0;
        for (uint32_t i = 1; i < event_count; i++) {
            first = events[i].at_ns < events[first].at_ns ? i : first;
        }
        if (event_count == 0 || events[first].at_ns > until_ns) {
            break;
        }
        struct event event = events[first];
        events[first] = events[--event_count];
        look(sim);
        sim->now_ns = event.at_ns;
        look(sim);
        step(sim, &event);
        look(sim);
    }
    sim->now_ns = until_ns;
    look(sim);
}
