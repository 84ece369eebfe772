/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PUSH_H
#define TAKT_PUSH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * When a value is pushed, and which push goes on next: dual priority (Davis and Wellings 1995, as seed 002, 6.3 uses
 * it, not as its implementation in 7.1 does). One that was released is served after all that has no deadline, until the
 * latest instant from which on it is still in time; then before. So deadlines hold, and what has none is fast while
 * they are far. Releases are never nearer than the period: who writes more often is held back.
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
    uint64_t period_ns;    /* the least distance of releases; of ASYNC their distance, at least 1 */
    uint64_t promotion_ns; /* relative: this long after its release it is promoted; of BULK anything */
    uint32_t level;        /* within a band the least goes first: deadline monotonic */
};

struct takt_push {
    struct takt_push_rule rule; /* private, as the rest */
    uint64_t release_ns;        /* of the push that is pending */
    uint64_t next_ns;           /* none is released before */
    uint64_t again_ns;          /* of the first write since its value was taken */
    bool pending;               /* released, now or at release_ns, and not ended */
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

/* There is a new value: SYNC and BULK are released, now or as soon as the period allows. */
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
