/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PUSH_H
#define TAKT_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * Release and order of pushes: dual priority (Davis and Wellings 1995, as used in seed 002, 6.3, not in its
 * implementation in 7.1). A released push with a deadline is served after pushes without one until its promotion, the
 * latest time at which it can still meet its deadline; then before them. So deadlines hold, and pushes without one are
 * fast while deadlines are distant.
 *
 * Each push has a nominal time, from which its promotion counts: nominal times are never nearer than the period. It is
 * released when its value is written, but at most the jitter before its nominal time: a writer that was late once and
 * continues its grid is served at once, and in any time w at most (w + jitter) / period + 1 pushes are released
 * (docs/decisions/0021-admission.md). A faster writer is held back. If successive pushes were held back for a period in
 * total and values may be skipped, one is skipped: the next value replaces it.
 *
 * Context of every call: any. Blocks: never. O(1). Times are absolute, in ns, of one clock that never goes back.
 */

enum takt_push_kind {
    TAKT_PUSH_SYNC = 0,  /* released by a write */
    TAKT_PUSH_ASYNC = 1, /* released by time, in periods */
    TAKT_PUSH_BULK = 2   /* released by a write, without a deadline */
};

/* Order of service, best first. */
enum takt_push_band {
    TAKT_PUSH_HIGHEST = 0, /* SYNC, promoted */
    TAKT_PUSH_HIGH = 1,    /* ASYNC, promoted */
    TAKT_PUSH_MID = 2,     /* BULK */
    TAKT_PUSH_LOW = 3      /* with a deadline, not yet promoted */
};

struct takt_push_rule {
    enum takt_push_kind kind;
    uint64_t period_ns;    /* minimum distance of nominal times; ASYNC: distance of releases, at least 1 */
    uint64_t promotion_ns; /* from its nominal time to its promotion; not read for BULK */
    uint32_t level;        /* order within a band, the least first: deadline monotonic */
    uint64_t jitter_ns;    /* longest time of a release before its nominal time; not read for ASYNC */
    bool every;            /* no value is left out */
    uint64_t delay_ns; /* longest delay until the node learns of a write that keeps the period: while nominal times are
                          at most that late, no value is skipped */
};

struct takt_push {
    struct takt_push_rule rule; /* private, as all fields */
    uint64_t release_ns;        /* release of the pending push */
    uint64_t nominal_ns;        /* nominal time of the pending push: at release_ns or later */
    uint64_t next_ns;           /* earliest next nominal time */
    uint64_t written_ns;        /* time of the newest write */
    uint64_t again_ns;          /* time of the first write since its value was taken */
    uint64_t held_ns;           /* total time for which successive pushes were held back */
    bool pending;               /* released, now or at release_ns, and not ended */
    bool skipping;              /* its value is skipped if another one is written before release_ns */
    bool begun;                 /* its value was taken */
    bool again;                 /* written since then */
    bool repeat;                /* retransmission of a value: any write replaces it */
};

/*
 * Starts, from all zero or after a stop: an ASYNC push is released at once, or as soon as the distance to the previous
 * one permits.
 */
void takt_push_start(struct takt_push *push, const struct takt_push_rule *rule, uint64_t now);

/* Stops: nothing is pending. */
static inline void takt_push_stop(struct takt_push *push)
{
    push->pending = false;
    push->repeat = false;
}

/* Notes a new value: releases SYNC and BULK now, or as soon as period and jitter permit. */
void takt_push_written(struct takt_push *push, uint64_t now);

/*
 * SYNC and BULK: releases the newest value again, if nothing is pending, when the period permits. It is never promoted
 * and delays no write: a write during its transmission aborts it.
 */
void takt_push_repeat(struct takt_push *push, uint64_t now);

/* Whether the push is released and has blocks to send. */
static inline bool takt_push_is_ready(const struct takt_push *push, uint64_t now)
{
    return push->pending && push->release_ns <= now;
}

/* Time at which the push becomes ready without a further write; UINT64_MAX: never. */
static inline uint64_t takt_push_until(const struct takt_push *push)
{
    return push->pending ? push->release_ns : UINT64_MAX;
}

/* The band of a ready push. */
enum takt_push_band takt_push_band(const struct takt_push *push, uint64_t now);

/* Whether `a` precedes `b`, both ready, at `now`. They are equals if neither does. */
bool takt_push_before(const struct takt_push *a, const struct takt_push *b, uint64_t now);

/* Notes that its value was taken: later writes are of another value. */
void takt_push_begin(struct takt_push *push, uint64_t now);

/* Notes that its last block was sent, or that there was nothing to send; releases the next ASYNC push in its turn. */
void takt_push_end(struct takt_push *push, uint64_t now);

TAKT_C_END

#endif
