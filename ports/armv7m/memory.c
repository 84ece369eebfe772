/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Word-wise memcpy and memset in place of the C library's, which go byte by byte: the kernel copies messages and clears
 * tasks with them. Unaligned words are fine in ordinary memory; only the destination is brought to a word boundary.
 * Byte-wise too where size counts.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Or the compiler makes the loops calls of the functions that they are in. */
#define NO_LIBRARY __attribute__((optimize("no-tree-loop-distribute-patterns")))

typedef uint32_t unaligned_word __attribute__((aligned(1), may_alias));

NO_LIBRARY void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    uint8_t *out = to;
    const uint8_t *in = from;
#ifndef __OPTIMIZE_SIZE__
    for (; length != 0 && ((uintptr_t)out & 3u) != 0; length--) {
        *out++ = *in++;
    }
    for (; length >= 16; length -= 16, out += 16, in += 16) {
        uint32_t a = ((const unaligned_word *)(const void *)in)[0];
        uint32_t b = ((const unaligned_word *)(const void *)in)[1];
        uint32_t c = ((const unaligned_word *)(const void *)in)[2];
        uint32_t d = ((const unaligned_word *)(const void *)in)[3];
        ((unaligned_word *)(void *)out)[0] = a;
        ((unaligned_word *)(void *)out)[1] = b;
        ((unaligned_word *)(void *)out)[2] = c;
        ((unaligned_word *)(void *)out)[3] = d;
    }
    for (; length >= 4; length -= 4, out += 4, in += 4) {
        *(unaligned_word *)(void *)out = *(const unaligned_word *)(const void *)in;
    }
#endif
    for (; length != 0; length--) {
        *out++ = *in++;
    }
    return to;
}

NO_LIBRARY void *memset(void *to, int value, size_t length)
{
    uint8_t *out = to;
#ifndef __OPTIMIZE_SIZE__
    uint32_t word = (uint32_t)(uint8_t)value * UINT32_C(0x01010101);
    for (; length != 0 && ((uintptr_t)out & 3u) != 0; length--) {
        *out++ = (uint8_t)value;
    }
    for (; length >= 16; length -= 16, out += 16) {
        ((unaligned_word *)(void *)out)[0] = word;
        ((unaligned_word *)(void *)out)[1] = word;
        ((unaligned_word *)(void *)out)[2] = word;
        ((unaligned_word *)(void *)out)[3] = word;
    }
    for (; length >= 4; length -= 4, out += 4) {
        *(unaligned_word *)(void *)out = word;
    }
#endif
    for (; length != 0; length--) {
        *out++ = (uint8_t)value;
    }
    return to;
}
