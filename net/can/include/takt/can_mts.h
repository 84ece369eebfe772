/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_MTS_H
#define TAKT_CAN_MTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_frame.h"
#include "takt/can_length.h"

TAKT_C_BEGIN

/*
 * Identifiers that carry deadlines: the mixed traffic scheduler (MTS) of seed 000, 7.3, with an epoch protocol that
 * holds under lost ticks, masters that die and nodes that restart (docs/decisions/0039-mts.md).
 *
 * Of a high-speed message the identifier has the region of time in which it must begin, counted from the start of the
 * epoch. Low-speed and other messages have fixed identifiers. The lower identifier wins, so from the first bit on:
 *
 *     high-speed   0  | deadline (layout.deadline_bits) | unique
 *     tick         0  | 0 ... 0                         | rank of its master
 *     low-speed    10 | number; the first 2^unique_bits numbers are those of high-speed messages without an epoch
 *     others       11 | number; the last ones are fillers, one of each master
 *
 * A message's region is computed once, when it gets its first identifier, as a number that never wraps. Each epoch
 * subtracts the same whole number of regions from all, so two messages never change their order.
 *
 * An epoch begins with the tick of a master, rank 0 if it lives, rank r `stagger_ns` later for each better rank that is
 * silent. Its byte has a counter of 4 bits, and how late the tick before it was, with which all clocks are corrected.
 * Identifiers change while the n-th frame after the tick is sent: n - 1 frames later all nodes know it, and at its end
 * all have changed (takt_can_mts_plan finds n). On an idle bus the masters' fillers are these frames.
 *
 * A node that restarts, or that has missed ticks, has no epoch: its high-speed messages get low-speed identifiers, in
 * the order of `unique`, until it has heard two ticks in a row. Those that wait by then keep theirs.
 *
 * The driver calls: _tick and _frame at the end of each frame on the bus, its own included; _timer at _due; and after
 * each call, if `version` changed, it gives all pending high-speed messages new identifiers, which takes at most
 * `write_ns`. The frames of _offers are pending as long as it says so. Times are local, in ns, from a clock that does
 * not jump. A node has one such structure. Context of every call: any, one at a time. Blocks: never. O(1).
 */

enum {
    TAKT_CAN_MTS_MASTERS_MAX = 8,
    TAKT_CAN_MTS_NO_RANK = 255,       /* of a node that is no master */
    TAKT_CAN_MTS_LATENESS_STEPS = 15, /* 15 itself: not known */
    TAKT_CAN_MTS_FRAMES_MAX = 16
};

struct takt_can_mts_layout {
    bool extended;         /* identifiers of 29 bits */
    uint8_t deadline_bits; /* 2 .. 24 */
    uint8_t unique_bits;   /* 3 .. 8; with `deadline_bits` 10, or 28 if extended */
};

/* What the protocol must cope with. Times in ns, at most 10^9. */
struct takt_can_mts_needs {
    struct takt_can_mts_layout layout;
    struct takt_can_rates rates; /* data_bps is not read */
    uint8_t masters;             /* 1 .. TAKT_CAN_MTS_MASTERS_MAX */
    uint32_t clock_ppm;          /* most by which the rates of two clocks differ; at most 1000 */
    uint64_t stamp_ns;           /* a time stamp of the end of a frame is at most this late */
    uint64_t react_ns;           /* longest time from the end of a frame or a due time to the end of the call for it */
    uint64_t prepare_ns;         /* longest time from the end of a tick until new identifiers are computed */
    uint64_t write_ns;           /* longest time from the change of the epoch to new identifiers in the controller */
    uint64_t shortest_ns;        /* shortest frame but the protocol's own, with intermission; 0: any */
    uint64_t longest_ns;         /* longest frame of any kind, with intermission */
    uint64_t deadline_ns;        /* longest relative deadline of a high-speed message */
    uint64_t epoch_max_ns;       /* longest epoch that may be chosen */
};

/* What follows for every node of the bus, whatever the epoch. */
struct takt_can_mts_plan {
    uint8_t frames;     /* n: the frame after a tick during which identifiers change */
    uint8_t filler_dlc; /* no filler is shorter than the shortest frame */
    uint64_t tick_ns;   /* shortest and longest tick, with intermission */
    uint64_t tick_max_ns;
    uint64_t stagger_ns; /* between the times of two ranks */
    uint64_t step_ns;    /* unit of lateness */
    uint64_t settle_ns;  /* after the end of a frame: the next one has passed its arbitration */
    uint64_t error_ns;   /* most by which two nodes differ about a deadline, also across a change of the master */
    uint64_t rest_ns;    /* what the deadline field must reach beyond one epoch */
    uint64_t epoch_max_ns;
    uint32_t fields; /* values of the deadline field of high-speed messages: all but that of ticks */
};

/* A bus: the same in all nodes. */
struct takt_can_mts_bus {
    struct takt_can_mts_layout layout;
    uint8_t masters;
    struct takt_can_mts_plan plan;
    uint32_t regions;   /* of an epoch; 1 .. plan.fields - 1 */
    uint64_t region_ns; /* (fields - regions) * region_ns >= rest_ns; an epoch is regions * region_ns */
};

enum takt_can_mts_state {
    TAKT_CAN_MTS_LISTENING = 0, /* without an epoch */
    TAKT_CAN_MTS_HEARD = 1,     /* one tick was heard */
    TAKT_CAN_MTS_IN_EPOCH = 2   /* high-speed identifiers are sent */
};

/* A node. All fields are private, but `state` and `version` may be read. */
struct takt_can_mts {
    const struct takt_can_mts_bus *bus;
    enum takt_can_mts_state state;
    uint32_t version; /* counts changes of the identifiers of pending high-speed messages */
    uint8_t rank;
    uint8_t counter; /* of the last tick */
    uint8_t left;    /* frames that must end before identifiers change */
    bool sends_tick;
    bool changes;          /* identifiers change at change_ns */
    uint32_t generation;   /* of the numbers of epochs and regions */
    uint64_t epoch;        /* number of the last tick's epoch */
    uint64_t shown;        /* number of the epoch from which identifiers count: `epoch`, or the one before it */
    uint64_t grid_ns;      /* local time at which rank 0 should have queued the last tick */
    uint64_t stamp_ns;     /* when that rank or another did, less the stagger of its rank */
    uint64_t change_ns;    /* local time */
    uint64_t listen_until; /* LISTENING: of a master, when it begins an epoch of its own */
};

/* A high-speed message that is pending. */
struct takt_can_mts_message {
    uint64_t begin_ns;   /* its deadline less its longest transmission, local time; set by the caller */
    uint32_t generation; /* private, as below; 0 when it is queued, and after _start */
    int64_t region;
};

/* What an identifier means. */
enum takt_can_mts_kind {
    TAKT_CAN_MTS_TICK = 0,  /* `number`: rank */
    TAKT_CAN_MTS_HIGH = 1,  /* `number`: unique */
    TAKT_CAN_MTS_LOW = 2,   /* `number`: that of the low-speed message */
    TAKT_CAN_MTS_OTHER = 3, /* `number`: that of the message */
    TAKT_CAN_MTS_FILLER = 4 /* `number`: rank */
};

struct takt_can_mts_meaning {
    enum takt_can_mts_kind kind;
    uint32_t number;
};

bool takt_can_mts_layout_is_valid(const struct takt_can_mts_layout *layout);

/* Low-speed and other messages that there may be: numbers are below these. Of a valid layout. */
uint32_t takt_can_mts_low_count(const struct takt_can_mts_layout *layout);
uint32_t takt_can_mts_other_count(const struct takt_can_mts_layout *layout, uint8_t masters);

/* The identifier of a low-speed or another message. `number` is below their count. */
uint32_t takt_can_mts_low(const struct takt_can_mts_layout *layout, uint32_t number);
uint32_t takt_can_mts_other(const struct takt_can_mts_layout *layout, uint32_t number);

/* What an identifier of the layout means; a receiver of high-speed messages compares `number` alone. */
struct takt_can_mts_meaning takt_can_mts_meaning(const struct takt_can_mts_bus *bus, uint32_t id);

/*
 * The plan. Source of each term: docs/decisions/0039-mts.md. False: a value is out of range, or identifiers cannot
 * change during one frame (write_ns and settling exceed the shortest), or n would exceed TAKT_CAN_MTS_FRAMES_MAX.
 */
bool takt_can_mts_plan(const struct takt_can_mts_needs *needs, struct takt_can_mts_plan *plan);

/* Whether regions and region_ns fit the plan, of a valid plan. */
bool takt_can_mts_bus_is_valid(const struct takt_can_mts_bus *bus);

/* Starts or restarts a node. `bus` is valid and lives as long as `mts`; rank < masters, or TAKT_CAN_MTS_NO_RANK. No two
 * nodes have the same rank. */
void takt_can_mts_start(struct takt_can_mts *mts, const struct takt_can_mts_bus *bus, uint8_t rank, uint64_t now_ns);

/* A tick of the master `rank` has ended, also the node's own. `data`: its byte. */
void takt_can_mts_tick(struct takt_can_mts *mts, uint8_t rank, uint8_t data, uint64_t end_ns);

/* Any other frame has ended, also one of its own and a filler. */
void takt_can_mts_frame(struct takt_can_mts *mts, uint64_t end_ns);

/* The local time at which takt_can_mts_timer must be called; TAKT_SATURATED (base/arith.h): not at all. */
uint64_t takt_can_mts_due(const struct takt_can_mts *mts);

/* Time has come to now_ns; earlier and repeated calls do nothing. */
void takt_can_mts_timer(struct takt_can_mts *mts, uint64_t now_ns);

/* What the protocol has to send: its frames, which the node offers beside its messages. */
struct takt_can_mts_offers {
    bool tick;
    bool filler;
    struct takt_can_frame tick_frame; /* where `tick` */
    struct takt_can_frame filler_frame;
};
struct takt_can_mts_offers takt_can_mts_offers(const struct takt_can_mts *mts);

/*
 * The identifier of a pending high-speed message now. `unique` < 2^unique_bits is the stream's place by deadline, the
 * shortest first; no two streams of the bus have the same. The field saturates: what is late has the first region,
 * what is beyond the last one has the last.
 */
uint32_t takt_can_mts_high(const struct takt_can_mts *mts, uint32_t unique, struct takt_can_mts_message *message);

TAKT_C_END

#endif
