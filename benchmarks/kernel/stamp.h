/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_STAMP_H
#define TAKT_BENCHMARK_STAMP_H

#include <stdint.h>

/*
 * Where the processor is, in guest instructions since reset: mps2-an385 counts 25 MHz, and with -icount shift=6 an
 * instruction takes 64 ns, so the count of ticks tells each instruction from the next. As long as the processor has not
 * slept: then time jumps by fractions of an instruction, and a difference may be one off.
 */
extern uint32_t stamps[4];

/* Stores the tick count into stamps[which]. */
void stamp_take(unsigned which);

/* Never a tail call: from one stamp to the next are STAMP_COST instructions and what stands between them. */
static inline void stamp(unsigned which)
{
    stamp_take(which);
    __asm volatile("");
}
#define STAMP_COST 7u

/* Instructions between the two stamps, their own cost taken off. */
static inline uint32_t instructions_between(uint32_t first, uint32_t second)
{
    uint32_t begin = (uint32_t)(((uint64_t)first * 40u + 63u) / 64u);
    uint32_t end = (uint32_t)(((uint64_t)second * 40u + 63u) / 64u);
    return end - begin - STAMP_COST;
}

#endif
