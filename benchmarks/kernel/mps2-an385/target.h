/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_BENCHMARK_TARGET_H
#define TAKT_BENCHMARK_TARGET_H

#include <stdint.h>

#if defined TAKT_PROCESSES && TAKT_PROCESSES
/* User mode does not reach the NVIC: a serial port interrupts while its empty FIFO may. */
#define TARGET_IRQ 11u
#define TARGET_SERIAL_MASK (*(volatile uint32_t *)0x40020014u)

static inline void target_interrupt_pend(void)
{
    TARGET_SERIAL_MASK = 8;
}

#define TARGET_INTERRUPT_SERVED() (TARGET_SERIAL_MASK = 0)
#else
/* An interrupt that no device of the board uses, pended by hand. */
#define TARGET_IRQ 20u

static inline void target_interrupt_pend(void)
{
    *(volatile uint32_t *)0xE000E200u = UINT32_C(1) << TARGET_IRQ; /* NVIC_ISPR0 */
}

#define TARGET_INTERRUPT_SERVED()
#endif

/* What stamps count. */
#define TARGET_CLOCK_HZ 25000000u

static inline uint32_t target_clock(void)
{
    return *(volatile uint32_t *)0x40028018u;
}

/* The processor's own tick, which FreeRTOS uses. */
static inline void target_tick_prepare(void)
{
}

static inline void target_tick_pend(void)
{
    *(volatile uint32_t *)0xE000ED04u = UINT32_C(1) << 26; /* ICSR.PENDSTSET */
}

/*
 * A one-shot of the sweep: an interrupt so many ticks of 40 ns later. An instruction takes 64 ns, so that every one is
 * hit, and what follows eight ticks later comes five instructions later.
 */
#define TARGET_TIMER_PERIOD 8u
#define TARGET_TIMER_PERIOD_INSTRUCTIONS 5u
#define TARGET_TIMER_FIRST 8u                            /* it is armed by then, and the row has just begun */
#define TARGET_TIMER1 ((volatile uint32_t *)0x40001000u) /* ctrl, value, reload, interrupt */

/* `handler` is called by the processor itself, without the kernel, which masks it all the same. */
void target_timer_init(void (*handler)(void));

static inline void target_timer_arm(uint32_t ticks)
{
    TARGET_TIMER1[1] = ticks;
}

static inline void target_timer_disarm(void)
{
    TARGET_TIMER1[1] = UINT32_C(1) << 31;
}

static inline void target_timer_clear(void)
{
    TARGET_TIMER1[3] = 1;
}

#endif
