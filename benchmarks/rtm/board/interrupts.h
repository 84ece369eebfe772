/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RTM_INTERRUPTS_H
#define RTM_INTERRUPTS_H

#include <stdint.h>

#include "chips/ibex/registers.h"

#define MIE_TIMER (UINT32_C(1) << 7)
#define MIE_EXTERNAL (UINT32_C(1) << 11)
#define MSTATUS_MIE 8u
#define MSTATUS_TASK 0x1880u /* machine mode, and interrupts on after mret */

/*
 * A frame on the stack of whom it interrupts: mepc and what a function may change, or all. Words of a frame, in the
 * order of registers x1, x5 to x31; then mepc.
 */
#define FRAME_BYTES 128
#define FRAME_MEPC 112

static inline uint32_t interrupts_off(void)
{
    uint32_t before;
    __asm volatile("csrrci %0, mstatus, 8" : "=r"(before) : : "memory");
    return before;
}

static inline void interrupts_restore(uint32_t before)
{
    __asm volatile("csrs mstatus, %0" : : "r"(before & MSTATUS_MIE) : "memory");
}

static inline uint64_t time_ns(void)
{
    uint32_t high;
    uint32_t low;
    do {
        high = IBEX_TIME_HIGH;
        low = IBEX_TIME_LOW;
    } while (high != IBEX_TIME_HIGH);
    return (uint64_t)high << 32 | low;
}

/* The time of the next tick; interrupts are masked, or it is the timer's. */
static inline void tick_at(uint64_t at_ns)
{
    IBEX_COMPARE_HIGH = UINT32_MAX;
    IBEX_COMPARE_LOW = (uint32_t)at_ns;
    IBEX_COMPARE_HIGH = (uint32_t)(at_ns >> 32);
}

#endif
