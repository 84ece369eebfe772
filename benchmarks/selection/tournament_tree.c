/* SPDX-License-Identifier: Apache-2.0 */
#include "tournament_tree.h"

void takt_tree_init(struct takt_tree *tournament)
{
    for (unsigned leaf = 0; leaf < tournament->leaves; leaf++) {
        tournament->keys[leaf] = UINT64_MAX;
    }
    for (unsigned node = tournament->leaves - 1u; node > 0; node--) { /* the leftmost leaf below each node */
        unsigned leftmost = node;
        while (leftmost < tournament->leaves) {
            leftmost *= 2;
        }
        tournament->winners[node] = (uint16_t)(leftmost - tournament->leaves);
    }
}

void takt_tree_set(const struct takt_tree *tournament, unsigned leaf, uint64_t key)
{
    const uint64_t *keys = tournament->keys;
    uint16_t *winners = tournament->winners;
    tournament->keys[leaf] = key;
    unsigned winner = leaf;
    unsigned rival = leaf ^ 1u;
    for (unsigned node = (tournament->leaves + leaf) >> 1; node > 0; node >>= 1) {
        uint64_t rival_key = keys[rival];
        if (rival_key < key || (rival_key == key && rival < winner)) {
            if (winners[node] == rival) {
                return; /* it won before, with the same key: nothing changes further up */
            }
            winner = rival;
            key = rival_key;
        }
        winners[node] = (uint16_t)winner;
        rival = winners[node ^ 1u];
    }
}
