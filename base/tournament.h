/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_TOURNAMENT_H
#define TAKT_BASE_TOURNAMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A tournament tree of two rounds: the least of a set of 64-bit keys, one per leaf, equal keys in the order of leaves.
 * Leaves compete in groups of eight, and the winners of the groups in the root; up to eight leaves are the root alone.
 * An insertion takes at most two comparisons. A removal costs nothing more unless the leaf was a winner: then its group
 * is played again, and the root too if it was the first of all. So with n leaves an insertion is O(1), and a removal
 * compares at most 7 + n / 8 times, keys that lie side by side. Nothing moves, and nothing is searched for. Why not a
 * heap: docs/decisions/0006-tournament-for-deadlines.md.
 */
#define TAKT_TOURNAMENT_WIDTH 8u
#define TAKT_TOURNAMENT_NONE UINT64_MAX /* the key of a leaf that is out; no other has it */

/* For a number of leaves, how many keys and groups to give to takt_tournament_init. */
#define TAKT_TOURNAMENT_KEYS(leaves) \
    (((leaves) + TAKT_TOURNAMENT_WIDTH - 1u) / TAKT_TOURNAMENT_WIDTH * TAKT_TOURNAMENT_WIDTH)
#define TAKT_TOURNAMENT_GROUPS(leaves) (TAKT_TOURNAMENT_KEYS(leaves) / TAKT_TOURNAMENT_WIDTH)

struct takt_tournament_group {
    uint64_t least; /* the key of `first` */
    uint16_t first; /* the leaf that is first in this group; the first leaf of it when all are out */
};

struct takt_tournament {
    uint64_t least;                       /* the key of `first`; TAKT_TOURNAMENT_NONE: all are out */
    uint64_t *keys;                       /* a multiple of 8 */
    struct takt_tournament_group *groups; /* one per 8 keys; NULL when there are just 8 */
    struct takt_tournament_group *end;
    uint16_t first; /* the leaf with the least key, the first of equals; 0 when all are out */
};

/*
 * All leaves are out; leaves > 0. `keys` are TAKT_TOURNAMENT_KEYS(leaves), `results` TAKT_TOURNAMENT_GROUPS(leaves),
 * not touched when that is 1. Both stay as long as the tournament is used. O(leaves).
 */
void takt_tournament_init(struct takt_tournament *tournament, uint64_t *keys, struct takt_tournament_group *results,
                          unsigned leaves);

/* Takes out a leaf; nothing happens to one that is out. O(leaves / 8). */
void takt_tournament_remove(struct takt_tournament *tournament, unsigned leaf);

static inline bool takt_tournament_before(uint64_t key, unsigned leaf, uint64_t other, unsigned other_leaf)
{
    return key < other || (key == other && leaf < other_leaf);
}

/* Brings in a leaf that is out, or brings forward one that is in: its key may fall, not rise. O(1). */
static inline void takt_tournament_insert(struct takt_tournament *tournament, unsigned leaf, uint64_t key)
{
    tournament->keys[leaf] = key;
    if (tournament->groups != NULL) {
        struct takt_tournament_group *group = &tournament->groups[leaf / TAKT_TOURNAMENT_WIDTH];
        if (!takt_tournament_before(key, leaf, group->least, group->first)) {
            return;
        }
        group->least = key;
        group->first = (uint16_t)leaf;
    }
    if (takt_tournament_before(key, leaf, tournament->least, tournament->first)) {
        tournament->least = key;
        tournament->first = (uint16_t)leaf;
    }
}

#endif
