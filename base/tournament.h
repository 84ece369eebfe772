/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_TOURNAMENT_H
#define TAKT_BASE_TOURNAMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A tournament tree of two levels: the least of a set of 64-bit keys, one per leaf, equal keys in the order of leaves.
 * Leaves compete in groups of eight, and the winners of the groups in the root; up to eight leaves need only the root.
 * An insertion takes at most two comparisons. A removal has no further cost unless the leaf was a winner: then its
 * group is evaluated again, and the root too if it was the overall first. So with n leaves an insertion is O(1), and a
 * removal compares at most 7 + n / 8 times, of adjacent keys. No entry is moved or searched for. A leaf that came, won,
 * and leaves before anything else changed gives its place back to the one that it took it from, without a comparison.
 * Why not a heap: docs/decisions/0006-tournament-for-deadlines.md.
 */
#define TAKT_TOURNAMENT_WIDTH 8u
#define TAKT_TOURNAMENT_NONE UINT64_MAX /* key of an absent leaf; not permitted for others */

/* Numbers of keys and groups for takt_tournament_init. */
#define TAKT_TOURNAMENT_KEYS(leaves) \
    (((leaves) + TAKT_TOURNAMENT_WIDTH - 1u) / TAKT_TOURNAMENT_WIDTH * TAKT_TOURNAMENT_WIDTH)
#define TAKT_TOURNAMENT_GROUPS(leaves) (TAKT_TOURNAMENT_KEYS(leaves) / TAKT_TOURNAMENT_WIDTH)

struct takt_tournament_group {
    uint64_t least;  /* the key of `first` */
    uint16_t first;  /* first leaf of this group by key; its lowest leaf when all are absent */
    uint16_t second; /* who was first before it, if nothing else has changed since; otherwise `first` */
};

struct takt_tournament {
    uint64_t least;                       /* the key of `first`; TAKT_TOURNAMENT_NONE: all are absent */
    uint64_t *keys;                       /* a multiple of 8 */
    struct takt_tournament_group *groups; /* one per 8 keys; NULL with only 8 */
    struct takt_tournament_group *end;
    uint16_t first;  /* the leaf with the least key, the lowest of equals; 0 when all are absent */
    uint16_t second; /* as in a group */
};

/*
 * Initializes a tournament in which all leaves are absent; leaves > 0. `keys` has TAKT_TOURNAMENT_KEYS(leaves) entries,
 * `results` TAKT_TOURNAMENT_GROUPS(leaves), not accessed when that is 1. Both must stay while the tournament is used.
 * O(leaves).
 */
void takt_tournament_init(struct takt_tournament *tournament, uint64_t *keys, struct takt_tournament_group *results,
                          unsigned leaves);

/* Removes a leaf; no effect on an absent one. O(leaves / 8). */
void takt_tournament_remove(struct takt_tournament *tournament, unsigned leaf);

/* Increases the key of a present leaf. O(leaves / 8). */
void takt_tournament_increase(struct takt_tournament *tournament, unsigned leaf, uint64_t key);

/* An address in one register, for loads and stores of two words: less than an index for each word. */
#define TAKT_TOURNAMENT_AT(pointer) __asm("" : "+r"(pointer))

static inline bool takt_tournament_before(uint64_t key, unsigned leaf, uint64_t other, unsigned other_leaf)
{
    return key < other || (key == other && leaf < other_leaf);
}

/* The same, or the leaf itself with its key. */
static inline bool takt_tournament_not_after(uint64_t key, unsigned leaf, uint64_t other, unsigned other_leaf)
{
    return key < other || (key == other && leaf <= other_leaf);
}

/* The first has another key, and is still the first. */
static inline void takt_tournament_first_set(struct takt_tournament *tournament, uint64_t key)
{
    struct takt_tournament_group *group = tournament->groups;
    tournament->least = key;
    if (group != NULL) {
        group += tournament->first / TAKT_TOURNAMENT_WIDTH;
        TAKT_TOURNAMENT_AT(group);
        group->least = key;
    }
}

/* Inserts a leaf, or decreases the key of a present one, which must not increase. Returns whether it is the first.
 * O(1).
 */
static inline bool takt_tournament_insert(struct takt_tournament *tournament, unsigned leaf, uint64_t key)
{
    uint64_t *slot = &tournament->keys[leaf];
    TAKT_TOURNAMENT_AT(slot);
    *slot = key;
    struct takt_tournament_group *group = tournament->groups;
    if (group != NULL) {
        group += leaf / TAKT_TOURNAMENT_WIDTH;
        TAKT_TOURNAMENT_AT(group);
        unsigned before = group->first;
        group->second = (uint16_t)before;
        if (!takt_tournament_not_after(key, leaf, group->least, before)) {
            tournament->second = tournament->first;
            return false;
        }
        group->least = key;
        group->first = (uint16_t)leaf;
    }
    unsigned before = tournament->first;
    tournament->second = (uint16_t)before;
    if (!takt_tournament_not_after(key, leaf, tournament->least, before)) {
        return false;
    }
    tournament->least = key;
    tournament->first = (uint16_t)leaf;
    return true;
}

/* Decreases the key of a present leaf: the first stays the first. O(1). */
static inline void takt_tournament_decrease(struct takt_tournament *tournament, unsigned leaf, uint64_t key)
{
    if (tournament->first != leaf) {
        (void)takt_tournament_insert(tournament, leaf, key);
        return;
    }
    uint64_t *slot = &tournament->keys[leaf];
    TAKT_TOURNAMENT_AT(slot);
    *slot = key;
    takt_tournament_first_set(tournament, key);
}

#endif
