/* SPDX-License-Identifier: Apache-2.0 */
/* Heats and their final against a scan, and the result of every heat after every change. */
#include "base/heats.h"

#include "base/test/check.h"

enum { LEAVES_MAX = 100 };

static uint64_t keys[TAKT_HEATS_KEYS(LEAVES_MAX)];
static struct takt_heat results[TAKT_HEATS(LEAVES_MAX)];
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

static void check_all(const struct takt_heats *heats, unsigned leaves)
{
    unsigned first = scan(0, leaves, leaves);
    CHECK_EQUAL(heats->first, first);
    CHECK_EQUAL(heats->least, truth[first]);
    for (unsigned leaf = 0; leaf < TAKT_HEATS_KEYS(leaves); leaf++) {
        CHECK_EQUAL(keys[leaf], leaf < leaves ? truth[leaf] : TAKT_HEATS_NONE);
    }
    for (unsigned heat = 0; leaves > TAKT_HEAT_LEAVES && heat < TAKT_HEATS(leaves); heat++) {
        first = scan(heat * TAKT_HEAT_LEAVES, TAKT_HEAT_LEAVES, leaves);
        CHECK_EQUAL(results[heat].first, first);
        CHECK_EQUAL(results[heat].least, truth[first]);
    }
}

/* Leaves come, go, and come forward; keys below `range`, and the greatest that a leaf may have. */
static void random_changes(uint64_t *state, unsigned leaves, unsigned range)
{
    struct takt_heats heats;
    takt_heats_init(&heats, keys, results, leaves);
    CHECK((heats.heats == NULL) == (leaves <= TAKT_HEAT_LEAVES));
    for (unsigned leaf = 0; leaf < leaves; leaf++) {
        truth[leaf] = TAKT_HEATS_NONE;
    }
    check_all(&heats, leaves);
    for (unsigned change = 0; change < 400; change++) {
        unsigned leaf = (unsigned)(check_random(state) % leaves);
        uint64_t key = check_random(state) % (range + 1u);
        key = key == range ? TAKT_HEATS_NONE - 1u : key;
        if (check_random(state) % 4 == 0) { /* whoever is first leaves more often than others */
            leaf = heats.first;
        }
        if (key < truth[leaf]) {
            truth[leaf] = key;
            takt_heats_insert(&heats, leaf, key);
        } else {
            truth[leaf] = TAKT_HEATS_NONE;
            takt_heats_remove(&heats, leaf);
        }
        check_all(&heats, leaves);
    }
    while (heats.least != TAKT_HEATS_NONE) { /* the order in which they leave */
        truth[heats.first] = TAKT_HEATS_NONE;
        takt_heats_remove(&heats, heats.first);
        check_all(&heats, leaves);
    }
}

/* Rising and falling keys, and keys on both sides of a change in the upper word. */
static void runs(unsigned leaves)
{
    for (unsigned kind = 0; kind < 3; kind++) {
        struct takt_heats heats;
        takt_heats_init(&heats, keys, results, leaves);
        for (unsigned leaf = 0; leaf < leaves; leaf++) {
            truth[leaf] = TAKT_HEATS_NONE;
        }
        for (unsigned leaf = 0; leaf < leaves; leaf++) {
            uint64_t away = kind == 0 ? leaf : kind == 1 ? leaves - leaf : leaf * 37u % leaves;
            truth[leaf] = UINT64_C(0x500000000) - leaves / 2u + away;
            takt_heats_insert(&heats, leaf, truth[leaf]);
            check_all(&heats, leaves);
        }
        while (heats.least != TAKT_HEATS_NONE) {
            truth[heats.first] = TAKT_HEATS_NONE;
            takt_heats_remove(&heats, heats.first);
            check_all(&heats, leaves);
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
