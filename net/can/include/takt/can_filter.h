/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_CAN_FILTER_H
#define TAKT_CAN_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dialect.h"
#include "takt/can_frame.h"

TAKT_C_BEGIN

/*
 * Acceptance filters: which frames a node takes from the bus. The forms are those of usual controllers: an identifier
 * with a mask, a range, two identifiers, and a sorted list. A set of wanted identifiers becomes a few masks with
 * takt_can_filters_cover.
 *
 * Context of every call: any. Blocks: never.
 */

enum takt_can_filter_kind {
    TAKT_CAN_FILTER_MASK = 0,  /* the bits of `second` of the identifier are those of `first` */
    TAKT_CAN_FILTER_RANGE = 1, /* the identifier is at least `first` and at most `second` */
    TAKT_CAN_FILTER_DUAL = 2   /* the identifier is `first` or `second` */
};

/* Frames that a filter accepts: a set of these. */
enum takt_can_filter_frames {
    TAKT_CAN_FILTER_DATA = 1, /* classic data frames */
    TAKT_CAN_FILTER_REMOTE = 2,
    TAKT_CAN_FILTER_FD = 4,
    TAKT_CAN_FILTER_ANY = 7
};

struct takt_can_filter {
    enum takt_can_filter_kind kind;
    unsigned frames; /* a set of enum takt_can_filter_frames */
    bool extended;   /* accepts identifiers of 29 bits alone; false: those of 11 bits alone */
    uint32_t first;  /* both at most TAKT_CAN_ID_MAX, or TAKT_CAN_ID_EXTENDED_MAX if extended */
    uint32_t second;
};

/* Whether its kind and frames exist, frames are not empty, and its values are in their range; first <= second of a
 * RANGE. O(1). */
bool takt_can_filter_is_valid(const struct takt_can_filter *filter);

/* Whether a valid filter accepts a valid frame. O(1). */
bool takt_can_filter_accepts(const struct takt_can_filter *filter, const struct takt_can_frame *frame);

/*
 * The index of the first of `count` valid filters that accepts the frame; `count`: none does. It can serve as the
 * number of a receive buffer. O(count).
 */
uint32_t takt_can_filters_match(const struct takt_can_filter *filters, uint32_t count,
                                const struct takt_can_frame *frame);

/*
 * Sorted lists of single identifiers, of both lengths. An entry of an identifier of 29 bits has TAKT_CAN_LIST_EXTENDED
 * set.
 */
#define TAKT_CAN_LIST_EXTENDED (UINT32_C(1) << 31)

/* Sorts a list and removes what is in it twice; returns how many entries are left. O(count log count), in steps of a
 * heap: no recursion, no memory. */
uint32_t takt_can_list_sort(uint32_t *list, uint32_t count);

/* The index of the frame's identifier in a sorted list; `count`: it is not there. O(log count). */
uint32_t takt_can_list_find(const uint32_t *list, uint32_t count, const struct takt_can_frame *frame);

enum { TAKT_CAN_COVER_FILTERS_MAX = 32 };

/* An identifier, and which of its bits count. */
struct takt_can_cube {
    uint32_t value;
    uint32_t mask;
};

/* What takt_can_filters_cover needs of memory for each identifier. */
struct takt_can_cover_work {
    struct takt_can_cube cube; /* private, as all fields */
    struct takt_can_cube before;
    uint32_t group;
    bool began;
};

struct takt_can_cover {
    const uint32_t *ids; /* `count` different identifiers, at least one, all of 11 or all of 29 bits */
    uint32_t count;
    bool extended;
    unsigned frames;                  /* of all filters: a set of enum takt_can_filter_frames, not empty */
    uint32_t filters_max;             /* 1 .. TAKT_CAN_COVER_FILTERS_MAX: as many as the controller has */
    uint64_t steps_max;               /* of the search for the best; 0: the greedy result alone */
    struct takt_can_cover_work *work; /* of the caller, `count` of them */
};

struct takt_can_covered {
    uint32_t filters; /* how many were written: 1 .. filters_max */
    uint64_t wrong;   /* identifiers that they accept although they are not wanted */
    bool exact;       /* no set of that many masks accepts fewer; false: steps_max ended the search */
};

/*
 * Writes at most `filters_max` mask filters that accept all identifiers, and as few others as possible.
 *
 * Greedy first: each identifier is a filter of its own, and the two filters whose union has the fewest identifiers
 * more than both are joined, until there are few enough. Then a search by branch and bound: each identifier in turn
 * goes to each of the filters so far or begins one, unless a filter has it already; what cannot become better than the
 * best so far is left. A set of masks that accepts the fewest is found so, as a mask that covers a group of identifiers
 * covers at least those that agree with all of them in the bits in which they agree.
 *
 * A step is one look at a mask. It takes at most steps_max steps of the search, and O(count^3) of the greedy part, each
 * O(1). The identifiers that overlapping masks accept are counted once, for which at most 2^20 steps of the result are
 * taken besides: if they do not do, `wrong` is an upper bound and `exact` is false.
 */
struct takt_can_covered takt_can_filters_cover(const struct takt_can_cover *cover, struct takt_can_filter *filters);

TAKT_C_END

#endif
