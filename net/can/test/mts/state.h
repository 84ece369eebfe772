/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_MTS_STATE_H
#define TAKT_CAN_MTS_STATE_H

#include <stdbool.h>

#include "net/can/test/mts/search.h"
#include "takt/can_mts.h"

enum {
    SHORT = 2, /* also ticks and fillers */
    LONG = 3,
    REACT = 1,
    ERROR = 3,
    STAGGER = LONG + SHORT + 2 * REACT + ERROR,
    REGION = 5,
    DEADLINE = 20,
    SILENCE = 16, /* between times of restarts without ticks */
    CHOICES_MAX = 32,
    START = 1 << 20
};

enum event { NOTHING, TICK, FRAME };

struct node {
    struct takt_can_mts mts;
    bool alive;
    bool misled;     /* missed a tick that others had, and is not yet where they are */
    bool catches_up; /* has heard one since */
    bool handled;    /* has handled the event below */
};

/* The bus when it is free: an arbitration begins now. */
struct state {
    struct node nodes[NODES];
    uint64_t now;
    uint64_t apart; /* time for which some node has had no epoch, and since the last fault */
    bool settled;   /* all have had one since */
    enum event event;
    unsigned rank; /* of a tick */
    unsigned data;
    unsigned heard; /* nodes that had the tick: a set */
    uint64_t end;
    bool idle;  /* no frame ended just now */
    bool again; /* a tick must be sent again at once */
    unsigned faults;
};

extern const struct setting *setting;
extern struct takt_can_mts_bus bus;

void describe(const struct state *state);

/* The counter that others are compared with. */
unsigned base_counter(const struct state *state);

/* No live node has heard a tick. */
bool silent(const struct state *state);

/* What the future depends on; times count from now, counters from one another. */
uint64_t fingerprint(const struct state *state);

#endif
