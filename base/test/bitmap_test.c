/* SPDX-License-Identifier: Apache-2.0 */
/* A map of two words against an array of flags; built for both orders of bits. */
#include "base/bitmap.h"

#include "base/test/check.h"

enum { WORDS = 2, BITS = 32 * WORDS };

static unsigned scan(const int *truth)
{
    unsigned bit = 0;
    while (bit < BITS && !truth[bit]) {
        bit++;
    }
    return bit;
}

int main(void)
{
    uint64_t state = check_seed();
    uint32_t map[WORDS] = {0, 0};
    int truth[BITS] = {0};
    for (unsigned bit = 0; bit < BITS; bit++) { /* each alone */
        takt_bitmap_set(map, WORDS, bit);
        CHECK_EQUAL(takt_bitmap_first(map, WORDS), bit);
        CHECK_EQUAL(map[bit / 32u], TAKT_BITMAP_BIT(bit));
        takt_bitmap_clear(map, WORDS, bit);
        CHECK(map[0] == 0 && map[1] == 0);
        CHECK_EQUAL(takt_bitmap_log2(UINT32_C(1) << bit % 32u), bit % 32u);
        CHECK_EQUAL(takt_bitmap_log2(UINT32_MAX >> bit % 32u), 31u - bit % 32u);
        CHECK_EQUAL(takt_bitmap_lowest(UINT32_C(1) << bit % 32u), bit % 32u);
        CHECK_EQUAL(takt_bitmap_lowest(UINT32_MAX << bit % 32u), bit % 32u);
    }
    for (unsigned long round = 0; round < check_cases(20000); round++) {
        unsigned bit = (unsigned)(check_random(&state) % BITS);
        truth[bit] = check_random(&state) % 4 == 0;
        if (truth[bit]) {
            takt_bitmap_set(map, WORDS, bit);
        } else {
            takt_bitmap_clear(map, WORDS, bit);
        }
        unsigned first = scan(truth);
        if (first < BITS) {
            CHECK_EQUAL(takt_bitmap_first(map, WORDS), first);
        }
        CHECK_EQUAL(takt_bitmap_test(map, WORDS, bit) != 0, truth[bit] != 0);
    }
    return 0;
}
