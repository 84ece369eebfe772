/* SPDX-License-Identifier: Apache-2.0 */
/* Few masks for many identifiers: greedy, then branch and bound. */
#include <stddef.h>

#include "takt/can_filter.h"

enum { ID_BITS = 29, COUNT_STEPS = 1 << 20 };

struct search {
    const struct takt_can_cover *cover;
    struct takt_can_cube cubes[TAKT_CAN_COVER_FILTERS_MAX]; /* of the groups so far */
    uint32_t count;                                         /* of groups */
    uint64_t steps;                                         /* that are left */
};

static uint32_t all_bits(const struct takt_can_cover *cover)
{
    return cover->extended ? TAKT_CAN_ID_EXTENDED_MAX : TAKT_CAN_ID_MAX;
}

/* The least cube that holds both. */
static struct takt_can_cube join(struct takt_can_cube a, struct takt_can_cube b)
{
    uint32_t mask = a.mask & b.mask & ~(a.value ^ b.value);
    return (struct takt_can_cube){a.value & mask, mask};
}

/* How many identifiers are in a cube. */
static uint64_t size(struct takt_can_cube cube, uint32_t all)
{
    return UINT64_C(1) << __builtin_popcount(all & ~cube.mask);
}

static bool intersects(struct takt_can_cube a, struct takt_can_cube b)
{
    return ((a.value ^ b.value) & a.mask & b.mask) == 0;
}

static bool contains(struct takt_can_cube outer, struct takt_can_cube inner)
{
    return (outer.mask & ~inner.mask) == 0 && intersects(outer, inner);
}

static struct takt_can_cube single(const struct takt_can_cover *cover, uint32_t index)
{
    return (struct takt_can_cube){cover->ids[index], all_bits(cover)};
}

/* A mask of a cube that `part` meets without being in it; 0 if there is none. `inside`: it is in a cube. */
static uint32_t straddled(const struct takt_can_cube *cubes, uint32_t count, struct takt_can_cube part, bool *inside)
{
    uint32_t mask = 0;
    *inside = false;
    for (uint32_t i = 0; i < count && !*inside; i++) {
        *inside = contains(cubes[i], part);
        if (mask == 0 && intersects(cubes[i], part)) {
            mask = cubes[i].mask;
        }
    }
    return mask;
}

/*
 * How many identifiers are in at least one cube, by halves of what is partly covered: never more than one half a bit is
 * left for later. UINT64_MAX: the steps do not do.
 */
static uint64_t united(const struct takt_can_cube *cubes, uint32_t count, uint32_t all, uint64_t *steps)
{
    struct takt_can_cube later[ID_BITS + 1] = {{0, 0}};
    uint32_t waiting = 1;
    uint64_t sum = 0;
    while (waiting > 0) {
        struct takt_can_cube part = later[--waiting];
        bool inside;
        if (*steps < count) {
            return UINT64_MAX;
        }
        *steps -= count;
        uint32_t mask = straddled(cubes, count, part, &inside) & ~part.mask;
        if (inside) {
            sum += size(part, all);
        } else if (mask != 0) {
            uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(mask));
            part.mask |= bit;
            later[waiting++] = part;
            part.value |= bit;
            later[waiting++] = part;
        }
    }
    return sum;
}

/* Joins the two of `count` cubes that cost least, and what is inside of the result. Returns how many are left. */
static uint32_t join_best(struct takt_can_cover_work *work, uint32_t count, uint32_t all)
{
    uint32_t first = 0, second = 1;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            struct takt_can_cube both = join(work[i].cube, work[j].cube);
            int64_t more = (int64_t)(size(both, all) - size(work[i].cube, all) - size(work[j].cube, all));
            if (more < least) {
                least = more;
                first = i;
                second = j;
            }
        }
    }
    struct takt_can_cube both = join(work[first].cube, work[second].cube);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == first) {
            work[kept++].cube = both;
        } else if (!contains(both, work[i].cube)) {
            work[kept++].cube = work[i].cube;
        }
    }
    return kept;
}

static uint32_t greedy(const struct takt_can_cover *cover, struct takt_can_cube *best)
{
    uint32_t count = cover->count;
    for (uint32_t i = 0; i < count; i++) {
        cover->work[i].cube = single(cover, i);
    }
    while (count > cover->filters_max) {
        count = join_best(cover->work, count, all_bits(cover));
    }
    for (uint32_t i = 0; i < count; i++) {
        best[i] = cover->work[i].cube;
    }
    return count;
}

/* The group that has the identifier already; `count`: none. */
static uint32_t holder(const struct search *search, struct takt_can_cube one)
{
    uint32_t i = 0;
    while (i < search->count && !contains(search->cubes[i], one)) {
        i++;
    }
    return i;
}

/*
 * The least number of identifiers that any continuation accepts, when those before `next` are in their groups: what the
 * groups have, and the identifiers behind that none of them has. UINT64_MAX: the steps ended.
 */
static uint64_t bound(struct search *search, uint32_t next)
{
    uint64_t looks = (uint64_t)(search->cover->count - next) * search->count;
    if (search->steps < looks) {
        return UINT64_MAX;
    }
    search->steps -= looks;
    uint64_t sum = united(search->cubes, search->count, all_bits(search->cover), &search->steps);
    for (uint32_t i = next; i < search->cover->count && sum != UINT64_MAX; i++) {
        sum += holder(search, single(search->cover, i)) == search->count;
    }
    return sum;
}

/* Puts identifier `index` into its group, which may be a new one. */
static void put(struct search *search, uint32_t index)
{
    struct takt_can_cover_work *work = &search->cover->work[index];
    struct takt_can_cube one = single(search->cover, index);
    work->before = search->cubes[work->group];
    work->began = work->group == search->count;
    if (work->began) {
        search->cubes[search->count++] = one;
    } else {
        search->cubes[work->group] = join(work->before, one);
    }
}

/* Takes it out again; those behind it were taken out before. */
static void take_out(struct search *search, uint32_t index)
{
    const struct takt_can_cover_work *work = &search->cover->work[index];
    if (work->began) {
        search->count--;
    } else {
        search->cubes[work->group] = work->before;
    }
}

/* Takes identifiers out until one has a group that was not tried: puts it there. False: all was tried. */
static bool next_branch(struct search *search, uint32_t *index)
{
    while (*index > 0) {
        --*index;
        take_out(search, *index);
        struct takt_can_cover_work *work = &search->cover->work[*index];
        bool held = holder(search, single(search->cover, *index)) < search->count;
        if (!held && work->group < search->count && work->group + 1 < search->cover->filters_max) {
            work->group++;
            put(search, (*index)++);
            return true;
        }
    }
    return false;
}

/* Improves `best` of `filters` masks, which accept `accepted` identifiers. True: it ended with the best there is. */
static bool improve(struct search *search, struct takt_can_cube *best, uint32_t *filters, uint64_t *accepted)
{
    uint32_t index = 0;
    for (;;) {
        uint64_t least = bound(search, index);
        if (least == UINT64_MAX) {
            return false;
        }
        if (least < *accepted && index == search->cover->count) {
            *accepted = least;
            *filters = search->count;
            for (uint32_t i = 0; i < search->count; i++) {
                best[i] = search->cubes[i];
            }
        } else if (least < *accepted) {
            uint32_t group = holder(search, single(search->cover, index));
            search->cover->work[index].group = group < search->count ? group : 0;
            put(search, index++);
            continue;
        }
        if (!next_branch(search, &index)) {
            return true;
        }
    }
}

struct takt_can_covered takt_can_filters_cover(const struct takt_can_cover *cover, struct takt_can_filter *filters)
{
    struct takt_can_cube best[TAKT_CAN_COVER_FILTERS_MAX];
    struct takt_can_covered covered = {.filters = greedy(cover, best)};
    struct search search = {.cover = cover, .steps = cover->steps_max};
    uint64_t steps = COUNT_STEPS;
    uint64_t accepted = united(best, covered.filters, all_bits(cover), &steps);
    if (accepted == UINT64_MAX) { /* each for itself */
        accepted = 0;
        for (uint32_t i = 0; i < covered.filters; i++) {
            accepted += size(best[i], all_bits(cover));
        }
    }
    covered.exact = accepted == cover->count || improve(&search, best, &covered.filters, &accepted);
    covered.wrong = accepted - cover->count;
    for (uint32_t i = 0; i < covered.filters; i++) {
        filters[i] =
            (struct takt_can_filter){TAKT_CAN_FILTER_MASK, cover->frames, cover->extended, best[i].value, best[i].mask};
    }
    return covered;
}
