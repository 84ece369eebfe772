/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CLOCK_H
#define TAKT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * A common time of several nodes (docs/clock.md). One master sends a tick every interval, and after it a follow-up with
 * the common time at which the tick ended on the bus: all nodes, the master too, stamp that end with their own counter,
 * so what the tick waited for and its length do not count (Gergeleit and Streich, "Implementing a distributed
 * high-resolution real-time clock using the CAN-bus", 1st International CAN Conference, 1994). Nothing here is of CAN:
 * any medium will do on which a message ends for all at once.
 *
 * Masters are ranked. The lowest rank that lives sends; rank r takes over `silence_ns + r * stagger_ns` after the last
 * tick, and goes on with the time that it has. A master that restarts listens, follows, and takes over from a higher
 * rank when it has followed for settle_ns. The time of a node never goes back: it is slewed by slew_ppm, and is put
 * forward while the node is unsynchronized only. The rate of a counter is not corrected.
 *
 * A node rejects a master whose follow-ups do not fit the node's own counter: two in a row, or two that are
 * up to TAKT_CLOCK_WINDOW intervals apart, differ by more than 2 drift and the time stamps explain; or they are
 * accept_ns from the node's time. Where three or more masters are ranked, the others then send ticks too, which nobody
 * follows, and name it in their follow-ups: two of these voices are a vote. The master itself obeys it, and all nodes
 * leave it. One whose voice stays alone gives up, and follows. Neither is a master again until it restarts, unless
 * there is no other. At most one node is faulty at a time. With one or two masters there is no vote: a node that
 * rejects the master becomes unsynchronized, and then believes it.
 *
 * The values of a configuration, and the bound on the error, are those of takt_analysis_clock (takt/analysis_clock.h).
 *
 * The driver calls: _tick at the end of each tick on the bus, the node's own included; _follow_up when one was received
 * that is not its own; _timer at _due; and after each call it sends what _offers has, and no tick that it has not.
 * Times are in ns: local ones from a counter that does not jump, common ones below 2^56 (833 days).
 *
 * Context of every call: any. Blocks: never. Calls of one clock come one at a time, with local times that do not
 * decrease. O(masters).
 */

enum {
    TAKT_CLOCK_MASTERS_MAX = 8,
    TAKT_CLOCK_NO_RANK = 255, /* of a node that is no master */
    TAKT_CLOCK_WINDOW = 16,
    TAKT_CLOCK_TICK_BYTES = 1,
    TAKT_CLOCK_FOLLOW_UP_BYTES = 8
};

/* The same in all nodes. Times in ns of a node's own counter, each at most 2^55. */
struct takt_clock_config {
    uint64_t interval_ns;  /* > 0 */
    uint64_t follow_up_ns; /* a follow-up that is processed later after the end of its tick is dropped */
    uint64_t silence_ns;   /* these as takt/analysis_clock.h has them; silence_ns <= holdover_ns */
    uint64_t stagger_ns;
    uint64_t holdover_ns;
    uint64_t settle_ns;
    uint64_t accept_ns;
    uint64_t stamp_ns;
    uint32_t drift_ppm; /* 0 .. 500 */
    uint32_t slew_ppm;  /* 1 .. 100000 */
    uint8_t masters;    /* 1 .. TAKT_CLOCK_MASTERS_MAX */
};

enum takt_clock_state {
    TAKT_CLOCK_UNSYNCHRONIZED = 0,
    TAKT_CLOCK_HOLDOVER = 1, /* no tick for silence_ns: the bound holds, by the node's own counter */
    TAKT_CLOCK_SYNCHRONIZED = 2
};

/* One moment by both times. */
struct takt_clock_point {
    uint64_t local_ns;
    uint64_t time_ns; /* common */
};

/* What a node heard of a master; private. */
struct takt_clock_heard {
    uint64_t stamp_ns; /* of its last tick, local */
    uint64_t said_ns;  /* stamp of the last tick with a follow-up */
    uint8_t sequence;
    uint8_t rejects; /* the master that its last follow-up names, and 1; 0: none */
    bool waits;      /* for the follow-up of that tick */
    bool is_voice;   /* that tick is of a master that only votes */
    bool said;
};

/* A node. All fields are private. */
struct takt_clock {
    const struct takt_clock_config *config;
    uint8_t rank;
    bool timed;        /* `base` is a time that was given, so it must not go back */
    bool synchronized; /* or in holdover: time says */
    bool acting;       /* the master */
    bool voted_out;
    uint8_t master;   /* that it follows, TAKT_CLOCK_NO_RANK: none */
    uint8_t rejected; /* masters, a set */
    uint8_t sequence; /* of its next tick */
    uint8_t rejects;  /* in the follow-up that it offers */
    bool offers_tick, offers_follow_up;
    struct takt_clock_point base;             /* from which time is counted, */
    int64_t slew_ns;                          /* and what is still to be added, faster or slower by slew_ppm */
    struct takt_clock_point previous, anchor; /* of the master: the last tick, and one up to a window before it */
    uint64_t last_ns;                         /* local: stamp of the last tick that counted */
    uint64_t since_ns;                        /* local: since when it follows this master */
    uint64_t heard_ns;                        /* local: since when it listens, or the last tick of any master */
    uint64_t listens_ns;                      /* local: since when it listens */
    uint64_t rejected_ns;                     /* local: since when it rejects a master */
    uint64_t due_ns;                          /* local: of its next tick */
    uint64_t follow_up_ns;                    /* common time of its last tick */
    struct takt_clock_heard heard[TAKT_CLOCK_MASTERS_MAX];
};

/* Time as a node knows it. */
struct takt_clock_reading {
    enum takt_clock_state state;
    uint64_t time_ns; /* 0 before it was synchronized for the first time */
};

/* What a master sends now. */
struct takt_clock_offers {
    bool tick; /* until takt_clock_tick says that it was sent, or no longer */
    uint8_t tick_bytes[TAKT_CLOCK_TICK_BYTES];
    bool follow_up; /* until takt_clock_follow_up_sent, or no longer */
    uint8_t follow_up_bytes[TAKT_CLOCK_FOLLOW_UP_BYTES];
};

bool takt_clock_config_is_valid(const struct takt_clock_config *config);

/*
 * Starts or restarts a node. `config` is valid and lives as long as `clock`; `rank` < masters, each rank of one node,
 * or TAKT_CLOCK_NO_RANK. `begin`: now, and the common time with which a master begins that hears no other.
 */
void takt_clock_start(struct takt_clock *clock, const struct takt_clock_config *config, uint8_t rank,
                      struct takt_clock_point begin);

/*
 * The tick of the master `rank` has ended, its end stamped with stamp_ns; also the node's own, for which the length is
 * not looked at. One that was repeated on the bus counts from its last end. Other ranks and lengths are ignored.
 */
void takt_clock_tick(struct takt_clock *clock, uint8_t rank, const uint8_t *bytes, uint32_t length, uint64_t stamp_ns);

/* A follow-up of another master was received. What does not fit is ignored: rank, length, no tick before it, too late.
 */
void takt_clock_follow_up(struct takt_clock *clock, uint8_t rank, const uint8_t *bytes, uint32_t length,
                          uint64_t now_ns);

/* The node's own follow-up was sent. */
void takt_clock_follow_up_sent(struct takt_clock *clock);

/* The local time at which takt_clock_timer must be called; TAKT_SATURATED (base/arith.h): not at all. */
uint64_t takt_clock_due(const struct takt_clock *clock);

/* Time has come to now_ns; earlier and repeated calls do nothing. */
void takt_clock_timer(struct takt_clock *clock, uint64_t now_ns);

/* What the node has to send. */
struct takt_clock_offers takt_clock_offers(const struct takt_clock *clock);

/* State and common time. Of two readings the later one is never less. Its state is right whether or not
 * takt_clock_timer was called in time. */
struct takt_clock_reading takt_clock_read(const struct takt_clock *clock, uint64_t now_ns);

/* The master that the node follows, its own rank if it is the one; TAKT_CLOCK_NO_RANK: none. */
uint8_t takt_clock_master(const struct takt_clock *clock);

/* Whether the node was voted out, or gave up. */
bool takt_clock_is_voted_out(const struct takt_clock *clock);

TAKT_C_END

#endif
