/* SPDX-License-Identifier: Apache-2.0 */
/* Cortex-M3 of QEMU's mps2-an385 with -icount shift=6: 64 ns an instruction, and a counter of 40 ns tells them apart.
 */
#include "target.h"

extern uint32_t stack_top[], data_start[], data_end[], data_load[], bss_start[], bss_end[];

/* From read to read: the call, the function, the second read. Returns both, the first in the lower word. */
__attribute__((naked, noinline)) static uint64_t counter_around(void (*function)(void), void *argument, void **result)
{
    (void)function;
    (void)argument;
    (void)result;
    __asm volatile("push {r4, r5, r6, lr}\n\t"
                   "ldr  r4, =0x40028018\n\t"
                   "mov  r6, r2\n\t"
                   "mov  r2, r0\n\t"
                   "mov  r0, r1\n\t"
                   "ldr  r5, [r4]\n\t"
                   "blx  r2\n\t"
                   "ldr  r1, [r4]\n\t"
                   "str  r0, [r6]\n\t"
                   "mov  r0, r5\n\t"
                   "pop  {r4, r5, r6, pc}\n\t"
                   ".ltorg");
}

uint32_t target_measure(void (*function)(void), void *argument, void **result)
{
    uint64_t both = counter_around(function, argument, result);
    uint32_t begin = (uint32_t)(((both & UINT32_MAX) * 40u + 63u) / 64u);
    uint32_t end = (uint32_t)(((both >> 32) * 40u + 63u) / 64u);
    return end - begin - 1u;
}

void target_print(char character)
{
    *(volatile uint32_t *)0x40004000 = (uint8_t)character;
}

_Noreturn void target_exit(int status)
{
    const uint32_t parameters[2] = {0x20026, (uint32_t)status}; /* semihosting: exit extended, application exit */
    for (;;) {
        register uint32_t r0 __asm("r0") = 0x20;
        register const void *r1 __asm("r1") = parameters;
        __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    }
}

static _Noreturn void fault(void)
{
    target_exit(3);
}

static _Noreturn void reset(void)
{
    for (uint32_t *to = data_start, *from = data_load; to < data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = bss_start; to < bss_end;) {
        *to++ = 0;
    }
    *(volatile uint32_t *)0x40004010 = 16; /* the console's divider */
    *(volatile uint32_t *)0x40004008 = 1;
    measure();
}

__attribute__((section(".vectors"), used)) static const struct {
    void *stack;
    void (*handlers[15])(void);
} vectors = {stack_top, {reset, fault, fault, fault, fault, fault}};
