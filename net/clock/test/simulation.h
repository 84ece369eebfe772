/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes with counters that drift, and a bus that delays and loses their frames, in true time. */
#ifndef TAKT_CLOCK_TEST_SIMULATION_H
#define TAKT_CLOCK_TEST_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "takt/analysis_clock.h"
#include "takt/clock.h"

enum { NODES_MAX = 8, US = 1000, MS = 1000000, EVENTS_MAX = 512 };
#define S INT64_C(1000000000)

/* A node and its counter, which has run evenly since `from_ns`. */
struct sim_node {
    struct takt_clock clock;
    bool dead;
    bool faulty;                             /* what it knows of time is not looked at */
    int64_t ppb;                             /* of its counter now */
    int64_t from_ns;                         /* true */
    uint64_t local_ns;                       /* at from_ns */
    int64_t lies_ns;                         /* added to what its follow-ups say */
    int64_t wild_ppb;                        /* added to ppb: beyond what is declared */
    uint32_t missed[TAKT_CLOCK_MASTERS_MAX]; /* ticks of each master, in a row */
    uint32_t burst;                          /* ticks that it still is to miss */
    uint32_t starts;                         /* counts restarts: events from before one are void */
    uint64_t read_ns;                        /* its last reading */
};

struct sim {
    struct takt_analysis_clock needs;
    struct takt_analysis_clock_bounds bounds;
    struct takt_clock_config config;
    struct sim_node nodes[NODES_MAX];
    uint32_t count;
    uint64_t random;
    int64_t now_ns;
    uint32_t loss_percent;
    bool loses_more;    /* than needs.lost in a row */
    int64_t changed_ns; /* when the set of masters that act, or of nodes that live, was another */
    uint32_t acting;
    uint64_t widest_ns; /* between two nodes, ever, */
    uint64_t steady_ns; /* and where nothing changed for settle_ns */
    uint64_t ticks;
};

void sim_start(struct sim *sim, const struct takt_analysis_clock *needs, uint32_t count, uint64_t seed);
void sim_node_start(struct sim *sim, uint32_t node);
void sim_node_die(struct sim *sim, uint32_t node);

/* Lets the counter of a node jump ahead. */
void sim_jump(struct sim *sim, uint32_t node, uint64_t by_ns);

/* Lets it run faster or slower than is declared from now on. */
void sim_run_wild(struct sim *sim, uint32_t node, int64_t by_ppb);

/* Goes on to a true time. Checks at each event that no time goes back, and notes how far apart they are. */
void sim_run(struct sim *sim, int64_t until_ns);

uint64_t sim_below(struct sim *sim, uint64_t limit);
enum takt_clock_state sim_state(struct sim *sim, uint32_t node);

#endif
