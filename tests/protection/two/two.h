/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes: what one makes the other adds up. */
#ifndef TWO_H
#define TWO_H

#include <stdint.h>

struct level {
    uint32_t a;
    uint32_t b;
    uint32_t ticks;
};

/* sum.c, which both execute. */
uint32_t sum(const struct level *level);

#endif
