/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"
#include "stamp.h"

uint32_t stamps[STAMPS];

/*
 * The counter at 25 MHz. With -icount shift=6 an instruction is 64 ns, 1.6 ticks, so that each has a count of its own,
 * as long as the processor has not slept: then time jumps by fractions of an instruction. Nothing here sleeps.
 */
__attribute__((naked)) void stamp_take(unsigned which)
{
    (void)which;
    __asm volatile("ldr  r1, =0x40028018\n\t"
                   "ldr  r1, [r1]\n\t"
                   "ldr  r2, =stamps\n\t"
                   "str  r1, [r2, r0, lsl #2]\n\t"
                   "bx   lr\n\t"
                   ".ltorg");
}

/* Eight ticks are five instructions: the first stamp's phase among the eight determines the rounding. */
uint32_t stamp_difference(uint32_t first, uint32_t second)
{
    uint32_t phase = first & 7u;
    uint32_t ticks = phase + (second - first);
    return (uint32_t)(((uint64_t)ticks * 5u + 7u) / 8u) - (phase * 5u + 7u) / 8u;
}

/* The vector table of either kernel is in RAM; and both kernels have their line at the same priority. */
void target_timer_init(void (*handler)(void))
{
    enum { EXCEPTIONS = 16, TIMER1_IRQ = 9 };
    uint32_t *vectors = (uint32_t *)(*(volatile uint32_t *)0xE000ED08u); /* VTOR */
    vectors[EXCEPTIONS + TIMER1_IRQ] = (uint32_t)(uintptr_t)handler;
    ((volatile uint8_t *)0xE000E400u)[TIMER1_IRQ] = 0x40u;         /* NVIC_IPR */
    *(volatile uint32_t *)0xE000E100u = UINT32_C(1) << TIMER1_IRQ; /* NVIC_ISER0 */
    TARGET_TIMER1[2] = 0;
    TARGET_TIMER1[1] = UINT32_C(1) << 31; /* QEMU complains about a timer that starts at 0 */
    TARGET_TIMER1[0] = 9u;                /* enabled, with its interrupt */
}
