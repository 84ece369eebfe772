/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_BITMAP_H
#define TAKT_BASE_BITMAP_H

#include <stdint.h>

#include "base/dialect.h"

TAKT_C_BEGIN

/*
 * A bitmap of `words` * 32 bits. `words` is a compile-time constant of at most a few: with one word nothing is indexed,
 * with more the search is unrolled. bit < words * 32.
 *
 * Bit 0 is the top bit of word 0, so that the first set bit is one count of leading zeros away. On a processor without
 * that instruction (TAKT_BITMAP_UPWARDS) bit 0 is the lowest bit, which a multiplication finds (bitmap.c): 10
 * instructions inline, where the compiler's library takes 25 and a call.
 */
#ifndef TAKT_BITMAP_UPWARDS
#if defined(__riscv) && !defined(__riscv_zbb)
#define TAKT_BITMAP_UPWARDS 1
#else
#define TAKT_BITMAP_UPWARDS 0
#endif
#endif

static inline unsigned takt_bitmap_word(unsigned words, unsigned bit)
{
    return words == 1 ? 0 : bit >> 5;
}

/* The bit within its word; a constant if `bit` is one. */
#define TAKT_BITMAP_BIT(bit) (TAKT_BITMAP_UPWARDS ? UINT32_C(1) << ((bit)&31u) : UINT32_C(0x80000000) >> ((bit)&31u))

/* The same for a variable `bit`: with one word it needs no mask. */
static inline uint32_t takt_bitmap_bit(unsigned words, unsigned bit)
{
    unsigned shift = words == 1 ? bit : bit & 31u;
    return TAKT_BITMAP_UPWARDS ? UINT32_C(1) << shift : UINT32_C(0x80000000) >> shift;
}

static inline void takt_bitmap_set(uint32_t *map, unsigned words, unsigned bit)
{
    map[takt_bitmap_word(words, bit)] |= takt_bitmap_bit(words, bit);
}

static inline void takt_bitmap_clear(uint32_t *map, unsigned words, unsigned bit)
{
    map[takt_bitmap_word(words, bit)] &= ~takt_bitmap_bit(words, bit);
}

static inline int takt_bitmap_test(const uint32_t *map, unsigned words, unsigned bit)
{
    uint32_t word = map[takt_bitmap_word(words, bit)];
    unsigned shift = words == 1 ? bit : bit & 31u;
    return TAKT_BITMAP_UPWARDS ? (int)(word >> shift & 1u) : (int32_t)(word << shift) < 0;
}

/* A de Bruijn sequence: the top five bits of its product with a power of two are different for each power, and are the
 * index of the exponent in takt_bitmap_indices. */
#define TAKT_BITMAP_SEQUENCE UINT32_C(0x077CB531)
extern const uint8_t takt_bitmap_indices[32];

/* The first set bit of a word that is not 0. */
static inline unsigned takt_bitmap_first_in(uint32_t word)
{
    if (TAKT_BITMAP_UPWARDS) {
        return takt_bitmap_indices[(word & (0u - word)) * TAKT_BITMAP_SEQUENCE >> 27];
    }
    return (unsigned)__builtin_clz(word);
}

/* The lowest set bit of a word that is not 0, as a number of 0 to 31. */
static inline unsigned takt_bitmap_lowest(uint32_t word)
{
    if (TAKT_BITMAP_UPWARDS) {
        return takt_bitmap_first_in(word);
    }
    return (unsigned)__builtin_ctz(word);
}

/* The greatest exponent of 2 within `value` > 0; without an instruction that counts zeros, the cost grows with the
 * exponent. */
static inline unsigned takt_bitmap_log2(uint32_t value)
{
    if (TAKT_BITMAP_UPWARDS) {
        unsigned exponent = 0;
        while ((value >>= 1) != 0) { /* at most 31 rounds */
            exponent++;
        }
        return exponent;
    }
    return 31u - (unsigned)__builtin_clz(value);
}

/* The first set bit of a bitmap with at least one. */
static inline unsigned takt_bitmap_first(const uint32_t *map, unsigned words)
{
    unsigned word = 0;
    while (word + 1u < words && map[word] == 0) {
        word++;
    }
    return word * 32u + takt_bitmap_first_in(map[word]);
}

TAKT_C_END

#endif
