/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_HEATS_H
#define TAKT_BASE_HEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Heats and a final: the least of a set of 64-bit keys, one per leaf, equal keys in the order of leaves. The leaves run
 * in heats of eight, and the firsts of the heats meet in the final; up to eight leaves run in the final alone. What
 * comes in is compared twice at the most. What goes out costs nothing more unless it was first: then its heat is run
 * again, and the final too if it was the first of all. So with n leaves an insertion is O(1), and a removal compares
 * at most 7 + n / 8 times, keys that lie side by side. Nothing moves, and nothing is searched for. Why not a heap:
 * docs/decisions/0006-heats-for-deadlines.md.
 */
#define TAKT_HEAT_LEAVES 8u
#define TAKT_HEATS_NONE UINT64_MAX /* the key of a leaf that is out; no other has it */

/* For a number of leaves, how many keys and heats to give to takt_heats_init. */
#define TAKT_HEATS_KEYS(leaves) (((leaves) + TAKT_HEAT_LEAVES - 1u) / TAKT_HEAT_LEAVES * TAKT_HEAT_LEAVES)
#define TAKT_HEATS(leaves) (TAKT_HEATS_KEYS(leaves) / TAKT_HEAT_LEAVES)

struct takt_heat {
    uint64_t least; /* the key of `first` */
    uint16_t first; /* the leaf that is first in this heat; the first leaf of it when all are out */
};

struct takt_heats {
    uint64_t least;          /* the key of `first`; TAKT_HEATS_NONE: all are out */
    uint64_t *keys;          /* a multiple of 8 */
    struct takt_heat *heats; /* one per 8 keys; NULL when there are just 8 */
    struct takt_heat *end;
    uint16_t first; /* the leaf with the least key, the first of equals; 0 when all are out */
};

/*
 * All leaves are out; leaves > 0. `keys` are TAKT_HEATS_KEYS(leaves), `results` TAKT_HEATS(leaves), not touched when
 * that is 1. Both stay as long as the heats are used. O(leaves).
 */
void takt_heats_init(struct takt_heats *heats, uint64_t *keys, struct takt_heat *results, unsigned leaves);

/* Takes out a leaf; nothing happens to one that is out. O(leaves / 8). */
void takt_heats_remove(struct takt_heats *heats, unsigned leaf);

static inline bool takt_heats_before(uint64_t key, unsigned leaf, uint64_t other, unsigned other_leaf)
{
    return key < other || (key == other && leaf < other_leaf);
}

/* Brings in a leaf that is out, or brings forward one that is in: its key may fall, not rise. O(1). */
static inline void takt_heats_insert(struct takt_heats *heats, unsigned leaf, uint64_t key)
{
    heats->keys[leaf] = key;
    if (heats->heats != NULL) {
        struct takt_heat *heat = &heats->heats[leaf / TAKT_HEAT_LEAVES];
        if (!takt_heats_before(key, leaf, heat->least, heat->first)) {
            return;
        }
        heat->least = key;
        heat->first = (uint16_t)leaf;
    }
    if (takt_heats_before(key, leaf, heats->least, heats->first)) {
        heats->least = key;
        heats->first = (uint16_t)leaf;
    }
}

#endif
