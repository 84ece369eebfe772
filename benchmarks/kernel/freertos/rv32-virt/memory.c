/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picolibc's go byte by byte, and there is no other C library for this compiler: words when everything is aligned. The
 * figures that are cited were made with such a memcpy.
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
    if ((((uintptr_t)out | (uintptr_t)in) & 3u) == 0) {
        for (; length >= sizeof(word); length -= sizeof(word), out += sizeof(word), in += sizeof(word)) {
            *(word *)(void *)out = *(const word *)(const void *)in;
        }
    }
    for (; length != 0; length--) {
        *out++ = *in++;
    }
    return to;
}

NO_LIBRARY void *memset(void *to, int value, size_t length)
{
    uint8_t *out = to;
    if (((uintptr_t)out & 3u) == 0) {
        for (; length >= sizeof(word); length -= sizeof(word), out += sizeof(word)) {
            *(word *)(void *)out = (uint8_t)value * UINT32_C(0x01010101);
        }
    }
    for (; length != 0; length--) {
        *out++ = (uint8_t)value;
    }
    return to;
}
