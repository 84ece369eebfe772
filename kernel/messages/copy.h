/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_COPY_H
#define TAKTI_COPY_H

#include "kernel/core/kernel.h"

/*
 * Copies two words at a time if both addresses and the size permit, the common case. A port may define a better copy.
 */
#ifndef TAKT_PORT_COPY_PAIRS
typedef uint32_t __attribute__((may_alias)) copied_word;
#define TAKT_PORT_COPY_PAIRS(to, from, pairs)                              \
    do { /* pairs > 0 */                                                   \
        copied_word low = ((const copied_word *)(const void *)(from))[0];  \
        copied_word high = ((const copied_word *)(const void *)(from))[1]; \
        (from) += 8;                                                       \
        ((copied_word *)(void *)(to))[0] = low;                            \
        ((copied_word *)(void *)(to))[1] = high;                           \
        (to) += 8;                                                         \
        __asm("" : "+r"(to)); /* otherwise its end is computed twice */    \
    } while (--(pairs) != 0)
#endif

#endif
