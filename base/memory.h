/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BASE_MEMORY_H
#define TAKT_BASE_MEMORY_H

/*
 * Word-wise memcpy and memset in place of the byte-wise ones of the C library, for messages and for clearing tasks. A
 * port includes this file in one of its own, after a definition of TAKT_MEMORY_UNALIGNED: 1 where unaligned words may
 * be loaded and stored in ordinary memory, so that only the destination is aligned; 0 where they may trap: then a
 * source that is aligned differently from the destination is copied byte by byte. Compiled for size, every copy is byte
 * by byte.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Keeps the compiler from replacing the loops by calls of the functions that contain them. */
#define TAKT_MEMORY_LOOPS __attribute__((optimize("no-tree-loop-distribute-patterns")))

#if TAKT_MEMORY_UNALIGNED
typedef uint32_t takt_memory_word __attribute__((aligned(1), may_alias));
#else
typedef uint32_t takt_memory_word __attribute__((may_alias));
#endif

TAKT_MEMORY_LOOPS void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    uint8_t *out = to;
    const uint8_t *in = from;
#ifndef __OPTIMIZE_SIZE__
    if (TAKT_MEMORY_UNALIGNED || (((uintptr_t)out ^ (uintptr_t)in) & 3u) == 0) {
        for (; length != 0 && ((uintptr_t)out & 3u) != 0; length--) {
            *out++ = *in++;
        }
        for (; length >= 16; length -= 16, out += 16, in += 16) {
            takt_memory_word a = ((const takt_memory_word *)(const void *)in)[0];
            takt_memory_word b = ((const takt_memory_word *)(const void *)in)[1];
            takt_memory_word c = ((const takt_memory_word *)(const void *)in)[2];
            takt_memory_word d = ((const takt_memory_word *)(const void *)in)[3];
            ((takt_memory_word *)(void *)out)[0] = a;
            ((takt_memory_word *)(void *)out)[1] = b;
            ((takt_memory_word *)(void *)out)[2] = c;
            ((takt_memory_word *)(void *)out)[3] = d;
        }
        for (; length >= 4; length -= 4, out += 4, in += 4) {
            *(takt_memory_word *)(void *)out = *(const takt_memory_word *)(const void *)in;
        }
    }
#endif
    for (; length != 0; length--) {
        *out++ = *in++;
    }
    return to;
}

TAKT_MEMORY_LOOPS void *memset(void *to, int value, size_t length)
{
    uint8_t *out = to;
#ifndef __OPTIMIZE_SIZE__
    uint32_t filled = (uint32_t)(uint8_t)value * UINT32_C(0x01010101);
    for (; length != 0 && ((uintptr_t)out & 3u) != 0; length--) {
        *out++ = (uint8_t)value;
    }
    for (; length >= 16; length -= 16, out += 16) {
        ((takt_memory_word *)(void *)out)[0] = filled;
        ((takt_memory_word *)(void *)out)[1] = filled;
        ((takt_memory_word *)(void *)out)[2] = filled;
        ((takt_memory_word *)(void *)out)[3] = filled;
    }
    for (; length >= 4; length -= 4, out += 4) {
        *(takt_memory_word *)(void *)out = filled;
    }
#endif
    for (; length != 0; length--) {
        *out++ = (uint8_t)value;
    }
    return to;
}

#endif
