/* SPDX-License-Identifier: Apache-2.0 */
/* The tournament against a scan, and every round of it after every change. */
#include "base/tournament.h"

#include "base/test/check.h"

enum { LEAVES_MAX = 64 };

static uint64_t keys[LEAVES_MAX];
static uint16_t winners[LEAVES_MAX];
static uint64_t truth[LEAVES_MAX];

/* The least key among `count` leaves from `first`, the first of equals. */
static unsigned scan(unsigned first, unsigned count)
{
    unsigned best = first;
    for (unsigned leaf = first; leaf < first + count; leaf++) {
        best = truth[leaf] < truth[best] ? leaf : best;
    }
    return best;
}

static void check_all(const struct takt_tournament *tournament)
{
    unsigned leaves = tournament->leaves;
    CHECK_EQUAL(takt_tournament_first(tournament), scan(0, leaves));
    for (unsigned leaf = 0; leaf < leaves; leaf++) {
        CHECK_EQUAL(keys[leaf], truth[leaf]);
    }
    for (unsigned round = 1; round < leaves; round *= 2) { /* round nodes share the leaves */
        for (unsigned node = round; node < 2 * round; node++) {
            CHECK_EQUAL(winners[node], scan((node - round) * (leaves / round), leaves / round));
        }
    }
}

static void random_changes(uint64_t *state, unsigned leaves, unsigned range)
{
    struct takt_tournament tournament = {keys, winners, (uint16_t)leaves};
    takt_tournament_init(&tournament);
    for (unsigned leaf = 0; leaf < leaves; leaf++) {
        truth[leaf] = UINT64_MAX;
    }
    check_all(&tournament);
    for (unsigned change = 0; change < 1000; change++) {
        unsigned leaf = (unsigned)(check_random(state) % leaves);
        uint64_t key = check_random(state) % range;
        truth[leaf] = key == 0 ? UINT64_MAX : key;
        takt_tournament_set(&tournament, leaf, truth[leaf]);
        check_all(&tournament);
    }
}

int main(void)
{
    uint64_t state = check_seed();
    for (unsigned leaves = 2; leaves <= LEAVES_MAX; leaves *= 2) {
        random_changes(&state, leaves, 4);
        random_changes(&state, leaves, 1000);
    }
    return 0;
}
