/* SPDX-License-Identifier: Apache-2.0 */
#include "arrivals.h"

#define CYCLE_NS 20u
#define GAP_LN2 346574u /* cycles: ln 2 times 10 ms */

/* 2^16 times log2 of a number that is not 0. No builtin: a library's function would be called, as kernels do. */
static uint32_t log2_q16(uint32_t number)
{
    unsigned whole = 31;
    while (number >> whole == 0) {
        whole--;
    }
    uint64_t part = (uint64_t)number << (31u - whole); /* 1 to 2, in 2^-31 */
    uint32_t log = whole;
    for (unsigned bit = 0; bit < 16; bit++) {
        part = part * part >> 31;
        log <<= 1;
        if (part >> 32 != 0) {
            part >>= 1;
            log |= 1u;
        }
    }
    return log;
}

/* Gaps are geometric, in cycles: in each an interrupt comes with the same chance. */
void arrivals_draw(uint32_t seed, uint32_t arrivals_ns[ARRIVALS])
{
    uint32_t random = seed * 2654435761u + 1u;
    uint64_t cycles = 0;
    for (unsigned i = 0; i < ARRIVALS; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        cycles += 1u + ((uint64_t)((32u << 16) - log2_q16(random)) * GAP_LN2 >> 16);
        uint64_t at_ns = cycles * CYCLE_NS;
        arrivals_ns[i] = at_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)at_ns;
    }
}
