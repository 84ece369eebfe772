/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_QUEUES_SEARCH_H
#define TAKTI_QUEUES_SEARCH_H

/* Search in the sorted timer queue, and its moves (docs/decisions/0009-sorted-timer-queue.md). */
#include "kernel/core/key.h"

#ifndef TAKT_PORT_MOVED
/* Words moved per iteration: at most TAKT_TIMERS_MARGIN + 1. A loop that the compiler unrolls, with few registers. */
#define TAKT_PORT_MOVED 8u
#define TAKT_PORT_MOVE_DOWN(to, from, stop) \
    do {                                    \
        TAKTI_MOVE(to, from, 0, 1);         \
        TAKTI_MOVE(to, from, 2, 3);         \
        TAKTI_MOVE(to, from, 4, 5);         \
        TAKTI_MOVE(to, from, 6, 7);         \
        from += 8;                          \
        to += 8;                            \
    } while (to != stop)
#define TAKT_PORT_MOVE_UP(to, from, stop) \
    do {                                  \
        from -= 8;                        \
        to -= 8;                          \
        TAKTI_MOVE(to, from, 7, 6);       \
        TAKTI_MOVE(to, from, 5, 4);       \
        TAKTI_MOVE(to, from, 3, 2);       \
        TAKTI_MOVE(to, from, 1, 0);       \
    } while (from > stop)
#define TAKTI_MOVE(to, from, a, b)      \
    do {                                \
        struct takt_timer *x = from[a]; \
        struct takt_timer *y = from[b]; \
        TAKTI_PAIR_STORES(x, y);        \
        to[a] = x;                      \
        to[b] = y;                      \
    } while (0)
#endif

#define TAKTI_SLOTS(count) ((count) * sizeof(struct takt_timer *)) /* bytes */

enum { TAKTI_ROUND = TAKT_PORT_MOVED * sizeof(struct takt_timer *) };

_Static_assert(TAKT_PORT_MOVED <= TAKT_TIMERS_MARGIN + 1, "a round stays within the slots");

/* The first of the 2^exponent entries that end with `last`. */
static inline const struct takt_timer *takti_first_of(struct takt_timer *const *last, unsigned exponent)
{
    return last[1 - (ptrdiff_t)(UINT32_C(1) << exponent)];
}

/*
 * The last entry of one of two windows of 2^exponent entries: that at the end of the queue and that at its beginning.
 */
static inline struct takt_timer **takti_window(struct takt_timer **first, struct takt_timer **last, unsigned exponent,
                                               uint64_t at_ns)
{
    return TAKTI_UNLIKELY(at_ns < takti_first_of(last, exponent)->at_ns) ? first + ((UINT32_C(1) << exponent) - 1)
                                                                         : last;
}

/* Of the 2^(exponent + 1) entries that end with `last`, the last entry of the half in which the search continues. */
static inline struct takt_timer **takti_half(struct takt_timer **last, unsigned exponent, uint64_t at_ns)
{
    return at_ns < takti_first_of(last, exponent)->at_ns ? last - (UINT32_C(1) << exponent) : last;
}

/*
 * The last entry whose expiry is not after `at_ns`; the first if there is none. One of two windows, which may overlap,
 * of the greatest power of two below the number of entries contains it. Then one step per halving: unrolled for each
 * power, and searching from the end, it takes half of the instructions. O(log n).
 */
static inline __attribute__((always_inline)) struct takt_timer **takti_timers_find(const struct takti_timers *timers,
                                                                                   uint64_t at_ns)
{
    struct takt_timer **first = timers->first;
    struct takt_timer **last = timers->last;
    struct takt_timer **slot;
    uintptr_t bytes = (uintptr_t)last - (uintptr_t)first;
    unsigned exponent;
    if (bytes >= TAKTI_SLOTS(32)) {
        exponent = 5;
        if (TAKTI_UNLIKELY(bytes >= TAKTI_SLOTS(64))) {
            if (last < first) {
                return first; /* there is none */
            }
            unsigned greatest = takt_bitmap_log2((uint32_t)(last - first));
            slot = takti_window(first, last, greatest, at_ns);
            while (greatest > 5) {
                slot = takti_half(slot, --greatest, at_ns);
            }
        } else {
            slot = takti_window(first, last, 5, at_ns);
        }
    } else if (bytes < TAKTI_SLOTS(4)) {
        if (bytes < TAKTI_SLOTS(2)) {
            return bytes != 0 && at_ns >= (*last)->at_ns ? last : first;
        }
        exponent = 1;
        slot = takti_window(first, last, 1, at_ns);
    } else if (bytes < TAKTI_SLOTS(8)) {
        exponent = 2;
        slot = takti_window(first, last, 2, at_ns);
    } else if (bytes < TAKTI_SLOTS(16)) {
        exponent = 3;
        slot = takti_window(first, last, 3, at_ns);
    } else {
        exponent = 4;
        slot = takti_window(first, last, 4, at_ns);
    }
    switch (exponent) {
    case 5:
        slot = takti_half(slot, 4, at_ns);
        __attribute__((fallthrough));
    case 4:
        slot = takti_half(slot, 3, at_ns);
        __attribute__((fallthrough));
    case 3:
        slot = takti_half(slot, 2, at_ns);
        __attribute__((fallthrough));
    case 2:
        slot = takti_half(slot, 1, at_ns);
        __attribute__((fallthrough));
    default:
        return takti_half(slot, 0, at_ns);
    }
}

/* Moves the entries after `first` up to `last`, at least one, down by one. */
static inline void takti_move_down(struct takt_timer *const *first, struct takt_timer **last)
{
    uintptr_t down = ((uintptr_t)first - (uintptr_t)last) & ~(uintptr_t)(TAKTI_ROUND - 1);
    struct takt_timer **to = (struct takt_timer **)((uintptr_t)last + down);
    struct takt_timer *const *from = to + 1;
    TAKT_PORT_MOVE_DOWN(to, from, last);
}

/* The same, up by one. */
static inline void takti_move_up(struct takt_timer *const *first, struct takt_timer **stop)
{
    struct takt_timer **to = stop + 1;
    TAKT_PORT_MOVE_UP(to, stop, first);
}

#endif
