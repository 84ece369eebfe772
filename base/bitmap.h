/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_BITMAP_H
#define TAKT_BASE_BITMAP_H

#include <stdint.h>

/*
 * A bitmap of `words` * 32 bits in which bit 0 is the first: the top bit of word 0, so that the first set bit is one
 * count of leading zeros away. `words` is a compile-time constant of at most a few: with one word nothing is indexed,
 * with more the search is unrolled. bit < words * 32.
 */
static inline unsigned takt_bitmap_word(unsigned words, unsigned bit)
{
    return words == 1 ? 0 : bit >> 5;
}

/* The bit within its word. */
#define TAKT_BITMAP_BIT(bit) (UINT32_C(0x80000000) >> ((bit)&31u))

static inline void takt_bitmap_set(uint32_t *map, unsigned words, unsigned bit)
{
    map[takt_bitmap_word(words, bit)] |= TAKT_BITMAP_BIT(bit);
}

static inline void takt_bitmap_clear(uint32_t *map, unsigned words, unsigned bit)
{
    map[takt_bitmap_word(words, bit)] &= ~TAKT_BITMAP_BIT(bit);
}

static inline int takt_bitmap_test(const uint32_t *map, unsigned words, unsigned bit)
{
    return (int32_t)(map[takt_bitmap_word(words, bit)] << (bit & 31u)) < 0;
}

/* The first set bit of a map that has one. */
static inline unsigned takt_bitmap_first(const uint32_t *map, unsigned words)
{
    unsigned word = 0;
    while (word + 1u < words && map[word] == 0) {
        word++;
    }
    return word * 32u + (unsigned)__builtin_clz(map[word]);
}

#endif
