/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOURNAMENT_TREE_H
#define TOURNAMENT_TREE_H

#include <stdint.h>

/*
 * Tournament tree: the least of a fixed set of 64-bit keys, one per leaf, equal keys in the order of leaves. Whatever
 * happens to a key costs the same: one match on each of the log2(leaves) rounds above it, and fewer where the outcome
 * of a round stays. Nothing moves, so the worst case is no worse than the usual one (Knuth, The Art of Computer
 * Programming 3, 5.2.3). A leaf that does not take part has the greatest key.
 */
struct takt_tree {
    uint64_t *keys;    /* `leaves` of them */
    uint16_t *winners; /* `leaves` of them: winners[node] is the best leaf below it; 1 is the root, 0 is not used */
    uint16_t leaves;   /* a power of two, >= 2 */
};

/* Gives every leaf the greatest key. O(leaves). */
void takt_tree_init(struct takt_tree *tournament);

/* Sets one key. O(log leaves). */
void takt_tree_set(const struct takt_tree *tournament, unsigned leaf, uint64_t key);

/* The leaf with the least key; the first of equals. O(1). */
static inline unsigned takt_tree_first(const struct takt_tree *tournament)
{
    return tournament->winners[1];
}

#endif
