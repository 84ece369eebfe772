/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_TARGET_H
#define TAKT_BENCHMARK_TARGET_H

#include <stdint.h>

#include "chips/virt/registers.h"

/* The software interrupt, pended by hand. */
#define TARGET_IRQ VIRT_IRQ_SOFTWARE

static inline void target_interrupt_pend(void)
{
    VIRT_MSIP = 1;
}

/* The port has done it. */
#define TARGET_INTERRUPT_SERVED()

/* In the board's time, which is slower than QEMU's by four (boards/rv32-virt/board.toml). */
#define TARGET_CLOCK_HZ 40000000u

static inline uint32_t target_clock(void)
{
    uint32_t ticks;
    __asm volatile("rdtime %0" : "=r"(ticks));
    return ticks;
}

/* The tick of FreeRTOS: its compare register reaches the past by the second of two stores. */
static inline void target_tick_prepare(void)
{
    VIRT_MTIMECMP_HIGH = 1;
    VIRT_MTIMECMP_LOW = 0;
}

static inline void target_tick_pend(void)
{
    VIRT_MTIMECMP_HIGH = 0;
}

/*
 * A one-shot of the sweep: the alarm of the RTC, in ns of QEMU, of which an instruction takes 128. So every instruction
 * is hit, and what follows one unit later comes one instruction later.
 */
#define TARGET_TIMER_PERIOD 1u
#define TARGET_TIMER_PERIOD_INSTRUCTIONS 1u
#define TARGET_INSTRUCTION_NS 128u
#define TARGET_TIMER_FIRST 16u /* it is armed by then, and the row has just begun */

/* `handler` is called without the kernel, which masks it all the same. */
void target_timer_init(void (*handler)(void));

/* The kernel's trap vectors with one of them replaced by target_sweep_trap: with the kernel's start-up. */
void target_sweep_vectors(void);
void target_sweep_trap(void);

static inline void target_timer_arm(uint32_t instructions)
{
    uint32_t low = VIRT_RTC_TIME_LOW;
    uint64_t alarm = ((uint64_t)VIRT_RTC_TIME_HIGH << 32 | low) + (uint64_t)instructions * TARGET_INSTRUCTION_NS;
    VIRT_RTC_ALARM_HIGH = (uint32_t)(alarm >> 32);
    VIRT_RTC_ALARM_LOW = (uint32_t)alarm;
}

static inline void target_timer_disarm(void)
{
    VIRT_RTC_ALARM_HIGH = UINT32_MAX >> 1;
    VIRT_RTC_ALARM_LOW = 0;
}

static inline void target_timer_clear(void)
{
    VIRT_RTC_CLEAR = 1;
}

#endif
