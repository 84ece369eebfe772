/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Word-wise memcpy and memset in place of the C library's, which go byte by byte: the kernel copies messages and clears
 * tasks with them. A word is loaded and stored at its own alignment only, since unaligned ones may trap: what lies at
 * another distance from a word boundary than its destination is copied byte by byte. So is everything where size
 * counts.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Or the compiler makes the loops calls of the functions that they are in. */
#define NO_LIBRARY __attribute__((optimize("no-tree-loop-distribute-patterns")))

typedef uint32_t word __attribute__((may_alias));

NO_LIBRARY void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    uint8_t *out = to;
    const uint8_t *in = from;
#ifndef __OPTIMIZE_SIZE__
    if ((((uintptr_t)out ^ (uintptr_t)in) & 3u) == 0) {
        for (; length != 0 && ((uintptr_t)out & 3u) != 0; length--) {
            *out++ = *in++;
        }
        for (; length >= 16; length -= 16, out += 16, in += 16) {
            word a = ((const word *)(const void *)in)[0];
            word b = ((const word *)(const void *)in)[1];
            word c = ((const word *)(const void *)in)[2];
            word d = ((const word *)(const void *)in)[3];
            ((word *)(void *)out)[0] = a;
            ((word *)(void *)out)[1] = b;
            ((word *)(void *)out)[2] = c;
            ((word *)(void *)out)[3] = d;
        }
        for (; length >= 4; length -= 4, out += 4, in += 4) {
            *(word *)(void *)out = *(const word *)(const void *)in;
        }
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
    uint32_t filled = (uint32_t)(uint8_t)value * UINT32_C(0x01010101);
    for (; length != 0 && ((uintptr_t)out & 3u) != 0; length--) {
        *out++ = (uint8_t)value;
    }
    for (; length >= 16; length -= 16, out += 16) {
        ((word *)(void *)out)[0] = filled;
        ((word *)(void *)out)[1] = filled;
        ((word *)(void *)out)[2] = filled;
        ((word *)(void *)out)[3] = filled;
    }
    for (; length >= 4; length -= 4, out += 4) {
        *(word *)(void *)out = filled;
    }
#endif
    for (; length != 0; length--) {
        *out++ = (uint8_t)value;
    }
    return to;
}
