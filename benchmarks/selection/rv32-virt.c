/* SPDX-License-Identifier: Apache-2.0 */
/* RV32 of QEMU's virt with -icount shift=0: instret counts instructions. */
#include "target.h"

__attribute__((naked, section(".vectors"), used)) void reset(void)
{
    __asm volatile("la   sp, stack_top\n\t"
                   "la   t0, fault\n\t"
                   "csrw mtvec, t0\n\t"
                   "la   t0, bss_start\n\t"
                   "la   t1, bss_end\n"
                   "1:\n\t"
                   "bgeu t0, t1, 2f\n\t"
                   "sw   zero, 0(t0)\n\t"
                   "addi t0, t0, 4\n\t"
                   "j    1b\n"
                   "2:\n\t"
                   "j    measure");
}

/* From read to read: the call, the function, the second read. */
__attribute__((naked, noinline)) static uint32_t count_around(void (*function)(void), void *argument, void **result)
{
    (void)function;
    (void)argument;
    (void)result;
    __asm volatile("addi sp, sp, -16\n\t"
                   "sw   ra, 12(sp)\n\t"
                   "sw   s0, 8(sp)\n\t"
                   "sw   s1, 4(sp)\n\t"
                   "mv   s1, a2\n\t"
                   "mv   t0, a0\n\t"
                   "mv   a0, a1\n\t"
                   "csrr s0, minstret\n\t"
                   "jalr t0\n\t"
                   "csrr a1, minstret\n\t"
                   "sw   a0, 0(s1)\n\t"
                   "sub  a0, a1, s0\n\t"
                   "lw   s1, 4(sp)\n\t"
                   "lw   s0, 8(sp)\n\t"
                   "lw   ra, 12(sp)\n\t"
                   "addi sp, sp, 16\n\t"
                   "ret");
}

uint32_t target_measure(void (*function)(void), void *argument, void **result)
{
    return count_around(function, argument, result) - 1u;
}

void target_print(char character)
{
    *(volatile uint8_t *)0x10000000 = (uint8_t)character;
}

_Noreturn void target_exit(int status)
{
    for (;;) {
        *(volatile uint32_t *)0x100000 = status == 0 ? 0x5555 : 0x3333u | (uint32_t)status << 16;
    }
}

__attribute__((used, aligned(4))) _Noreturn void fault(void)
{
    target_exit(3);
}
