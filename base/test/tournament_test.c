/* SPDX-License-Identifier: Apache-2.0 */
/* The tournament against a scan, and the result of every group after every change. */
#include "base/tournament.h"

#include "base/test/check.h"

enum { LEAVES_MAX = 100 };

static uint64_t keys[TAKT_TOURNAMENT_KEYS(LEAVES_MAX)];
static struct takt_tournament_group results[TAKT_TOURNAMENT_GROUPS(LEAVES_MAX)];
static uint64_t truth[LEAVES_MAX];

/* The leaf with the least key among `count` from `start`, the first of equals; leaves beyond `leaves` are out. */
static unsigned scan(unsigned start, unsigned count, unsigned leaves)
{
    unsigned best = start;
    for (unsigned leaf = start; leaf < start + count && leaf < leaves; leaf++) {
        best = truth[leaf] < truth[best] ? leaf : best;
    }
    return best;
}

/* What is known of the second among `count` leaves from `start` is right: it is the first without the first. */
static void check_second(unsigned first, unsigned second, unsigned start, unsigned count, unsigned leaves)
{
    uint64_t least = truth[first];
    if (second != first) {
        truth[first] = TAKT_TOURNAMENT_NONE;
        unsigned expected = scan(start, count, leaves);
        CHECK_EQUAL(truth[second], truth[expected]);
        CHECK_EQUAL(second, expected);
        truth[first] = least;
    }
}

static void check_all(const struct takt_tournament *tournament, unsigned leaves)
{
    unsigned first = scan(0, leaves, leaves);
    CHECK_EQUAL(tournament->first, first);
    CHECK_EQUAL(tournament->least, truth[first]);
    check_second(first, tournament->second, 0, leaves, leaves);
    for (unsigned leaf = 0; leaf < TAKT_TOURNAMENT_KEYS(leaves); leaf++) {
        CHECK_EQUAL(keys[leaf], leaf < leaves ? truth[leaf] : TAKT_TOURNAMENT_NONE);
    }
    for (unsigned group = 0; leaves > TAKT_TOURNAMENT_WIDTH && group < TAKT_TOURNAMENT_GROUPS(leaves); group++) {
        first = scan(group * TAKT_TOURNAMENT_WIDTH, TAKT_TOURNAMENT_WIDTH, leaves);
        CHECK_EQUAL(results[group].first, first);
        CHECK_EQUAL(results[group].least, truth[first]);
        check_second(first, results[group].second, group * TAKT_TOURNAMENT_WIDTH, TAKT_TOURNAMENT_WIDTH, leaves);
    }
}

/* Leaves come, go, and come forward and back; keys below `range`, and the greatest that a leaf may have. */
static void random_changes(uint64_t *state, unsigned leaves, unsigned range)
{
    struct takt_tournament tournament;
    takt_tournament_init(&tournament, keys, results, leaves);
    CHECK((tournament.groups == NULL) == (leaves <= TAKT_TOURNAMENT_WIDTH));
    for (unsigned leaf = 0; leaf < leaves; leaf++) {
        truth[leaf] = TAKT_TOURNAMENT_NONE;
    }
    check_all(&tournament, leaves);
    for (unsigned change = 0; change < 400; change++) {
        unsigned leaf = (unsigned)(check_random(state) % leaves);
        uint64_t key = check_random(state) % (range + 1u);
        key = key == range ? TAKT_TOURNAMENT_NONE - 1u : key;
        if (check_random(state) % 4 == 0) { /* the first one leaves more often than others */
            leaf = tournament.first;
        }
        unsigned first = tournament.first;
        if (key < truth[leaf] && truth[leaf] != TAKT_TOURNAMENT_NONE && check_random(state) % 2 == 0) {
            truth[leaf] = key;
            takt_tournament_decrease(&tournament, leaf, key);
        } else if (key < truth[leaf]) {
            truth[leaf] = key;
            CHECK_EQUAL(takt_tournament_insert(&tournament, leaf, key), leaf == scan(0, leaves, leaves));
            CHECK(leaf != tournament.first || tournament.second == first || leaf == first);
        } else if (truth[leaf] != TAKT_TOURNAMENT_NONE && key > truth[leaf] && check_random(state) % 2 == 0) {
            truth[leaf] = key;
            takt_tournament_increase(&tournament, leaf, key);
        } else {
            truth[leaf] = TAKT_TOURNAMENT_NONE;
            takt_tournament_remove(&tournament, leaf);
        }
        check_all(&tournament, leaves);
    }
    while (tournament.least != TAKT_TOURNAMENT_NONE) { /* the order in which they leave */
        truth[tournament.first] = TAKT_TOURNAMENT_NONE;
        takt_tournament_remove(&tournament, tournament.first);
        check_all(&tournament, leaves);
    }
}

/* Rising and falling keys, and keys on both sides of a change in the upper word. */
static void runs(unsigned leaves)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        struct takt_tournament tournament;
        takt_tournament_init(&tournament, keys, results, leaves);
        for (unsigned leaf = 0; leaf < leaves; leaf++) {
            truth[leaf] = TAKT_TOURNAMENT_NONE;
        }
        for (unsigned leaf = 0; leaf < leaves; leaf++) {
            uint64_t away = kind == 0 ? leaf : kind == 1 ? leaves - leaf : leaf * 37u % leaves;
            truth[leaf] = UINT64_C(0x500000000) - leaves / 2u + away;
            (void)takt_tournament_insert(&tournament, leaf, truth[leaf]);
            check_all(&tournament, leaves);
        }
        while (tournament.least != TAKT_TOURNAMENT_NONE) {
            truth[tournament.first] = TAKT_TOURNAMENT_NONE;
            takt_tournament_remove(&tournament, tournament.first);
            check_all(&tournament, leaves);
        }
    }
}

int main(void)
{
    static const unsigned sizes[] = {1, 2, 5, 7, 8, 9, 16, 17, 33, 64, LEAVES_MAX};
    uint64_t state = check_seed();
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        runs(sizes[i]);
        for (unsigned long round = 0; round < check_cases(4); round++) {
            random_changes(&state, sizes[i], 1u + (unsigned)(check_random(&state) % 6u));
            random_changes(&state, sizes[i], 1000);
        }
    }
    return 0;
}
