/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tournament.h"

#include "base/inline.h"

void takt_tournament_init(struct takt_tournament *tournament, uint64_t *keys, struct takt_tournament_group *results,
                          unsigned leaves)
{
    unsigned count = TAKT_TOURNAMENT_GROUPS(leaves);
    *tournament = (struct takt_tournament){TAKT_TOURNAMENT_NONE, keys, count > 1 ? results : NULL, results + count, 0};
    for (unsigned leaf = 0; leaf < count * TAKT_TOURNAMENT_WIDTH; leaf++) {
        keys[leaf] = TAKT_TOURNAMENT_NONE;
    }
    for (unsigned group = 0; tournament->groups != NULL && group < count; group++) {
        results[group] =
            (struct takt_tournament_group){TAKT_TOURNAMENT_NONE, (uint16_t)(group * TAKT_TOURNAMENT_WIDTH)};
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
    tournament->first = best->first;
}

/* The key of a leaf has increased. In line, so that a removal has no argument more. */
static TAKT_INLINE void replay(struct takt_tournament *tournament, unsigned leaf)
{
    if (tournament->groups == NULL) {
        if (tournament->first == leaf) {
            tournament->first = (uint16_t)play_group(tournament->keys, &tournament->least);
        }
        return;
    }
    struct takt_tournament_group *group = &tournament->groups[leaf / TAKT_TOURNAMENT_WIDTH];
    if (group->first == leaf) {
        unsigned start = leaf / TAKT_TOURNAMENT_WIDTH * TAKT_TOURNAMENT_WIDTH;
        group->first = (uint16_t)(start + play_group(&tournament->keys[start], &group->least));
        if (tournament->first == leaf) {
            play_root(tournament);
        }
    }
}

void takt_tournament_remove(struct takt_tournament *tournament, unsigned leaf)
{
    tournament->keys[leaf] = TAKT_TOURNAMENT_NONE;
    replay(tournament, leaf);
}

void takt_tournament_increase(struct takt_tournament *tournament, unsigned leaf, uint64_t key)
{
    tournament->keys[leaf] = key;
    replay(tournament, leaf);
}
