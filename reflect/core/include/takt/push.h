/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PUSH_H
#define TAKT_PUSH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * When a value is pushed, and which push goes on next: dual priority (Davis and Wellings 1995, as seed 002, 6.3 uses
 * it, not as its implementation in 7.1 does). One that was released is served after all that has no deadline, until the
 * latest instant from which on it is still in time; then before. So deadlines hold, and what has none is fast while
 * they are far.
 *
 * Each push has a nominal time, from which its promotion counts: nominal times are never nearer than the period. It is
 * released when its value is written, but no more than the jitter before its nominal time: a writer that was late once
 * and goes on with its grid is served at once, and in any time w no more than (w + jitter) / period + 1 pushes are
 * released (docs/decisions/0021-admission.md). A writer that needs more than that is held back. If pushes in a row were
 * held back for a period altogether, and values may be left out, one is: the next value takes its turn.
 *
 * Context of every call: any. Blocks: never. O(1). Times are absolute, in ns, of one clock that never goes back.
 */

enum takt_push_kind {
    TAKT_PUSH_SYNC = 0,  /* released by a write */
    TAKT_PUSH_ASYNC = 1, /* released by time, in periods */
    TAKT_PUSH_BULK = 2   /* released by a write, without a deadline */
};

/* The order of service, from the best on. */
enum takt_push_band {
    TAKT_PUSH_HIGHEST = 0, /* SYNC, promoted */
    TAKT_PUSH_HIGH = 1,    /* ASYNC, promoted */
    TAKT_PUSH_MID = 2,     /* BULK */
    TAKT_PUSH_LOW = 3      /* with a deadline, not yet promoted */
};

struct takt_push_rule {
    enum takt_push_kind kind;
    uint64_t period_ns;    /* the least distance of nominal times; of ASYNC the distance of releases, at least 1 */
    uint64_t promotion_ns; /* relative: this long after its nominal time it is promoted; of BULK anything */
    uint32_t level;        /* within a band the least goes first: deadline monotonic */
    uint64_t jitter_ns;    /* so long before its nominal time it may be released; of ASYNC not read */
    bool every;            /* no value is left out */
    uint64_t delay_ns;     /* a write that keeps the period may be told of so late: if nominal times are no later than
                              that, no value is left out */
};

struct takt_push {
    struct takt_push_rule rule; /* private, as the rest */
    uint64_t release_ns;        /* of the push that is pending */
    uint64_t nominal_ns;        /* of the same: at release_ns or later */
    uint64_t next_ns;           /* the next nominal time is no sooner */
    uint64_t written_ns;        /* of the newest write */
    uint64_t again_ns;          /* of the first write since its value was taken */
    uint64_t held_ns;           /* for so long pushes were held back, since one was not */
    bool pending;               /* released, now or at release_ns, and not ended */
    bool skipping;              /* its value is left out if another one is written before release_ns */
    bool begun;                 /* its value was taken */
    bool again;                 /* there was a write since */
    bool repeat;                /* it is a value that was sent before: any write goes before it */
};

/*
 * Begins, from all zero or after a stop: an ASYNC push is released at once, but for the distance to one before, which
 * is kept.
 */
void takt_push_start(struct takt_push *push, const struct takt_push_rule *rule, uint64_t now);

/* Nothing is to be sent any more. */
static inline void takt_push_stop(struct takt_push *push)
{
    push->pending = false;
    push->repeat = false;
}

/* There is a new value: SYNC and BULK are released, now or as soon as period and jitter allow. */
void takt_push_written(struct takt_push *push, uint64_t now);

/*
 * SYNC and BULK: the newest value once more, if nothing is pending, when the period allows. It is never promoted, keeps
 * no write waiting, not even one that comes while it is sent: then it is not sent to its end.
 */
void takt_push_repeat(struct takt_push *push, uint64_t now);

/* Whether it is released at that time, and has blocks to send. */
static inline bool takt_push_is_ready(const struct takt_push *push, uint64_t now)
{
    return push->pending && push->release_ns <= now;
}

/* From when on it is ready, if nothing is written; UINT64_MAX: it will not be. */
static inline uint64_t takt_push_until(const struct takt_push *push)
{
    return push->pending ? push->release_ns : UINT64_MAX;
}

/* The band of a push that is ready. */
enum takt_push_band takt_push_band(const struct takt_push *push, uint64_t now);

/* Whether `a` goes before `b`, both ready, at `now`. Where neither does they are equals. */
bool takt_push_before(const struct takt_push *a, const struct takt_push *b, uint64_t now);

/* Its value was taken: what is written from now on is another one. */
void takt_push_begin(struct takt_push *push, uint64_t now);

/* The last of its blocks was sent, or there was nothing to send; of ASYNC the next one is released in its turn. */
void takt_push_end(struct takt_push *push, uint64_t now);

#endif
