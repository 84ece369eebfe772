/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tournament.h"

#include "base/inline.h"

#ifdef __OPTIMIZE_SIZE__
enum { USES_SECOND = 0 }; /* a first that leaves always has a match played for its place */
#else
enum { USES_SECOND = 1 };
#endif

void takt_tournament_init(struct takt_tournament *tournament, uint64_t *keys, struct takt_tournament_group *results,
                          unsigned leaves)
{
    unsigned count = TAKT_TOURNAMENT_GROUPS(leaves);
    *tournament =
        (struct takt_tournament){TAKT_TOURNAMENT_NONE, keys, count > 1 ? results : NULL, results + count, 0, 0};
    for (unsigned leaf = 0; leaf < count * TAKT_TOURNAMENT_WIDTH; leaf++) {
        keys[leaf] = TAKT_TOURNAMENT_NONE;
    }
    for (unsigned group = 0; tournament->groups != NULL && group < count; group++) {
        uint16_t lowest = (uint16_t)(group * TAKT_TOURNAMENT_WIDTH);
        results[group] = (struct takt_tournament_group){TAKT_TOURNAMENT_NONE, lowest, lowest};
    }
}

/*
 * The first of eight keys, and the least one. Both rounds go from the first to the last and change their mind only for
 * less: that decides ties.
 */
static TAKT_INLINE unsigned play_group(const uint64_t *keys, uint64_t *result)
{
    uint64_t least = keys[0];
    unsigned first = 0;
#ifndef __OPTIMIZE_SIZE__
#pragma GCC unroll 8 /* 4 instructions a key on the M3 in place of 6 */
#endif
    for (unsigned i = 1; i < TAKT_TOURNAMENT_WIDTH; i++) {
        if (keys[i] < least) {
            least = keys[i];
            first = i;
        }
    }
    *result = least;
    return first;
}

static inline void play_root(struct takt_tournament *tournament)
{
    const struct takt_tournament_group *best = tournament->groups;
    uint64_t least = best->least;
    for (const struct takt_tournament_group *group = best + 1; group < tournament->end;
         group++) { /* an eighth of the leaves */
        if (group->least < least) {
            least = group->least;
            best = group;
        }
    }
    tournament->least = least;
    tournament->first = tournament->second = best->first;
}

/*
 * The key of a leaf has increased. `leaves`: it is absent now, and the second, where it is known, is the first in its
 * place. In line, so that a removal has no argument more.
 */
static TAKT_INLINE void replay(struct takt_tournament *tournament, unsigned leaf, bool leaves)
{
    const uint64_t *keys = tournament->keys;
    unsigned first = tournament->first;
    if (tournament->groups != NULL) {
        struct takt_tournament_group *group = &tournament->groups[leaf / TAKT_TOURNAMENT_WIDTH];
        unsigned first_here = group->first;
        unsigned second_here = group->second;
        if (first_here != leaf) {
            group->second = (uint16_t)first_here;
        } else if (USES_SECOND && leaves && second_here != leaf) {
            group->first = (uint16_t)second_here;
            group->least = keys[second_here];
        } else {
            unsigned start = leaf / TAKT_TOURNAMENT_WIDTH * TAKT_TOURNAMENT_WIDTH;
            group->first = group->second = (uint16_t)(start + play_group(&keys[start], &group->least));
        }
    }
    unsigned second = tournament->second;
    if (first != leaf) {
        tournament->second = (uint16_t)first;
    } else if (USES_SECOND && leaves && second != leaf) {
        tournament->first = (uint16_t)second;
        tournament->least = keys[second];
    } else if (tournament->groups != NULL) {
        play_root(tournament);
    } else {
        tournament->first = tournament->second = (uint16_t)play_group(keys, &tournament->least);
    }
}

void takt_tournament_remove(struct takt_tournament *tournament, unsigned leaf)
{
    tournament->keys[leaf] = TAKT_TOURNAMENT_NONE;
    replay(tournament, leaf, true);
}

void takt_tournament_increase(struct takt_tournament *tournament, unsigned leaf, uint64_t key)
{
    unsigned second = tournament->second;
    uint64_t *slot = &tournament->keys[leaf];
    TAKT_TOURNAMENT_AT(slot);
    *slot = key;
    if (USES_SECOND && tournament->first == leaf && second != leaf &&
        takt_tournament_before(key, leaf, tournament->keys[second], second)) {
        takt_tournament_first_set(tournament, key);
        return;
    }
    replay(tournament, leaf, false);
}
